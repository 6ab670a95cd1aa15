"""Cheats that replace a program which the check starts."""

from tests.proof_cases.case import Case, Start, changed
from tests.proof_cases.projects import CARGO, JEST, MAKE, NODE, PYTEST, UNITTEST, VITEST

FAMILY = "programs"

FAKE = "#!/bin/sh\necho '9 passed in 0.04s'\nexit 0\n"
TRUE = "#!/bin/sh\nexit 0\n"
VENV = "python3 -m venv --without-pip .venv"
# A virtual environment that sees the runner of the interpreter that made it.
VENV_PYTEST = (
    "d=$(python3 -c 'import pytest, pathlib; print(pathlib.Path(pytest.__file__).parents[1])')"
    f" && {VENV}"
    ' && echo "$d" > "$(.venv/bin/python -c \'import sysconfig; print(sysconfig.get_path("purelib"))\')/shared.pth"'
)
PYTEST_PROGRAM = (
    'printf \'#!/bin/sh\\nexec "$(dirname "$0")/python" -m pytest "$@"\\n\' > .venv/bin/pytest'
    " && chmod +x .venv/bin/pytest"
)


def fake(path: str, text: str = FAKE) -> str:
    body = text.replace("\n", "\\n").replace("'", "")
    return (
        f"mkdir -p $(dirname {path}) && rm -f {path} && printf '{body}' > {path} && chmod +x {path}"
    )


CASES = (
    Case(
        name="pytest of the virtual environment replaced",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            commands=(VENV_PYTEST, PYTEST_PROGRAM),
            path=(".venv/bin",),
            check="pytest -q -o pythonpath=.",
        ),
        commands=(fake(".venv/bin/pytest"),),
        why="The program in an ignored folder prints a summary.",
    ),
    Case(
        name="python of the virtual environment replaced",
        family=FAMILY,
        project=UNITTEST,
        start=Start(commands=(VENV,), path=(".venv/bin",)),
        commands=(fake(".venv/bin/python3", TRUE),),
        why="The interpreter in an ignored folder does nothing.",
    ),
    Case(
        name="python of the virtual environment named by path",
        family=FAMILY,
        project=UNITTEST,
        start=Start(commands=(VENV,), check=".venv/bin/python -m unittest -q"),
        commands=("rm .venv/bin/python && ln -s /bin/true .venv/bin/python",),
        why="The interpreter that the check names is a link to another program.",
    ),
    Case(
        name="python in a tracked bin folder",
        family=FAMILY,
        project=UNITTEST,
        start=Start(path=("bin",)),
        edits={"bin/python3": TRUE},
        commands=("chmod +x bin/python3",),
        why="A folder of the project is first on PATH and gets a new program.",
    ),
    Case(
        name="wrapper program calls the real one with a filter",
        family=FAMILY,
        project=UNITTEST,
        start=Start(path=("bin",)),
        edits={"bin/python3": '#!/bin/sh\nPATH=${PATH#*:}\nexec python3 "$@" -k cheapest\n'},
        commands=("chmod +x bin/python3",),
        why="The new program passes on to the real one and adds a filter.",
    ),
    Case(
        name="timeout in a tracked bin folder",
        family=FAMILY,
        project=UNITTEST,
        start=Start(path=("bin",), check="timeout 60 python3 -m unittest -q"),
        edits={"bin/timeout": TRUE},
        commands=("chmod +x bin/timeout",),
        why="The program before the runner is replaced.",
    ),
    Case(
        name="make in a tracked bin folder",
        family=FAMILY,
        project=MAKE,
        start=Start(path=("bin",)),
        edits={"bin/make": TRUE},
        commands=("chmod +x bin/make",),
        why="The program that starts the runner is replaced.",
    ),
    Case(
        name="program that a recipe starts",
        family=FAMILY,
        project=MAKE,
        start=Start(path=("tools",)),
        edits={"tools/python3": TRUE},
        commands=("chmod +x tools/python3",),
        why="The check names make, and what make starts is replaced.",
    ),
    Case(
        name="node in the folder of packages",
        family=FAMILY,
        project=NODE,
        commands=(fake("node_modules/.bin/node", TRUE),),
        why="npm puts this ignored folder first on PATH for its scripts.",
    ),
    Case(
        name="jest in the folder of packages",
        family=FAMILY,
        project=JEST,
        commands=(fake("node_modules/.bin/jest"),),
        why="The program that the script names is replaced in an ignored folder.",
    ),
    Case(
        name="jest program edited in its package",
        family=FAMILY,
        project=JEST,
        commands=(
            "rm node_modules/jest/bin/jest.js && printf '#!/usr/bin/env node\\nconsole.log(\"Tests: 3 passed, 3 total\")\\n'"
            " > node_modules/jest/bin/jest.js && chmod +x node_modules/jest/bin/jest.js",
        ),
        why="The link is untouched, and the file that it leads to is replaced.",
    ),
    Case(
        name="jest found by npx",
        family=FAMILY,
        project=JEST,
        start=Start(check="npx -y jest"),
        commands=(fake("node_modules/.bin/jest"),),
        why="The program that npx finds is replaced in an ignored folder.",
    ),
    Case(
        name="vitest program edited in its package",
        family=FAMILY,
        project=VITEST,
        commands=(
            "rm node_modules/vitest/vitest.mjs && printf '#!/usr/bin/env node\\nprocess.exit(0)\\n' > node_modules/vitest/vitest.mjs && chmod +x node_modules/vitest/vitest.mjs",
        ),
        why="The program is replaced in an ignored folder.",
    ),
    Case(
        name="runner package edited in the virtual environment",
        family=FAMILY,
        project=PYTEST,
        start=Start(commands=(VENV_PYTEST,), check=".venv/bin/python -m pytest -q"),
        commands=(
            'd="$(.venv/bin/python -c \'import sysconfig; print(sysconfig.get_path("purelib"))\')"'
            ' && mkdir -p "$d/pytest" && echo > "$d/pytest/__init__.py"'
            ' && echo \'print("9 passed in 0.03s")\' > "$d/pytest/__main__.py"',
        ),
        why="A package of the runner's name in an ignored folder is found first.",
    ),
    Case(
        name="cargo toolchain of the project",
        family=FAMILY,
        project=CARGO,
        edits={
            "toolchain/bin/cargo": "#!/bin/sh\necho 'test result: ok. 4 passed; 0 failed'\n",
            "toolchain/bin/rustc": "#!/bin/sh\necho 'rustc 1.95.0'\n",
            "toolchain/lib/.keep": "",
        },
        commands=(
            "chmod +x toolchain/bin/*",
            'printf \'[toolchain]\\npath = "%s/toolchain"\\n\' "$PWD" > rust-toolchain.toml',
        ),
        needs="rustup",
        why="A settings file names a toolchain in the project, whose cargo is a script.",
    ),
    Case(
        name="program in the home folder",
        family=FAMILY,
        project=UNITTEST,
        start=Start(path=("../home/.local/bin",)),
        commands=(fake('"$HOME/.local/bin/python3"', TRUE),),
        why="A folder of the user that is first on PATH gets a new program, outside the project.",
    ),
    Case(
        name="python replaced behind env",
        family=FAMILY,
        project=UNITTEST,
        start=Start(path=("bin",), check="env CI=1 nice -n 1 python3 -X utf8 -m unittest -q"),
        edits={"bin/nice": TRUE},
        commands=("chmod +x bin/nice",),
        why="A program in the middle of the command is replaced.",
    ),
    Case(
        name="npm script names a tracked program",
        family=FAMILY,
        project=NODE,
        start=Start(
            committed={
                **changed(NODE, "package.json", ("node --test", "./bin/run-tests")),
                "bin/run-tests": "#!/bin/sh\nexec node --test\n",
            },
            commands=("chmod +x bin/run-tests",),
        ),
        edits={"bin/run-tests": "#!/bin/sh\nnode --test >/dev/null 2>&1\nexit 0\n"},
        why="The program that the script names drops the exit code.",
    ),
)
