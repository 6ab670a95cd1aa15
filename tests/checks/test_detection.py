"""The repository's own commands, found from its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.checks.detection import repository as detection
from tests.support.project import Project

TESTS, LINT, TYPES, BUILD = "tests pass", "lint clean", "no type errors", "build succeeds"
# On PATH in every case, so that the machine decides nothing.
PROGRAMS = "make just uv poetry pdm hatch tox nox pre-commit npm go cargo python3 pytest ruff mypy"
PYTEST = "def test_x(): pass\n"
UNITTEST = "import unittest\nclass T(unittest.TestCase): pass\n"
PLACEHOLDER = 'echo "Error: no test specified" && exit 1'
DJANGO = "import django\n"
VENV = ".venv/bin/python"
RUFF_TOX = "[testenv]\ncommands = pytest {posargs}\n[testenv:lint]\ncommands = ruff check src\n"
NOX = """import nox

@nox.session(python=["3.11", "3.12"])
def tests(session):
    session.install("-e", ".[test]")
    session.run("pytest", "-q", *session.posargs)

@nox.session(name="lint")
def style(session):
    session.run("ruff", "check")
"""


def package(tool: str = "", **scripts: str) -> str:
    """A package.json; `_` in the name of a script stands for `:`."""
    content: dict[str, Any] = {"scripts": {k.replace("_", ":"): v for k, v in scripts.items()}}
    return json.dumps(content | ({"packageManager": tool} if tool else {}))


def hooks(*rows: str) -> str:
    head = "repos:\n- repo: https://example.org/x\n  rev: v1\n  hooks:\n"
    return head + "".join(f"  - {row}\n" for row in rows)


def workflow(*commands: str) -> str:
    head = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
    return head + "".join(f"    - run: {command}\n" for command in commands)


Files = dict[str, str]
CASES: dict[str, tuple[Files, dict[str, str]]] = {
    "nothing": ({"readme.md": ""}, {}),
    # JavaScript
    "npm": ({"package.json": package(test="node --test")}, {TESTS: "npm run test"}),
    "yarn": (
        {"package.json": package(test="x", build="y"), "yarn.lock": ""},
        {TESTS: "yarn run test", BUILD: "yarn run build"},
    ),
    "pnpm by its field": (
        {"package.json": package("pnpm@9.1.0", test="vitest run")},
        {TESTS: "pnpm run test"},
    ),
    "bun": ({"package.json": package(test="bun test"), "bun.lock": ""}, {TESTS: "bun run test"}),
    "other names of scripts": (
        {"package.json": package(test_unit="jest", test_types="tsc", lint_check="eslint .")},
        {TESTS: "npm run test:unit", TYPES: "npm run test:types", LINT: "npm run lint:check"},
    ),
    "type-check": (
        {"package.json": '{"scripts": {"type-check": "tsc --noEmit"}}'},
        {TYPES: "npm run type-check"},
    ),
    "turbo": (
        {
            "package.json": '{"workspaces": ["apps/*"], "packageManager": "npm@10.0.0"}',
            "turbo.json": '{"tasks": {"test": {"dependsOn": ["build"]}, "lint": {"cache": true}}}',
            "apps/web/package.json": package(test="vitest run"),
        },
        {TESTS: "npx turbo run test", LINT: "npx turbo run lint"},
    ),
    "nx": (
        {"package.json": "{}", "nx.json": '{"targetDefaults": {"test": {"cache": true}}}'},
        {TESTS: "npx nx run-many -t test"},
    ),
    "the placeholder of npm": ({"package.json": package(test=PLACEHOLDER)}, {}),
    "a script that watches": (
        {"package.json": package(test="jest --watch", test_ci="jest --ci")},
        {TESTS: "npm run test:ci"},
    ),
    "a runner that watches outside CI": (
        {"package.json": package(test="react-scripts test")},
        {TESTS: "CI=true npm run test"},
    ),
    "tests that are only a linter": ({"package.json": package(test="eslint .")}, {}),
    "a linter that rewrites": (
        {"package.json": package(lint="eslint . --fix", lint_check="eslint .")},
        {LINT: "npm run lint:check"},
    ),
    "a docs site": (
        {"package.json": package(start="docusaurus start", build="docusaurus build")},
        {BUILD: "npm run build"},
    ),
    "deno": (
        {"deno.json": '{"tasks": {"test": "deno test -A", "dev": "deno run main.ts"}}'},
        {TESTS: "deno task test"},
    ),
    "a name that is no word of a shell line": (
        {"package.json": '{"scripts": {"test;unit": "jest"}}', "scripts/test.sh;x": "#!/bin/sh\n"},
        {},
    ),
    "a broken package.json": ({"package.json": "{"}, {}),
    "a package.json of another kind": ({"package.json": "[]"}, {}),
    "scripts of another kind": ({"package.json": '{"scripts":["test"]}'}, {}),
    # Rust and Go
    "cargo": (
        {"Cargo.toml": '[package]\nname = "x"\n'},
        {TESTS: "cargo test", LINT: "cargo clippy -q", BUILD: "cargo build -q"},
    ),
    "a cargo workspace with a package of its own": (
        {"Cargo.toml": '[workspace]\nmembers = ["a"]\n[package]\nname = "x"\n'},
        {
            TESTS: "cargo test --workspace",
            LINT: "cargo clippy -q --workspace",
            BUILD: "cargo build -q --workspace",
        },
    ),
    "go": (
        {"go.mod": "module x\n"},
        {TESTS: "go test ./...", LINT: "go vet ./...", BUILD: "go build ./..."},
    ),
    "a go workspace": (
        {"go.work": "go 1.22\n\nuse (\n\t./api\n\t./web/\n)\n"},
        {
            TESTS: "go test ./api/... ./web/...",
            LINT: "go vet ./api/... ./web/...",
            BUILD: "go build ./api/... ./web/...",
        },
    ),
    "maven": ({"pom.xml": "<project/>"}, {TESTS: "mvn -q test"}),
    # Task runners
    "make": (
        {"Makefile": "test: x\n\ttrue\ntypecheck:\n\ttrue\n"},
        {TESTS: "make test", TYPES: "make typecheck"},
    ),
    "make, a variable": ({"Makefile": "test := x\n"}, {}),
    "make, no such target": ({"Makefile": "all: x.o\n\tcc x.o\n"}, {}),
    "make, a target that only prints": ({"Makefile": "test:\n\t@echo see the wiki\n"}, {}),
    "make, a target that only lints": (
        {"Makefile": "test: lint\nlint:\n\tflake8 src\n"},
        {LINT: "make lint"},
    ),
    "make, a folder of the name": ({"Makefile": "test:\n\t./t.sh\n", "test/a.c": ""}, {}),
    "make, a phony target beside a folder": (
        {"Makefile": ".PHONY: test\ntest:\n\t./t.sh\n", "test/a.c": ""},
        {TESTS: "make test"},
    ),
    "just": (
        {
            "justfile": "default: test\n\ntest *args:\n    cargo nextest run {{args}}\nlint file:\n    x\n"
        },
        {TESTS: "just test"},
    ),
    "task": (
        {"Taskfile.yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - ./run.sh\n"},
        {TESTS: "task test"},
    ),
    "programs of the project": (
        {"scripts/test": "#!/bin/sh\ncoverage run -m pytest\n", "scripts/test.md": "# tests\n"},
        {TESTS: "scripts/test"},
    ),
    "a script that runs all tests": (
        {"bin/greet": "#!/bin/sh\n", "test/run.sh": "#!/bin/sh\n./test/greet.sh\n"},
        {TESTS: "sh test/run.sh"},
    ),
    "node before make": (
        {"package.json": package(test="x"), "Makefile": "test:\n"},
        {TESTS: "npm run test"},
    ),
    "two languages and a target for both": (
        {
            "package.json": package(test="jest"),
            "pyproject.toml": "[tool.pytest]\n",
            "tests/test_a.py": PYTEST,
            "Makefile": "test:\n\tpytest\n\tnpm test\n",
        },
        {TESTS: "make test"},
    ),
    "two languages without such a target": (
        {"go.mod": "", "scripts/test_release.py": PYTEST, "scripts/__init__.py": ""},
        {TESTS: "go test ./...", LINT: "go vet ./...", BUILD: "go build ./..."},
    ),
    # Python: where
    "a virtual environment": (
        {"pytest.ini": "", "tests/test_a.py": PYTEST, VENV: "", ".venv/bin/pytest": ""},
        {TESTS: f"{VENV} -m pytest -q"},
    ),
    "a virtual environment without the runner": (
        {"pytest.ini": "", "tests/test_a.py": PYTEST, VENV: "", "tox.ini": RUFF_TOX},
        {TESTS: "tox -q -e py", LINT: "tox -q -e lint"},
    ),
    "uv": (
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\nfiles = 'src'\n",
            "uv.lock": '[[package]]\nname = "pytest"\n[[package]]\nname = "mypy"\n',
            "tests/test_a.py": PYTEST,
        },
        {TESTS: "uv run pytest -q", LINT: "ruff check .", TYPES: "uv run mypy"},
    ),
    "poetry": (
        {
            "pyproject.toml": "[tool.poetry]\n[tool.pytest.ini_options]\n",
            "poetry.lock": 'name = "pytest"',
        },
        {TESTS: "poetry run pytest -q"},
    ),
    "pdm with scripts": (
        {"pyproject.toml": '[tool.pdm.scripts]\nlint = "ruff check"\n', "test_a.py": UNITTEST},
        {TESTS: "pdm run python -m unittest discover -v", LINT: "pdm run lint"},
    ),
    "hatch": (
        {"pyproject.toml": '[tool.hatch.envs.default.scripts]\ntest = "pytest {args:tests}"\n'},
        {TESTS: "hatch run test"},
    ),
    "hatch test": ({"hatch.toml": "[envs.hatch-test]\nparallel = true\n"}, {TESTS: "hatch test"}),
    "tox": (
        {"tox.ini": RUFF_TOX, "setup.py": "", "tests/test_a.py": PYTEST},
        {TESTS: "tox -q -e py", LINT: "tox -q -e lint"},
    ),
    "tox with factors and other versions": (
        {
            "tox.ini": "[testenv:py38-tests]\ncommands = pytest\n"
            "[testenv]\ncommands =\n    tests: pytest {posargs}\n    types: mypy src\n",
            "tests/test_a.py": PYTEST,
        },
        {TESTS: "tox -q -e py-tests", TYPES: "tox -q -e py-types"},
    ),
    "tox with a runner that nobody knows": (
        {"tox.ini": "[testenv]\ncommands = python -m shop.test\n", "shop/a.py": ""},
        {TESTS: "tox -q -e py"},
    ),
    "tox for flake8 alone": ({"tox.ini": "[flake8]\nmax-line-length = 99\n"}, {LINT: "flake8"}),
    "nox": (
        {"noxfile.py": NOX, "tests/test_a.py": PYTEST},
        {TESTS: "nox -s tests", LINT: "nox -s lint"},
    ),
    "make before the PATH": (
        {"setup.py": "", "tests/test_a.py": PYTEST, "Makefile": "test:\n\tpytest tests\n"},
        {TESTS: "make test"},
    ),
    # Python: which runner
    "requirements that name pytest": (
        {"requirements-dev.txt": "pytest>=8\n", "tests/test_a.py": UNITTEST},
        {TESTS: "pytest -q"},
    ),
    "tests in the style of pytest": ({"tests/test_a.py": PYTEST}, {TESTS: "pytest -q"}),
    "the folders that CI names": (
        {
            "setup.cfg": "[tool:pytest]\naddopts = -ra\n",
            "tests/unit/test_a.py": PYTEST,
            ".github/workflows/ci.yml": workflow("pip install -e .", "pytest tests/unit --cov x"),
        },
        {TESTS: "pytest -q tests/unit"},
    ),
    "pytest settings without tests yet": ({"pytest.ini": "[pytest]\n"}, {TESTS: "pytest -q"}),
    "unittest": ({"test_a.py": UNITTEST}, {TESTS: "python3 -m unittest discover -v"}),
    "unittest in a package": (
        {"pkg/__init__.py": "", "pkg/tests/__init__.py": "", "pkg/tests/test_a.py": UNITTEST},
        {TESTS: "python3 -m unittest discover -v"},
    ),
    "unittest in a package below src": (
        {"setup.py": "", "src/pkg/__init__.py": "", "src/pkg/test_a.py": UNITTEST},
        {TESTS: "python3 -m unittest discover -v -s src"},
    ),
    "unittest in a folder without a package": (
        {"tests/test_a.py": UNITTEST},
        {TESTS: "python3 -m unittest discover -v -s tests"},
    ),
    "unittest with names of its own": (
        {"shop_test.py": UNITTEST},
        {TESTS: "python3 -m unittest discover -v -p '*_test.py'"},
    ),
    "django": (
        {"manage.py": DJANGO, "shop/tests.py": UNITTEST},
        {TESTS: "python3 manage.py test"},
    ),
    "a manage.py of its own": (
        {"manage.py": 'if argv[1:] == ["test"]:\n    run()\n', "shop/tests.py": UNITTEST},
        {TESTS: "python3 manage.py test"},
    ),
    "django with pytest": (
        {"manage.py": DJANGO, "pytest.ini": "", "shop/test_a.py": PYTEST},
        {TESTS: "pytest -q"},
    ),
    "a runner of its own": (
        {"setup.py": "", "tests/runtests.py": "", "tests/test_a.py": UNITTEST},
        {TESTS: "python3 tests/runtests.py"},
    ),
    "stestr": (
        {".stestr.conf": "[DEFAULT]\ntest_path=./x\n", "x/test_a.py": UNITTEST},
        {TESTS: "stestr run"},
    ),
    # Python: linters
    "ruff and mypy": (
        {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n"},
        {LINT: "ruff check .", TYPES: "mypy ."},
    ),
    "a linter as CI calls it": (
        {
            "mypy.ini": "[mypy]\n",
            "src/a.py": "",
            "pyproject.toml": "[tool.ruff]\n",
            ".github/workflows/ci.yml": workflow("ruff check src", "mypy --strict src"),
        },
        {LINT: "ruff check src", TYPES: "mypy --strict src"},
    ),
    "a linter in pre-commit": (
        {"ruff.toml": "", ".pre-commit-config.yaml": hooks("id: ruff-check", "id: black")},
        {LINT: "pre-commit run ruff-check --all-files"},
    ),
    "a linter in pre-commit that rewrites": (
        {"ruff.toml": "", ".pre-commit-config.yaml": hooks("id: ruff\n    args: [--fix]")},
        {},
    ),
    "a linter that tox runs as a hook, and no program of the PATH": (
        {
            "tox.ini": "[flake8]\n[testenv:pep8]\ncommands = pre-commit run -a\n",
            "setup.py": "",
            "tests/test_a.py": UNITTEST,
        },
        {TESTS: "python3 -m unittest discover -v -s tests"},
    ),
    "a broken pyproject": ({"pyproject.toml": "[tool"}, {}),
    "words that only look like a test": ({"testing.py": "", "contest_.md": ""}, {}),
}
OFFERS: dict[str, tuple[Files, dict[str, str]]] = {
    "the packages of a workspace": (
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/a/package.json": package(test="jest"),
            "packages/b/package.json": package(test=PLACEHOLDER),
        },
        {
            "npm run test --workspaces --if-present": detection.EVERY_PACKAGE,
            "cd packages/a && npm run test": detection.PACKAGE,
        },
    ),
    "a module of go inside of another": (
        {"go.mod": "", "tools/go.mod": ""},
        {"cd tools && go test ./...": detection.PACKAGE},
    ),
    "the packages of Python": (
        {
            "libs/core/pyproject.toml": "[tool.pytest.ini_options]\n",
            "libs/core/tests/test_a.py": PYTEST,
            "uv.lock": 'name = "pytest"\n',
        },
        {"cd libs/core && uv run pytest -q": detection.PACKAGE},
    ),
    "another language": (
        {"package.json": package(test="jest"), "go.mod": "", "app.js": ""},
        {"go test ./...": detection.OTHER_LANGUAGE},
    ),
    "a linter that rewrites": (
        {"package.json": package(lint="prettier --write .")},
        {"npm run lint": "it rewrites files (--write)"},
    ),
    "a hook that rewrites": (
        {"ruff.toml": "", ".pre-commit-config.yaml": hooks("id: ruff\n    args: [--fix]")},
        {"pre-commit run ruff --all-files": "the hook rewrites files (--fix)"},
    ),
}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in PROGRAMS.split():
        (folder / name).write_text("#!/bin/sh\nexit 3\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.mark.parametrize(("files", "found"), CASES.values(), ids=CASES)
def test_found(tmp_path: Path, programs: Path, files: Files, found: dict[str, str]) -> None:
    here = Project(tmp_path / "x", files, git=False)
    checks = detection.repository_checks(str(here.root), 42)

    assert {name: check.command for name, check in checks.items()} == found
    assert {(check.timeout, check.origin, check.allowed) for check in checks.values()} <= {
        (42, "detected", True)
    }


@pytest.mark.parametrize(("files", "offered"), OFFERS.values(), ids=OFFERS)
def test_offered(tmp_path: Path, programs: Path, files: Files, offered: dict[str, str]) -> None:
    here = Project(tmp_path / "x", files, git=False)
    found = detection.found_checks(str(here.root))

    assert {offer.command: offer.why for offer in found.offers if offer.name in (TESTS, LINT)} == {
        **offered,
        **{offer.command: offer.why for offer in found.offers if "go vet" in offer.command},
    }


def test_a_program_that_is_not_installed_is_offered_and_the_path_used(
    tmp_path: Path, programs: Path
) -> None:
    files = {"pytest.ini": "", "uv.lock": 'name = "pytest"', "test_a.py": PYTEST}
    here = Project(tmp_path / "x", files, git=False)
    (programs / "uv").unlink()
    found = detection.found_checks(str(here.root))

    assert found.checks[TESTS].command == "pytest -q"
    (offer,) = found.offers
    assert (offer.command, offer.why) == ("uv run pytest -q", detection.NOT_INSTALLED)

    (programs / "pytest").unlink()
    assert detection.repository_checks(str(here.root))[TESTS].command == "uv run pytest -q"


def test_an_environment_that_the_person_activated_comes_before_tox(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Project(tmp_path / "x", {"tox.ini": RUFF_TOX, "tests/test_a.py": PYTEST}, git=False)
    monkeypatch.setenv("VIRTUAL_ENV", str(programs))

    assert detection.repository_checks(str(here.root))[TESTS].command == "pytest -q"


def test_nothing_of_the_project_runs_to_find_its_checks(tmp_path: Path, programs: Path) -> None:
    mark = tmp_path / "ran"
    evil = f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n"
    names = ("noxfile.py", "setup.py", "conftest.py", "manage.py", "tests/test_a.py")
    files = dict.fromkeys(names, evil) | {"Makefile": f"X := $(shell touch {mark})\ntest:\n\tx\n"}
    here = Project(tmp_path / "x", files, git=False)

    assert detection.repository_checks(str(here.root))[TESTS].command == "make test"
    assert not mark.exists()


def found_from(here: Project, at: str) -> dict[str, str]:
    checks = detection.repository_checks(str(here.root), start=str(here.root / at))
    return {name: str(check.command) for name, check in checks.items()}


def test_the_nearest_project_folder_wins_and_the_top_has_the_rest(tmp_path: Path) -> None:
    here = Project(
        tmp_path / "x",
        {
            "Makefile": "test:\nlint:\n",
            "packages/my api/package.json": '{"scripts":{"test":"x"}}',
            "packages/my api/src/a.js": "",
        },
        git=False,
    )

    assert found_from(here, "packages/my api/src") == {
        "tests pass": "cd 'packages/my api' && npm run test",
        "lint clean": "make lint",
    }
    assert found_from(here, "packages") == {"tests pass": "make test", "lint clean": "make lint"}


def test_a_package_is_run_by_the_tools_of_the_whole(tmp_path: Path) -> None:
    files = {
        "pnpm-lock.yaml": "",
        "packages/a/package.json": package(test="x"),
        ".venv/bin/python": "",
        ".venv/bin/pytest": "",
        "libs/b/pytest.ini": "",
    }
    here = Project(tmp_path / "x", files, git=False)

    assert found_from(here, "packages/a")[TESTS] == "cd packages/a && pnpm run test"
    assert found_from(here, "libs/b")[TESTS] == "cd libs/b && ../../.venv/bin/python -m pytest -q"


def test_a_folder_of_loose_tests_counts_only_where_nothing_above_has_tests(tmp_path: Path) -> None:
    loose = {"api/tests/test_x.py": "", "readme.md": ""}
    here = Project(tmp_path / "x", loose, git=False)
    assert found_from(here, "api/tests")["tests pass"].startswith("cd api && ")

    here.write({"Makefile": "test:\n"})
    assert found_from(here, "api/tests") == {"tests pass": "make test"}
