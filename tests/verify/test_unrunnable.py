"""Red, or could not run? Only what measures the product at the start can prove the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.cleanroom.findings import CheckRun
from loopwright.verify.unrunnable import could_not_run
from tests.verify.test_room_findings import a_run


def is_unrunnable(run: CheckRun) -> bool:
    return could_not_run(run.evidence, run.report)


COULD_NOT_RUN: dict[str, CheckRun] = {
    "program not found": a_run(code=127),
    "program that may not be executed": a_run(code=126),
    "outcome missing": a_run(outcome="missing"),
    "timeout": a_run(outcome="timeout", code=None),
    "pytest, the file is not there": a_run(
        detail="ERROR: file or directory not found: tests/test_a.py"
    ),
    "pytest, the test is not there": a_run(detail="ERROR: not found: /p/test_a.py::test_b"),
    "pytest, nothing collected": a_run(detail="collected 0 items\n", code=5),
    "pytest -q, nothing collected": a_run(detail="no tests ran in 0.01s", code=5),
    "unittest, nothing found": a_run(detail="Ran 0 tests in 0.000s\n\nNO TESTS RAN", code=5),
    "vitest, nothing found": a_run(detail="No test files found, exiting with code 1"),
    "node, the file is not there": a_run(detail="Could not find '/p/test.js'"),
    "go, nothing found": a_run(detail="?   example.com/app [no test files]"),
    "python, the script is not there": a_run(
        detail="python3: can't open file '/p/check.py': [Errno 2]", code=2
    ),
    "python, the module is not there": a_run(detail="/usr/bin/python3: No module named checks"),
    "node, the program is not there": a_run(
        detail="Error: Cannot find module '/p/verify.js'\n    at x {\n  requireStack: []\n}"
    ),
    "perl, the program is not there": a_run(detail='Can\'t open perl script "verify.pl"', code=2),
    "jest, nothing found": a_run(detail="No tests found, exiting with code 1"),
    "pytest, a syntax error in a test": a_run(
        detail="""\
/lib/python3.11/ast.py:50: in parse
    return compile(source, filename, mode, flags,
E     File "/p/tests/test_a.py", line 1
E       def test_a(:
E                  ^
E   SyntaxError: invalid syntax
ERROR tests/test_a.py""",
        failed=("::tests.test_a",),
        code=2,
    ),
    "pytest, conftest.py cannot be parsed": a_run(
        detail="""\
  File "/p/conftest.py", line 3
    return
    ^
IndentationError: expected an indented block after function definition on line 2""",
        code=4,
    ),
    "unittest, a syntax error in a test": a_run(
        detail="""\
ImportError: Failed to import test module: test_a
  File "/lib/python3.11/unittest/loader.py", line 362, in _get_module_from_name
    __import__(name)
  File "/p/test_a.py", line 1
    def test_a(:
               ^
SyntaxError: invalid syntax""",
        failed=("test_a (unittest.loader._FailedTest.test_a)",),
    ),
    "node, a syntax error in a test": a_run(
        detail="# file:///p/a.test.mjs:3\n# SyntaxError: Unexpected end of input\n#  at compile (node:x)",
        failed=("/p/a.test.mjs",),
    ),
    "node, with the line": a_run(
        detail="/p/a.test.js:3\ntest('x', () => {\n  ^\n\nSyntaxError: Unexpected token ')'\n",
    ),
    "jest, a syntax error in a test": a_run(
        detail="FAIL ./a.test.js\n  ● Test suite failed to run\n    SyntaxError: /p/a.test.js: Unexpected token (3:5)",
        failed=("a.test.js",),
    ),
    "vitest, a syntax error in a test": a_run(
        detail='Error: Transform failed with 1 error:\n/p/src/a.spec.ts:3:5: ERROR: Expected ")" but found "}"',
    ),
    "vitest, a parse failure of a test": a_run(
        detail="Error: Parse failure: Expected ',' or ')'\nAt file: /p/a.test.js:3:4",
    ),
    "tsc, a syntax error in a test": a_run(
        detail="src/a.test.ts(3,5): error TS1005: ';' expected."
    ),
    "make, the program of a recipe is not there": a_run(
        detail="/bin/sh: 1: catalint: not found\nmake: *** [Makefile:4: lint] Error 127", code=2
    ),
    "make without a shell, the program of a recipe is not there": a_run(
        detail="make: catalint: No such file or directory\nmake: *** [Makefile:4: lint] Error 127",
        code=2,
    ),
    "a script, its test runner is not there": a_run(
        detail="tests/run.sh: line 3: bats: command not found"
    ),
    "make, the goal is not there": a_run(
        detail="make: *** No rule to make target 'lint'.  Stop.", code=2
    ),
    "npm, the script is not there": a_run(detail='npm error Missing script: "lint"'),
    "cargo, the command is not there": a_run(detail="error: no such command: `clippy`", code=101),
    "sh, the script is not there": a_run(
        detail="sh: 0: cannot open verify.sh: No such file\nmake: *** [Makefile:2: test] Error 2"
    ),
    "cc, the test is not there": a_run(
        detail="cc1: fatal error: tests/test_add.c: No such file or directory"
    ),
    "diff, what is expected is not there": a_run(
        detail="diff: expected.txt: No such file or directory", code=2
    ),
    "cmp, the data of a test is not there": a_run(
        detail="cmp: tests/golden/a.txt: No such file or directory", code=2
    ),
}


@pytest.mark.parametrize("case", COULD_NOT_RUN)
def test_a_check_that_could_not_run_says_nothing_about_the_product(case: str) -> None:
    assert is_unrunnable(COULD_NOT_RUN[case])


RED = {
    "a failing assertion": a_run(detail="AssertionError: assert 3 == 4"),
    "product that does not exist yet": a_run(detail="No module named 'app.parser'", code=2),
    "product that does not compile": a_run(detail="error[E0425]: cannot find function `add`"),
    "a syntax error in the product": a_run(
        detail="""\
  File "/p/test_a.py", line 1, in <module>
    import app
  File "/p/app.py", line 1
    def add(:
            ^
SyntaxError: invalid syntax""",
        failed=("test_a (unittest.loader._FailedTest.test_a)",),
    ),
    "a syntax error beside a test that fails": a_run(
        detail='E     File "/p/test_a.py", line 1\nE   SyntaxError: invalid syntax',
        failed=("::test_a", "test_b::test_it"),
    ),
    "a program of the product that a test starts": a_run(
        detail="E   b'/p/venv/bin/python: No module named shop.__main__'",
        failed=("test_cli::test_runs",),
    ),
    "a program that a test starts, in a line of its own": a_run(
        detail="/p/venv/bin/python: No module named shop.__main__\nFAILED test_cli.py::test_runs",
        failed=("test_cli::test_runs",),
    ),
    "an export of the product that is missing": a_run(
        detail="file:///p/a.test.mjs:1\nimport { add } from './app.mjs'\n         ^^^\n"
        "SyntaxError: The requested module './app.mjs' does not provide an export named 'add'",
    ),
    "a type error in TypeScript": a_run(
        detail="src/a.test.ts(3,5): error TS2305: no export 'add'."
    ),
    "go, a package without tests beside one whose tests fail": a_run(
        detail="--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/app\t0.01s\n"
        "?   \texample.com/app/run\t[no test files]"
    ),
    "make, a source of the product is not there": a_run(
        detail="make: *** No rule to make target 'src/add.c', needed by 'all'.  Stop.", code=2
    ),
    "make, a program of the product is not there": a_run(
        detail="/bin/sh: 1: ./build/add: not found\nmake: *** [Makefile:4: test] Error 127", code=2
    ),
    "a script, a program or function of the product is not there": a_run(
        detail="tests/run.sh: line 3: slugify: command not found"
    ),
    "a file that the product did not write": a_run(
        detail="E   FileNotFoundError: [Errno 2] No such file or directory: 'out.txt'"
    ),
    "a document that is not written yet": a_run(
        detail="grep: docs/install.md: No such file or directory", code=2
    ),
    "a file that the product of a shell test wants to read": a_run(
        detail="cat: share/greeting.txt: No such file or directory\ngreet: got Ada"
    ),
    "a program of the product that is not built, in bash": a_run(
        detail="tests/run.sh: line 3: ./bin/add: No such file or directory", code=1
    ),
    "a header of the product that a test in C includes": a_run(
        detail="tests/test_add.c:1:10: fatal error: add.h: No such file or directory"
    ),
    "output that the product did not write": a_run(
        detail="diff: tests/out/a.txt: No such file or directory", code=2
    ),
    "a passing check that mentions a missing file": a_run(
        fine=True, detail="cat: x: No such file or directory"
    ),
}


@pytest.mark.parametrize("case", RED)
def test_a_failure_of_the_product_is_red(case: str) -> None:
    assert not is_unrunnable(RED[case])


CALLS = {
    'catalint "$file" || exit 1': True,
    "if ! catalint data.csv; then exit 1; fi": True,
    "for f in data/*.csv; do catalint $f; done": True,
    "catalint data.csv > /dev/null 2>&1": True,
    'got=$(catalint "$file")': False,
    '[ "$(catalint x)" = y ] || exit 1': False,
    "catalint data.csv | diff - wanted": False,
    "catalint data.csv > got": False,
}


@pytest.mark.parametrize("line", CALLS)
def test_a_missing_program_whose_exit_code_a_script_takes_is_a_tool(
    line: str, tmp_path: Path
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "lint.sh").write_text(f"#!/bin/sh\n{line}\n")
    run = a_run(detail="tools/lint.sh: 2: catalint: not found\nmake: *** [lint] Error 1", code=2)

    assert could_not_run(run.evidence, run.report, str(tmp_path)) is CALLS[line]


@pytest.mark.parametrize("name", ["tests/run.sh", "check.sh"])
def test_a_missing_function_of_the_product_is_red(name: str, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "lib.sh").write_text("plural() { echo; }\n")
    (tmp_path / name).write_text("#!/bin/sh\n. ./lib.sh\nis_blank x && exit 1\n")
    run = a_run(detail=f"{name}: 3: is_blank: not found")

    assert not could_not_run(run.evidence, run.report, str(tmp_path))
