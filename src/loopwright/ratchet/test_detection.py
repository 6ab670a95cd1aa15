"""Finds new product code that detects a test run, or that ends the process while tests run."""

from __future__ import annotations

import re

from ..core.findings import MEDIUM, Finding
from ..repo.baseline import Change
from .surroundings import CODE_SUFFIXES, surrounding_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DETECTION = re.compile(
    r"PYTEST_|['\"](?:_?pytest|unittest|nose2?|vitest|jest|mocha)['\"] *(?:not +)?in +\w*\.?modules"
    r"|sys\.modules\b|sys\._getframe|sys\.gettrace|sys\.settrace|inspect\.(?:stack|currentframe)"
    r"|traceback\.extract_stack|JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|NODE_ENV\W+test"
    r"|process\.argv.*test|sys\.argv.*test|test['\"] *(?:not +)?in +sys\.argv"
    r"|os\._exit|atexit\.register|os\.exec[lv]|os\.kill\(os\.getpid|__import__\("
    r"|\b_?pytest\b|\bunittest\b|\bTestResult\b|\bTestCase\b|['\"]node:test['\"]|node:assert"
    r"|process\.(?:exit\(0?\)|reallyExit|on\(['\"]exit)|process\.exitCode *= *0"
    r"|cfg!\(test\)|testing\.Testing\(\)|RUST_TEST|flag\.Lookup\(['\"]test\."
    r"|__eq__\(self.*return True|def __(?:eq|ne|bool)__\(self[^)]*\): *return True"
    r"|^raise SystemExit(?:\(0?\))?\s*$|^sys\.exit\(0?\)|\$\{?PPID|/proc/(?:self|\$\$)/"
    # A path or name of tests as a text: the product looks for them.
    r"|['\"][\w./-]*(?:\btests?/|/tests?\b|\btest_\w+\.py|_test\.\w+|[.-](?:test|spec)\.[cm]?[jt]s)"
    r"|['\"](?:tests?|__tests__|specs?)['\"]|pytest['\"]"
    r"|new Error\(\)\.stack|\.stack\.(?:includes|match|indexOf)|require\.main\b.*test"
    r"|typeof (?:jest|vi|describe|it|expect)\b|globalThis\.(?:jest|vi|describe|expect)"
)
MAX_FINDINGS_OF_FILE = 3


def findings(changes: Sequence[Change]) -> list[Finding]:
    """New lines of product files that look at the test run."""
    found: list[Finding] = []
    for change in changes:
        is_code = change.path.endswith(CODE_SUFFIXES)
        if change.after is None or not is_code:
            continue
        if surrounding_kind(change.path, change.before, change.after):
            continue
        found += _detecting_lines(change)[:MAX_FINDINGS_OF_FILE]
    return found


def _detecting_lines(change: Change) -> list[Finding]:
    known = {line.strip() for line in (change.before or "").splitlines()}
    lines = enumerate((change.after or "").splitlines(), 1)
    return [
        Finding(MEDIUM, "product-detects-tests", change.path, number, after=line.strip()[:200])
        for number, line in lines
        if line.strip() not in known and DETECTION.search(line)
    ]
