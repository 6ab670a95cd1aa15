"""Could a check not run at all? Then its result says nothing about the product.

A syntax error in a test counts, because the tests do not measure anything yet. A syntax error in
a file of the product does not: "make it compile" is work like any other.
"""

from __future__ import annotations

import os
import posixpath

from .. import lazy_re as re
from ..checks.commands import CHECK_TOOL
from ..checks.test_files import has_test_name, kind_in_tests
from ..core.criteria import Evidence
from ..core.start.check_result import NO_TESTS_RAN
from ..disk.files import read_text
from .runner import CANNOT_RUN_CODES
from .test_report import TestReport

CANNOT_RUN_OUTPUT = re.compile(
    rf"{NO_TESTS_RAN.pattern}|^ERROR: (?:file or directory not found|not found):|Could not find '"
    r"|can't open file '|Can't open perl script"
    r"|^\S*python[\d.]*: (?:No module named|Error while finding module)|Could not open input file"
    r"|Cannot find module '[^']+'(?:\n.*)*?requireStack: \[\]"
    r"|^make(?:\[\d+\])?: \*\*\* No rule to make target '[^']+'\.|^npm \S+ Missing script:"
    r"|^error: no such (?:sub)?command:|Justfile does not contain recipe",
    re.M,
)
# Go names each package without tests, also beside packages whose tests ran.
NO_GO_TESTS = re.compile(r"\[no test files\]")
GO_TESTS_RAN = re.compile(r"^(?:ok|FAIL|---|panic:)[ \t]", re.M)
# The words of a shell or its programs; an exception of the product is a result.
MISSING_FILE = re.compile(r"^(?![^\n]*Error)([^\n:]+: [^\n]*)No such file\b", re.M)
PATH = re.compile(r"[\w@+./~-]*\w")
# A shell that cannot open the script that it was given, and not a line of one.
UNOPENED_SCRIPT = re.compile(r"(?:\S*/)?(?:ba|da|z|k|a)?sh: (?:\d+: )?(?:[cC]an\S* open )?\S+: $")
# What a test compares with, and what it lets the product write.
EXPECTED_NAME = re.compile(
    r"(?i)(?:^|[/_.-])(?:expect(?:ed)?|golden|want(?:ed)?|approved)(?=[/_.-]|$)"
)
WRITTEN_NAME = re.compile(
    r"(?i)(?:^|[/_.-])(?:out(?:put)?s?|te?mp|actual|got|results?|build|logs?)(?=[/_.-]|$)"
)
# The words of a shell about a program that is not on PATH: where, on which line, and its name.
MISSING_PROGRAM = re.compile(
    r"^(\S+?): (?:line )?(?:(\d+): )?([\w.+-]+): (?:command )?not found$"
    r"|^(\S+?):(\d+): command not found: ([\w.+-]+)$"
    r"|^(g?make(?:\[\d+\])?):() ([\w.+-]+): No such file or directory$",
    re.M,
)
SHELL_ITSELF = re.compile(r"(?:\S*/)?(?:ba|da|z|k|a)?sh|g?make(?:\[\d+\])?")  # or make in its place
TEST_SCRIPT = re.compile(r"(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)")
SOURCED = re.compile(r"(?m)^[ \t]*(?:\.|source)[ \t]+\"?([\w./-]+)")
MAX_CHARS = 200_000  # of a script that is read
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
RUNNER_FILE = re.compile(r"conftest\.py|(?:jest|vitest|vite|babel)\.(?:config|setup)\.\w+")


def could_not_run(
    evidence: Evidence, report: TestReport | None = None, root: str | None = None
) -> bool:
    """Did the check itself not run, so that its result says nothing about the product?

    `root` is the project, whose scripts say what a missing program was for.
    """
    if evidence.passed:
        return False
    if evidence.outcome in ("missing", "timeout") or evidence.code in CANNOT_RUN_CODES:
        return True
    report = report or TestReport()
    if not report.failed and CANNOT_RUN_OUTPUT.search(evidence.detail):
        return True  # and not the output of a program that a test has started
    if NO_GO_TESTS.search(evidence.detail) and not GO_TESTS_RAN.search(evidence.detail):
        return True
    if not report.failed and _lacks_a_test(evidence.detail):
        return True
    if not report.failed and _lacks_a_tool(evidence.detail, root):
        return True
    return _fails_only_to_parse_tests(evidence, report)


def _lacks_a_test(output: str) -> bool:
    """Did a program not find a script, a test, or what a test compares with?

    Any other file may be the work: a document in which a check searches, a source to compile.
    """
    for match in MISSING_FILE.finditer(output):
        path = PATH.findall(match[1])[-1]
        is_of_test = EXPECTED_NAME.search(path) or kind_in_tests(path)
        if UNOPENED_SCRIPT.fullmatch(match[1]) or (is_of_test and not WRITTEN_NAME.search(path)):
            return True
    return False


def _lacks_a_tool(output: str, root: str | None) -> bool:
    """Did a shell not find a program by which the check judges?

    A program or function of the product may be missing too: tests can be written before it.
    """
    for match in MISSING_PROGRAM.finditer(output):
        groups = match.groups()
        place, number, name = next(groups[at : at + 3] for at in (0, 3, 6) if groups[at])
        if SHELL_ITSELF.fullmatch(place) or CHECK_TOOL.fullmatch(name):
            return True
        script = _read_script(place, root)
        lines = script.splitlines()
        is_there = bool(number) and int(number) <= len(lines)
        if is_there and not _sources_product(script, root) and not TEST_SCRIPT.search(place):
            return _is_judge(lines[int(number) - 1], name)
    return False


def _read_script(place: str, root: str | None) -> str:
    if root is None or place.startswith(("/", "~")) or ".." in place:
        return ""
    return read_text(os.path.join(root, place), MAX_CHARS) or ""


def _sources_product(script: str, root: str | None) -> bool:
    """Does the script take functions from a file that is there?"""
    names = SOURCED.findall(script)
    return any(os.path.isfile(os.path.join(root or "", name)) for name in names)


def _is_judge(line: str, name: str) -> bool:
    """Does the line run the program for its exit code, and not for what it prints?"""
    begins = r"(?:^|[;&|{(]|\b(?:if|then|else|do|while|until|time|exec)\b|!)\s*"
    match = re.search(rf"{begins}{re.escape(name)}(?![\w.-])([^;&|\n]*)(\|(?!\|))?", line)
    if not match or re.search(r"\$\([^)]*$|`[^`]*$", line[: match.start(1)]):
        return False
    return not match[2] and not re.search(r">\s*(?!/dev/null|&)\S", match[1])


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
    return has_test_name(name) or bool(RUNNER_FILE.fullmatch(name)) or "__tests__/" in path
