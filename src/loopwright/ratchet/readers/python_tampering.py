"""Finds what a Python test file or conftest.py does to results, to the collection or to pytest."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ... import lazy_re as re
from .python_text import source_text
from .python_values import Function
from .suite import Mark

FORGED_RESULT = re.compile(
    r"^[\w.()]+\.(?:outcome|longrepr|wasxfail|exitstatus|testsfailed) = "
    r"|^setattr\(\w+, '(?:outcome|exitstatus)'|^(?:atexit\.register\()?os\._exit"
    r"|^(?:sys\.)?exit\(0?\)|^pytest\.exit\(.*returncode=0|^(?:pytest|unittest)\.[\w.]+ = "
    r"|^\w+\.force_result\(|^collect_ignore\w* \+?= \[."
)
TESTS_LEFT_OUT = re.compile(
    r"^items\.clear|^del items|^items\[:\] = (?!sorted|list)"
    r"|^item\.add_marker\(.*(?:skip|xfail)|^return True"
)
REQUESTED_SKIP = re.compile(
    r"getoption|keywords|get_closest_marker|iter_markers|platform|environ|which\("
)
STATEMENTS = ast.Assign | ast.AugAssign | ast.Expr | ast.Delete | ast.Return


def find_tampering(body: Sequence[ast.stmt]) -> Iterator[Mark]:
    """Where a test file or conftest.py changes results, leaves tests out or replaces assertions."""
    for part in body:
        is_hook = isinstance(part, Function) and _is_runner_hook(part)
        if not is_hook and not isinstance(part, STATEMENTS):
            continue
        # A hook that skips what an option or the platform asks for is honest.
        may_skip = not is_hook or bool(REQUESTED_SKIP.search(source_text(part)))
        for node in ast.walk(part):
            if not isinstance(node, STATEMENTS):
                continue
            text = source_text(node)
            leaves_out = not may_skip and TESTS_LEFT_OUT.search(text)
            if leaves_out or FORGED_RESULT.search(text):
                yield Mark(text[:200], node.lineno)


def _is_runner_hook(function: Function) -> bool:
    if function.name.startswith("pytest_"):
        return True
    return any("autouse=True" in source_text(mark) for mark in function.decorator_list)
