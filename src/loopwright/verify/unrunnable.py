"""Could a check not run at all? Then its result says nothing about the product.

A syntax error in a test counts, because the tests do not measure anything yet. A syntax error in
a file of the product does not: "make it compile" is work like any other.
"""

from __future__ import annotations

import posixpath

from .. import lazy_re as re
from ..core.criteria import Evidence
from .runner import CANNOT_RUN_CODES
from .test_report import TestReport

CANNOT_RUN_OUTPUT = re.compile(
    r"^ERROR: (?:file or directory not found|not found):|^no tests ran in|collected 0 items"
    r"|^Ran 0 tests in|NO TESTS RAN|No test files found|Could not find '|no test files\]"
    r"|can't open file '|^No tests found, exiting|Can't open perl script"
    r"|^\S*python[\d.]*: (?:No module named|Error while finding module)|Could not open input file"
    r"|Cannot find module '[^']+'(?:\n.*)*?requireStack: \[\]",
    re.M,
)
# The words of a shell or its programs; an exception of the product is a result.
MISSING_FILE = re.compile(r"^(?![^\n]*Error)[^\n:]+: [^\n]*No such file or directory", re.M)
SCRIPT = r"\S+?\.[cm]?[jt]sx?"
# Node calls a missing export a syntax error too, but that is product that does not exist yet.
NODE_SYNTAX_ERROR = r"SyntaxError(?!: (?:The requested module|Named export))"
# The messages of runners about a file that cannot be parsed; the group is its path.
SYNTAX_ERRORS = (
    # Python, also behind the `E` of pytest; the frames above it name a function.
    re.compile(
        r'File "([^"\n]+)", line \d+\n(?:[^\n]*\n){0,3}?[E ]*'
        r"(?:SyntaxError|IndentationError|TabError)\b"
    ),
    # node, also in the comments of TAP
    re.compile(
        rf"^[# ]*(?:file://)?({SCRIPT}):\d+\n(?:[^\n]*\n){{0,6}}?[# ]*{NODE_SYNTAX_ERROR}", re.M
    ),
    re.compile(rf"SyntaxError: ({SCRIPT}): "),  # jest with babel
    re.compile(rf"^\s*({SCRIPT}):\d+:\d+: ERROR: ", re.M),  # esbuild in vitest and tsx
    re.compile(
        rf"Parse (?:failure|error)[^\n]*\n(?:[^\n]*\n){{0,4}}?[^\n]*?file: ({SCRIPT}):\d+", re.I
    ),
    re.compile(r"(\S+\.[cm]?tsx?)(?::\d+:\d+ - |\(\d+,\d+\): )error TS1\d{3}:"),  # TypeScript
)
TEST_FILE = re.compile(
    r"test_[^/]*\.py|[^/]*_test\.py|tests?\.py|conftest\.py"
    r"|[^/]*[._-](?:test|spec)\.[cm]?[jt]sx?|(?:jest|vitest|vite|babel)\.(?:config|setup)\.\w+"
)


def could_not_run(evidence: Evidence, report: TestReport | None = None) -> bool:
    """Did the check itself not run, so that its result says nothing about the product?"""
    if evidence.passed:
        return False
    if evidence.outcome in ("missing", "timeout") or evidence.code in CANNOT_RUN_CODES:
        return True
    if CANNOT_RUN_OUTPUT.search(evidence.detail):
        return True
    report = report or TestReport()
    if not report.failed and MISSING_FILE.search(evidence.detail):
        return True
    return _fails_only_to_parse_tests(evidence, report)


def _fails_only_to_parse_tests(evidence: Evidence, report: TestReport) -> bool:
    texts = [evidence.detail, *(test.message for test in report.failed)]
    broken = {path for text in texts for path in _unparsed_files(text)}
    tests = {path for path in broken if _is_test(path)}
    # A runner counts a file that it cannot read as one failure. More failures are real ones.
    return bool(tests) and tests == broken and len(report.failed) <= len(tests)


def _unparsed_files(text: str) -> set[str]:
    return {match.group(1) for pattern in SYNTAX_ERRORS for match in pattern.finditer(text)}


def _is_test(path: str) -> bool:
    name = posixpath.basename(path.replace("\\", "/"))
    return bool(TEST_FILE.fullmatch(name)) or "__tests__/" in path
