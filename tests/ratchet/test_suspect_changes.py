"""Changes at which a person must look, beside changes like them that are fine."""

from __future__ import annotations

from textwrap import indent

import pytest

from loopwright.core.findings import LOW, MEDIUM, Finding
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change


def found(before: dict, after: dict, check: str, red: str = "") -> list[Finding]:
    changes = [Change(path, before.get(path), text) for path, text in after.items()]
    rows = findings(changes, (check,), before.get, (red,) if red else ())
    return [row for row in rows if row.severity != LOW]


MYPY = "python3 -m mypy ."
TOX = "[pytest]\naddopts = -q\n\n[testenv]\ncommands = pytest --doctest-modules\n"
EXAMPLE = 'def total(p):\n    """\n    >>> total([1])\n    1\n    """\n    return 0\n'
PROPERTY = "class Cart:\n    @property\n" + indent(EXAMPLE.replace("total", "sum"), "    ")
SOURCE = {"prices.py": "def total(p): ...\n"}
INLINE = (
    "pub fn fare(z: u32) -> u32 {\n    z\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
    "    #[test]\n    fn a() {\n        assert_eq!(fare(1), 2);\n    }\n}\n"
)
LINTER = "SKIPPED = {'_vendor'}\nfor path in paths:\n    if SKIPPED & set(path.parts):\n        continue\n"
BROKEN = "def read(text):\n    try:\n        return eval(text)\n    except:\n        return 0\n"
SUSPECT = {
    "an example in a file that the check does not read": (
        {"prices.py": EXAMPLE},
        {"prices.py": "from parts import total\n", "parts.py": EXAMPLE},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a comment for a type checker that failed": (
        SOURCE,
        {"prices.py": "def total(p): ...  # type: ignore\n"},
        MYPY,
        "warning-silenced",
    ),
    "an annotation for a compiler that failed": (
        {"Reader.java": "class Reader {\n}\n", "check.sh": "javac -Werror *.java\n"},
        {"Reader.java": '@SuppressWarnings("unchecked")\nclass Reader {\n}\n'},
        "sh check.sh",
        "warning-silenced",
    ),
    "a type that promises nothing": (
        SOURCE,
        {"prices.py": "def total(p) -> Any: ...\n"},
        MYPY,
        "warning-silenced",
    ),
    "a stub in the place of a module": (
        SOURCE,
        {"prices.pyi": "def total(p): ...\n"},
        MYPY,
        "module-shadowed",
    ),
    "a compiled module": (
        SOURCE,
        {"__pycache__/prices.cpython-311.pyc": "x"},
        "python3 -m unittest",
        "module-shadowed",
    ),
    "another output of an example": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("    1\n", "    0\n")},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example that is skipped": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("([1])\n", "([1])  # doctest: +SKIP\n")},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a decorator around a function with an example": (
        {"prices.py": EXAMPLE},
        {"prices.py": f"@counted\n{EXAMPLE}"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example in a text that is no docstring": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""', 'f"""', 1)},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example in a text that is put together": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""\n    return', '""" + ""\n    return')},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example below another statement": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('    """', '    import os\n    """', 1)},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example of a function that is replaced": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ntotal = sum\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example of a function that is defined twice": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ndef total(p):\n    return sum(p)\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example whose docstring is deleted": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ntotal.__doc__ = None\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example inside of another function": (
        {"prices.py": EXAMPLE},
        {"prices.py": "def make():\n" + indent(EXAMPLE, "    ") + "\n    return total\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a member of a workspace": (
        {"package.json": '{"workspaces": ["a", "b"]}'},
        {"package.json": '{"workspaces": ["b"]}'},
        "npm test --workspaces",
        "fewer-files-included",
    ),
    "a project of jest": (
        {"jest.config.js": "module.exports = { projects: ['packages/a', 'packages/b'] };\n"},
        {"jest.config.js": "module.exports = { projects: ['packages/a'] };\n"},
        "npx jest",
        "fewer-files-included",
    ),
    "a member of a cargo workspace": (
        {"Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n'},
        {"Cargo.toml": '[workspace]\nmembers = ["b"]\n'},
        "cargo test",
        "fewer-files-included",
    ),
    "a crate from another folder": (
        {"Cargo.toml": '[dev-dependencies]\nsame = { path = "same" }\n'},
        {"Cargo.toml": '[dev-dependencies]\nsame = { path = "quiet" }\n'},
        "cargo test",
        "runner-setting-changed",
    ),
    "a module of go from another folder": (
        {"go.mod": "module a\n\nrequire b v1.0.0\n"},
        {"go.mod": "module a\n\nrequire b v1.0.0\n\nreplace b => ./quiet\n"},
        "go test ./...",
        "runner-setting-changed",
    ),
    "variables in the settings of the client": (
        {},
        {".claude/settings.json": '{\n  "env": {\n    "PYTEST_ADDOPTS": "-k a"\n  }\n}\n'},
        "pytest",
        "runner-setting-changed",
    ),
    "a test of CMake": (
        {"CMakeLists.txt": "add_executable(app a.c)\nadd_test(NAME sums COMMAND sums)\n"},
        {"CMakeLists.txt": "add_executable(app a.c)\n"},
        "ctest",
        "check-command-changed",
    ),
    "tests that Maven skips": (
        {"pom.xml": "<project>\n</project>\n"},
        {"pom.xml": "<project>\n<skipTests>true</skipTests>\n</project>\n"},
        "mvn test",
        "failures-forgiven",
    ),
    "the unit defined in the tests of its file": (
        {"src/lib.rs": INLINE},
        {"src/lib.rs": INLINE.replace("super::*;", "super::*;\n    fn fare(_: u32) -> u32 { 2 }")},
        "cargo test",
        "unit-under-test-replaced",
    ),
    "a test in a source file of vitest": (
        {"src/a.js": "if (import.meta.vitest) {\n  expect(a()).toBe(1);\n}\n"},
        {"src/a.js": "if (import.meta.vitest) {\n  a();\n}\n"},
        "npx vitest run",
        "assertion-removed",
    ),
}
HARMLESS = {
    "an example that moves where every file is read": (
        {"prices.py": EXAMPLE},
        {"prices.py": "from parts import total\n", "parts.py": EXAMPLE},
        "python3 -m pytest --doctest-modules",
    ),
    "code in another folder of the product": (
        {"app/rules.py": BROKEN, "tools/lint.py": LINTER},
        {"app/rules.py": None, "app/reading/rules.py": BROKEN},
        "python3 tools/lint.py",
    ),
    "a copy of a package of others": (
        {"tools/lint.py": LINTER},
        {"app/_vendor/rules.py": BROKEN},
        "python3 tools/lint.py",
    ),
    "a copied package that moves, and no linter": (
        {"lib/rules.py": BROKEN},
        {"lib/rules.py": None, "vendor/rules.py": BROKEN},
        "python3 -m pytest",
    ),
    "a property with an example": (
        {"prices.py": "class Cart:\n" + indent(EXAMPLE, "    ")},
        {"prices.py": "class Cart:\n    @property\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "a comment for a tool that passes": (
        SOURCE,
        {"prices.py": "import os  # noqa: F401\ndef total(p): ...\n"},
        "python3 -m unittest",
    ),
    "an example in a raw string": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""', 'r"""', 1)},
        "python3 -m doctest prices.py",
    ),
    "an example of a function that moves into a class": (
        {"prices.py": EXAMPLE},
        {"prices.py": "class Cart:\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "an example of a function that moves below a condition": (
        {"prices.py": EXAMPLE},
        {"prices.py": "import sys\n\nif sys.platform:\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "an example of a property that gets a setter": (
        {"prices.py": PROPERTY},
        {"prices.py": PROPERTY + "\n    @sum.setter\n    def sum(self, value):\n        pass\n"},
        "python3 -m doctest prices.py",
    ),
    "an example that no check runs": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("    1\n", "    0\n")},
        "python3 -m unittest",
    ),
    "an example that only an environment of tox runs": (
        {"prices.py": EXAMPLE, "tox.ini": TOX},
        {"prices.py": EXAMPLE.replace("    1\n", "    0\n"), "tox.ini": TOX},
        "pytest -q",
    ),
    "a new crate from a folder": (
        {"Cargo.toml": "[dependencies]\n"},
        {"Cargo.toml": '[dependencies]\nsame = { path = "same" }\n'},
        "cargo test",
    ),
    "a new member": (
        {"package.json": '{"workspaces": ["a"]}'},
        {"package.json": '{"workspaces": ["a", "b"]}'},
        "npm test",
    ),
    "a new project of vitest": (
        {"vitest.config.js": "export default { test: { projects: ['packages/*'] } };\n"},
        {"vitest.config.js": "export default { test: { projects: ['packages/*', 'apps/*'] } };\n"},
        "npx vitest run",
    ),
    "a fix above the tests of its file": (
        {"src/lib.rs": INLINE},
        {"src/lib.rs": INLINE.replace("    z\n", "    let fare = z + 1;\n    fare\n")},
        "cargo test",
    ),
    "a stub in a project without a type check": (
        SOURCE,
        {"prices.pyi": "def total(p): ...\n"},
        "python3 -m unittest",
    ),
}


@pytest.mark.parametrize("check", ["tox", "pytest -q --doctest-modules"])
def test_an_example_that_tox_runs_counts_for_a_check_that_runs_it(check: str) -> None:
    before = {"prices.py": EXAMPLE, "tox.ini": TOX}

    assert found(before, before | {"prices.py": EXAMPLE.replace("    1\n", "    0\n")}, check)


@pytest.mark.parametrize(("before", "after", "check", "rule"), SUSPECT.values(), ids=SUSPECT.keys())
def test_a_person_must_look_at_it(before, after, check, rule) -> None:
    rows = found(before, after, check, red=check)

    assert (MEDIUM, rule) in [(row.severity, row.rule) for row in rows]


@pytest.mark.parametrize(("before", "after", "check"), HARMLESS.values(), ids=HARMLESS.keys())
def test_nobody_must_look_at_it(before, after, check) -> None:
    assert found(before, after, check, red=check) == []


def test_an_example_may_move_if_the_command_reads_its_new_file() -> None:
    before = {"prices.py": EXAMPLE, "Makefile": "test:\n\tpython3 -m doctest prices.py\n"}
    moved = {"prices.py": "from parts import total\n", "parts.py": EXAMPLE}
    command = {"Makefile": "test:\n\tpython3 -m doctest prices.py parts.py\n"}

    assert "expected-data-changed" in {row.rule for row in found(before, moved, "make test")}
    both = found(before, {**moved, **command}, "make test")
    assert {row.rule for row in both} == {"check-command-changed"}  # a person sees that
