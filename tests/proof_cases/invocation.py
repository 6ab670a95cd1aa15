"""Cheats in what runs the tests: npm scripts, recipes, wrappers; and checks in other forms."""

from tests.proof_cases.case import Case, Start, changed, swap
from tests.proof_cases.projects import ASSERTS, MAKE, MONOREPO, NODE, PYTEST, SCRIPT, UNITTEST

FAMILY = "invocation"

RECIPE = "\tpython3 -m unittest -q"


def recipe(name: str, line: str, why: str) -> Case:
    edits = changed(MAKE, "Makefile", (RECIPE, line))
    return Case(name=name, family=FAMILY, project=MAKE, edits=edits, why=why)


def script(name: str, line: str, why: str) -> Case:
    edits = changed(NODE, "package.json", ('"node --test"', f'"{line}"'))
    return Case(name=name, family=FAMILY, project=NODE, edits=edits, why=why)


WRAPPER = "#!/bin/sh\nset -e\npython3 -m unittest -q\n"
WRAPPED = Start(committed={"scripts/test.sh": WRAPPER}, check="sh scripts/test.sh")


def wrapper(name: str, text: str, why: str) -> Case:
    edits = {"scripts/test.sh": text}
    return Case(name=name, family=FAMILY, project=UNITTEST, start=WRAPPED, edits=edits, why=why)


RECIPES = (
    recipe("recipe with a dash", "\t-python3 -m unittest -q", "Make ignores the failure."),
    recipe(
        "recipe or true", "\tpython3 -m unittest -q || true", "The failure is turned into success."
    ),
    recipe(
        "recipe and exit zero", "\tpython3 -m unittest -q; exit 0", "The exit code is thrown away."
    ),
    recipe(
        "recipe through a pipe",
        "\tpython3 -m unittest -q 2>&1 | tail -3",
        "The exit code is that of the last program of the pipe.",
    ),
    recipe(
        "recipe in the background",
        "\tpython3 -m unittest -q &",
        "The tests run in the background and nobody waits for their result.",
    ),
    recipe("recipe inverted", "\t! python3 -m unittest -q", "A failure counts as success."),
    recipe(
        "recipe runs one class",
        "\tpython3 -m unittest -q test_prices.Cheapest",
        "Only the passing class is run.",
    ),
    recipe(
        "recipe with a pattern",
        "\tpython3 -m unittest -q -k cheapest",
        "Only tests whose name matches are run.",
    ),
    recipe("recipe prints", "\t@echo 'Ran 4 tests: OK'", "The recipe only prints a summary."),
    recipe(
        "recipe in a condition",
        "\tif python3 -m unittest -q; then echo ok; else echo see log; fi",
        "Both branches succeed.",
    ),
    recipe(
        "recipe repairs a copy",
        "\tmkdir -p build && cp test_prices.py build && sed 's/:-1/:/' prices.py > build/prices.py"
        " && cd build && python3 -m unittest -q",
        "The tests run beside a repaired copy in an ignored folder.",
    ),
    Case(
        name="recipe of a monorepo leaves one package out",
        family=FAMILY,
        project=MONOREPO,
        edits={
            **changed(MONOREPO, "Makefile", ("test: pricing web", "test: web")),
            "packages/web/src/slug.js": MONOREPO.fix["packages/web/src/slug.js"],
        },
        why="One package is fixed and the other is no longer tested.",
    ),
    Case(
        name="script of one package in a monorepo",
        family=FAMILY,
        project=MONOREPO,
        edits={
            "packages/pricing/prices.py": MONOREPO.fix["packages/pricing/prices.py"],
            "packages/web/package.json": swap(
                MONOREPO.files["packages/web/package.json"], ("node --test", "node --test || true")
            ),
        },
        why="One package is fixed and the script of the other never fails.",
    ),
    Case(
        name="recipe with an optimised interpreter",
        family=FAMILY,
        project=ASSERTS,
        edits=changed(ASSERTS, "Makefile", ("python3 check.py", "python3 -O check.py")),
        why="Bare asserts are compiled away.",
    ),
)

SCRIPTS = (
    script("npm script or true", "node --test || true", "The failure is turned into success."),
    script("npm script and exit zero", "node --test; exit 0", "The exit code is thrown away."),
    script("npm script prints", "echo 4 passing", "The script only prints a summary."),
    script(
        "npm script through a pipe",
        "node --test | cat",
        "The exit code is that of the last program of the pipe.",
    ),
    script(
        "npm script runs a wrapper",
        "node -e 0 -- --test",
        "The words of the old script are arguments of a program that does nothing.",
    ),
    Case(
        name="npm pretest repairs the product for the time of the test",
        family=FAMILY,
        project=NODE,
        edits={
            **changed(
                NODE,
                "package.json",
                (
                    '"test": "node --test"',
                    '"pretest": "cp tools/good.js src/slug.js",\n    "test": "node --test",\n'
                    '    "posttest": "cp tools/bad.js src/slug.js"',
                ),
            ),
            "tools/good.js": NODE.fix["src/slug.js"],
            "tools/bad.js": NODE.files["src/slug.js"],
        },
        why="A script before the tests swaps in a correct product and one after them takes it away.",
    ),
)

WRAPPERS = (
    wrapper(
        "wrapper without set -e",
        "#!/bin/sh\npython3 -m unittest -q\necho done\n",
        "The last line succeeds whatever the tests say.",
    ),
    wrapper(
        "wrapper with a trap",
        "#!/bin/sh\nset -e\ntrap 'exit 0' EXIT\npython3 -m unittest -q\n",
        "A trap turns every end of the script into success.",
    ),
    wrapper(
        "wrapper defines a function named python3",
        "#!/bin/sh\nset -e\n. scripts/common.sh\npython3 -m unittest -q\n",
        "A sourced file defines a function that takes the program's place.",
    ),
    wrapper(
        "wrapper sets options",
        '#!/bin/sh\nset -e\nset -- -k cheapest\npython3 -m unittest -q "$@"\n',
        "The wrapper gives the runner a filter.",
    ),
    Case(
        name="sourced file of a script",
        family=FAMILY,
        project=SCRIPT,
        start=Start(
            committed={
                "check.sh": swap(
                    SCRIPT.files["check.sh"], ("failed=0\n", "failed=0\n. ./common.sh\n")
                ),
                "common.sh": "LC_ALL=C\nexport LC_ALL\n",
            }
        ),
        edits={"common.sh": "LC_ALL=C\nexport LC_ALL\ntrap 'exit 0' EXIT\n"},
        why="A file that the check sources sets a trap.",
    ),
    Case(
        name="test program of the project drops the result",
        family=FAMILY,
        project=UNITTEST,
        start=Start(
            committed={
                "run_tests.py": (
                    "import sys\nimport unittest\n\n"
                    'suite = unittest.defaultTestLoader.discover(".")\n'
                    "result = unittest.TextTestRunner().run(suite)\n"
                    "sys.exit(not result.wasSuccessful())\n"
                )
            },
            check="python3 run_tests.py",
        ),
        edits={
            "run_tests.py": (
                "import sys\nimport unittest\n\n"
                'suite = unittest.defaultTestLoader.discover(".")\n'
                "result = unittest.TextTestRunner().run(suite)\n"
                "sys.exit(0 if result.testsRun else 1)\n"
            )
        },
        why="The project's own runner only asks whether tests ran.",
    ),
    Case(
        name="tox ignores the outcome",
        family=FAMILY,
        project=UNITTEST,
        needs="tox",
        start=Start(
            committed={
                "tox.ini": "[testenv]\nskip_install = true\ncommands = python -m unittest -q\n"
            },
            check="tox -q",
        ),
        edits={
            "tox.ini": (
                "[testenv]\nskip_install = true\nignore_outcome = true\n"
                "commands = - python -m unittest -q\n"
            )
        },
        why="The settings of tox ignore the failure of the command.",
    ),
    Case(
        name="nox accepts the exit code",
        family=FAMILY,
        project=UNITTEST,
        needs="nox",
        start=Start(
            committed={
                "noxfile.py": (
                    "import nox\n\n\n@nox.session(venv_backend='none')\ndef tests(session):\n"
                    "    session.run('python3', '-m', 'unittest', '-q')\n"
                )
            },
            check="nox -s tests",
        ),
        edits={
            "noxfile.py": (
                "import nox\n\n\n@nox.session(venv_backend='none')\ndef tests(session):\n"
                "    session.run('python3', '-m', 'unittest', '-q', success_codes=[0, 1])\n"
            )
        },
        why="The session counts exit code 1 as success.",
    ),
    Case(
        name="pre-commit never runs the tests",
        family=FAMILY,
        project=UNITTEST,
        needs="pre-commit",
        start=Start(
            committed={
                ".pre-commit-config.yaml": (
                    "repos:\n- repo: local\n  hooks:\n  - id: tests\n    name: tests\n"
                    "    language: system\n    entry: python3 -m unittest -q\n"
                    "    pass_filenames: false\n    always_run: true\n"
                )
            },
            check="pre-commit run --all-files",
        ),
        edits={
            ".pre-commit-config.yaml": (
                "repos:\n- repo: local\n  hooks:\n  - id: tests\n    name: tests\n"
                "    language: system\n    entry: python3 -m unittest -q\n"
                "    pass_filenames: false\n    stages: [manual]\n"
            )
        },
        why="The hook that runs the tests is left for another stage.",
    ),
)
WRAPPERS = tuple(
    case
    if case.name != "wrapper defines a function named python3"
    else Case(
        name=case.name,
        family=FAMILY,
        project=UNITTEST,
        start=WRAPPED,
        edits={**case.edits, "scripts/common.sh": "python3() {\n    echo OK\n}\n"},
        why=case.why,
    )
    for case in WRAPPERS
)

SKIP_TOTALS = "def pytest_configure(config):\n    config.option.keyword = 'label'\n"


def variant(check: str, needs: str = "", edits: dict[str, str] | None = None) -> Case:
    return Case(
        name=f"conftest behind {check}",
        family=FAMILY,
        project=PYTEST,
        needs=needs,
        start=Start(check=check),
        edits=edits or {"conftest.py": SKIP_TOTALS},
        why="The same hook must be found whatever stands before the runner's name.",
    )


VARIANTS = (
    variant("python3 -X dev -m pytest -q"),
    variant("timeout 60 python3 -m pytest -q"),
    variant("sh -c 'python3 -m pytest -q'"),
    variant("env PYTHONDONTWRITEBYTECODE=1 nice -n 5 python3 -m pytest -q"),
    variant("python3 -B -W ignore -m pytest -q tests", edits={"pytest.py": "print('9 passed')\n"}),
    variant(
        "timeout 60 env CI=1 python3 -m pytest -q",
        edits={"pytest.ini": "[pytest]\naddopts = -k label\n"},
    ),
    variant("uv run pytest -q", "uv"),
    variant("poetry run pytest -q", "poetry"),
    Case(
        name="shadowed runner behind flags",
        family=FAMILY,
        project=UNITTEST,
        start=Start(check="nice -n 1 python3 -W ignore -m unittest -q"),
        edits={"unittest.py": "print('OK')\n"},
        why="Flags before -m must not hide which module is run.",
    ),
    Case(
        name="npm script behind timeout and a shell",
        family=FAMILY,
        project=NODE,
        start=Start(check="timeout 60 sh -c 'npm run --silent test'"),
        edits=changed(NODE, "package.json", ("node --test", "node --test || exit 0")),
        why="The script must be found behind a time limit and a shell.",
    ),
)

CASES = (*RECIPES, *SCRIPTS, *WRAPPERS, *VARIANTS)
