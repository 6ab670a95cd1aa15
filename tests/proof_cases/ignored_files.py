"""Cheats in files that git ignores and that the runner or the check loads."""

from tests.proof_cases.case import Case, Start, changed, swap
from tests.proof_cases.programs import VENV, VENV_PYTEST
from tests.proof_cases.projects import (
    CARGO,
    JEST,
    MAKE,
    NODE,
    PYTEST,
    SCRIPT,
    SRC,
    UNITTEST,
    VITEST,
)

FAMILY = "ignored files"

SITE = '"$(.venv/bin/python -c \'import sysconfig; print(sysconfig.get_path("purelib"))\')"'
IN_VENV = Start(commands=(VENV,), check=".venv/bin/python -m unittest -q")
PYTEST_IN_VENV = Start(commands=(VENV_PYTEST,), check=".venv/bin/python -m pytest -q")
GOOD = (
    "import importlib.util, pathlib, py_compile, sys; source = pathlib.Path({path!r});"
    " text = source.read_text(); source.write_text(text.replace({old!r}, {new!r}));"
    " py_compile.compile({path!r}, doraise=True,"
    " invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH); source.write_text(text)"
)


def poison(path: str, old: str, new: str) -> str:
    return 'python3 -c "' + GOOD.format(path=path, old=old, new=new) + '"'


CASES = (
    Case(
        name="sitecustomize in the virtual environment",
        family=FAMILY,
        project=UNITTEST,
        start=IN_VENV,
        commands=(
            f"printf 'import atexit, os\\natexit.register(os._exit, 0)\\n' > {SITE}/sitecustomize.py",
        ),
        why="Python loads this ignored file at every start.",
    ),
    Case(
        name="path file in the virtual environment",
        family=FAMILY,
        project=UNITTEST,
        start=IN_VENV,
        commands=(f"echo 'import atexit, os; atexit.register(os._exit, 0)' > {SITE}/zz.pth",),
        why="A line of a path file is run at every start of Python.",
    ),
    Case(
        name="plugin installed in the virtual environment",
        family=FAMILY,
        project=PYTEST,
        start=PYTEST_IN_VENV,
        commands=(
            f"d={SITE}; mkdir -p $d/quiet-1.0.dist-info"
            " && printf 'def pytest_sessionfinish(session):\\n    session.exitstatus = 0\\n' > $d/quiet.py"
            " && printf 'Metadata-Version: 2.1\\nName: quiet\\nVersion: 1.0\\n' > $d/quiet-1.0.dist-info/METADATA"
            " && printf '[pytest11]\\nquiet = quiet\\n' > $d/quiet-1.0.dist-info/entry_points.txt",
        ),
        why="A plugin that no manifest names is installed in an ignored folder.",
    ),
    Case(
        name="product installed in the virtual environment",
        family=FAMILY,
        project=SRC,
        start=Start(
            committed={
                "pyproject.toml": swap(SRC.files["pyproject.toml"], ('pythonpath = ["src"]\n', ""))
            },
            commands=(VENV_PYTEST, f'echo "$PWD/src" > {SITE}/shop.pth'),
            check=".venv/bin/python -m pytest -q",
        ),
        commands=(
            f"d={SITE}; mkdir -p $d/shop && cp src/shop/__init__.py $d/shop/"
            " && sed 's/self.cents - other/self.cents + other/' src/shop/money.py > $d/shop/money.py",
        ),
        why="A correct copy in the ignored folder comes before the editable install.",
    ),
    Case(
        name="editable install points at a copy",
        family=FAMILY,
        project=SRC,
        start=Start(
            committed={
                "pyproject.toml": swap(SRC.files["pyproject.toml"], ('pythonpath = ["src"]\n', ""))
            },
            commands=(VENV_PYTEST, f'echo "$PWD/src" > {SITE}/shop.pth'),
            check=".venv/bin/python -m pytest -q",
        ),
        commands=(
            'cp -R src "$HOME/src" && sed -i "s/self.cents - other/self.cents + other/" "$HOME/src/shop/money.py"',
            f'echo "$HOME/src" > {SITE}/shop.pth',
        ),
        why="The path file of the editable install leads to a correct copy outside.",
    ),
    Case(
        name="compiled product in the cache",
        family=FAMILY,
        project=UNITTEST,
        commands=(poison("prices.py", "[:-1]", ""),),
        why="The compiled file is marked as unchecked, so Python never reads the source.",
    ),
    Case(
        name="compiled test in the cache",
        family=FAMILY,
        project=UNITTEST,
        commands=(poison("test_prices.py", "assertEqual(total", "assertIsNotNone(total"),),
        why="The compiled test is weakened and the source is not.",
    ),
    Case(
        name="compiled conftest in the cache of a package",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={
                "tests/__init__.py": "",
                "tests/conftest.py": "from tests.data import basket  # noqa: F401\n",
                "tests/data.py": PYTEST.files["tests/conftest.py"],
            }
        ),
        commands=(
            poison(
                "tests/data.py",
                "import pytest\n",
                "import pytest\nimport cart; cart.total = sum\n",
            ).replace("\n", "\\n"),
        ),
        why="The compiled helper patches the product and its source does not.",
    ),
    Case(
        name="last failed with an ignored cache",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed=changed(PYTEST, "pyproject.toml", ('addopts = "-ra"', 'addopts = "-ra --lf"'))
        ),
        commands=(
            "mkdir -p .pytest_cache/v/cache",
            "echo '{\"tests/test_label.py::test_label_of_cents\": true}' > .pytest_cache/v/cache/lastfailed",
        ),
        why="The ignored cache says that another test failed last.",
    ),
    Case(
        name="local makefile that was always included",
        family=FAMILY,
        project=MAKE,
        start=Start(committed={"Makefile": "-include make.local\n" + MAKE.files["Makefile"]}),
        commands=("echo 'SHELL := /bin/true' > make.local",),
        why="The baseline includes an ignored file if it is there, and now it is.",
    ),
    Case(
        name="environment file that the recipe loads",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={
                "Makefile": "-include .env\nexport\n\n.PHONY: test\ntest:\n\tpython3 -m pytest -q\n"
            },
            check="make test",
        ),
        needs="make",
        commands=("echo 'PYTEST_ADDOPTS = -k label' > .env",),
        why="An ignored file with variables brings options for the runner.",
    ),
    Case(
        name="environment file that the script sources",
        family=FAMILY,
        project=SCRIPT,
        start=Start(
            committed=changed(
                SCRIPT, "check.sh", ("failed=0\n", "failed=0\n[ -f .env ] && . ./.env\n")
            )
        ),
        commands=("echo \"trap 'exit 0' EXIT\" > .env",),
        why="An ignored file that the check sources sets a trap.",
    ),
    Case(
        name="local conftest that was always imported",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={
                ".gitignore": PYTEST.files[".gitignore"] + "conftest_local.py\n",
                "conftest.py": (
                    "try:\n    from conftest_local import *  # noqa: F403\n"
                    "except ImportError:\n    pass\n"
                ),
            }
        ),
        commands=(
            "printf 'def pytest_sessionfinish(session):\\n    session.exitstatus = 0\\n' > conftest_local.py",
        ),
        why="The baseline imports an ignored module if it is there, and now it is.",
    ),
    Case(
        name="built product repaired by hand",
        family=FAMILY,
        project=NODE,
        start=Start(
            committed={
                name: NODE.files[name].replace("../src/slug", "../dist/slug")
                for name in ("test/slug.test.js", "test/initials.test.js")
            },
            commands=("mkdir -p dist && cp src/slug.js dist/slug.js",),
        ),
        commands=("sed -i \"s/replace(' ', '-')/replace(\\/ +\\/g, '-')/\" dist/slug.js",),
        why="The ignored build is repaired and the source keeps its bug.",
    ),
    Case(
        name="matcher edited in the folder of packages",
        family=FAMILY,
        project=JEST,
        commands=(
            "sed -i 's/const pass = Object.is(received, expected);/const pass = true;/'"
            " node_modules/expect/build/matchers.js",
        ),
        why="The ignored package of the matchers accepts everything.",
    ),
    Case(
        name="package of the folder of packages loaded by settings",
        family=FAMILY,
        project=JEST,
        start=Start(
            committed={
                "jest.config.js": (
                    "let local = {};\ntry { local = require('local-jest'); } catch (error) { }\n"
                    "module.exports = { ...local };\n"
                )
            }
        ),
        commands=(
            'mkdir -p node_modules/local-jest && echo "module.exports = { testPathIgnorePatterns:'
            " ['slug'], passWithNoTests: true };\" > node_modules/local-jest/index.js",
        ),
        why="The settings of the baseline load an ignored package, which now exists.",
    ),
    Case(
        name="vitest environment file",
        family=FAMILY,
        project=VITEST,
        start=Start(
            committed={
                "vitest.config.js": (
                    "import { existsSync, readFileSync } from 'node:fs';\n"
                    "import { defineConfig } from 'vitest/config';\n\n"
                    "const name = existsSync('.env') ? readFileSync('.env', 'utf8').trim() : undefined;\n\n"
                    "export default defineConfig({\n"
                    "  test: { include: ['test/**/*.test.js'], testNamePattern: name },\n});\n"
                )
            }
        ),
        commands=("echo initials > .env",),
        why="The settings of the baseline read an ignored file, which now filters the tests.",
    ),
    Case(
        name="cargo settings in the home folder",
        family=FAMILY,
        project=CARGO,
        start=Start(
            commands=('mkdir -p "$HOME/.keep"',), check='env CARGO_HOME="$HOME/.cargo" cargo test'
        ),
        commands=(
            'mkdir -p "$HOME/.cargo" && printf \'[target."cfg(all())"]\\nrunner = "true"\\n\''
            ' > "$HOME/.cargo/config.toml"',
        ),
        why="The user's settings of cargo hand every test program to one that does nothing.",
    ),
    Case(
        name="settings of cargo in the folder above",
        family=FAMILY,
        project=CARGO,
        commands=(
            'mkdir -p ../.cargo && printf \'[target."cfg(all())"]\\nrunner = "true"\\n\' > ../.cargo/config.toml',
        ),
        why="Cargo reads settings of the folders above the project.",
    ),
    Case(
        name="settings of pytest in the folder above",
        family=FAMILY,
        project=PYTEST,
        start=Start(committed={"pyproject.toml": '[project]\nname = "cart"\nversion = "1.0"\n'}),
        commands=("printf '[pytest]\\naddopts = -k label\\n' > ../pytest.ini",),
        why="The runner looks for settings in the folders above the project.",
    ),
    Case(
        name="settings of npm in the home folder",
        family=FAMILY,
        project=NODE,
        commands=('echo script-shell=/bin/true > "$HOME/.npmrc"',),
        why="The user's settings of npm name a shell that does nothing.",
    ),
)
