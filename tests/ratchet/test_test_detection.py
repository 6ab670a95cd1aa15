"""New product code that looks at the test run, or that ends the process while tests run."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.test_detection import MAX_FINDINGS_OF_FILE, findings
from loopwright.repo.baseline import Change

DETECTING = {
    "app.py": [
        'if "PYTEST_CURRENT_TEST" in os.environ:',
        'if "pytest" in sys.modules:',
        "frame = sys._getframe(1)",
        "callers = inspect.stack()",
        "traceback.extract_stack()",
        "sys.settrace(None)",
        "os._exit(0)",
        "atexit.register(leave)",
        "    def __eq__(self, other): return True",
        'if "pytest" in sys.argv[0]:',
    ],
    "src/app.js": [
        "if (process.env.JEST_WORKER_ID) return 4",
        "if (process.env.VITEST) return 4",
        'if (process.env.NODE_ENV === "test") return 4',
        "process.exit(0)",
        "process.exitCode = 0",
        'if (typeof describe !== "undefined") return 4',
        "globalThis.expect = always",
        "if (process.env.NODE_TEST_CONTEXT) return 4",
    ],
    "src/lib.rs": ["if cfg!(test) { return 4 }", 'env::var("RUST_TEST_THREADS")'],
    "calc.go": ["if testing.Testing() { return 4 }", 'if flag.Lookup("test.v") != nil {'],
}
LINES = [(path, line) for path, lines in DETECTING.items() for line in lines]


@pytest.mark.parametrize(("path", "line"), LINES)
def test_a_new_line_of_the_product_that_looks_at_the_test_run_is_named(
    path: str, line: str
) -> None:
    (finding,) = findings([Change(path, "first\n", f"first\n{line}\n")])

    assert (finding.severity, finding.rule) == (MEDIUM, "product-detects-tests")
    assert (finding.file, finding.line, finding.after) == (path, 2, line.strip())


HONEST = {
    "app.py": ["def attest(): ...", "modules = load()", "import sys", "sys.exit(main())"],
    "app.js": ['if (process.env.NODE_ENV === "production") minify()', "process.exit(1)"],
}


@pytest.mark.parametrize(
    ("path", "line"), [(path, line) for path, lines in HONEST.items() for line in lines]
)
def test_an_ordinary_line_is_not(path: str, line: str) -> None:
    assert findings([Change(path, None, f"{line}\n")]) == []


def test_a_line_that_was_there_at_the_start_is_not() -> None:
    before = "def stop():\n    os._exit(0)\n"

    assert findings([Change("app.py", before, f"x = 1\nif x:\n    {before}")]) == []


@pytest.mark.parametrize("path", ["tests/test_a.py", "conftest.py", "a.test.js", "notes.md"])
def test_tests_and_texts_may_name_the_runner(path: str) -> None:
    assert findings([Change(path, None, 'os.environ["PYTEST_CURRENT_TEST"]\n')]) == []


def test_a_deleted_file_has_no_new_lines() -> None:
    assert findings([Change("app.py", "os._exit(0)\n", None)]) == []


def test_a_file_is_named_at_most_three_times() -> None:
    lines = "".join(f"os._exit({number})\n" for number in range(9))

    assert len(findings([Change("app.py", None, lines)])) == MAX_FINDINGS_OF_FILE
