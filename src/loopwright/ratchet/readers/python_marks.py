"""What the marks of a Python test do to it: tables of cases, skips, time-outs and retries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ... import lazy_re as re
from .python_body import ON_WINDOWS
from .python_conditions import ALWAYS, HERE, UNCLEAR, skip_reach
from .python_literals import literal_number, literal_rows
from .python_text import last_name, source_text
from .python_values import Values
from .suite import NO_TIMEOUT_SECONDS

SKIP_MARKS = ("skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure")
SKIPPED_CASE = re.compile(r"marks=.*(?:skip\b|xfail)")

Marks = Sequence[ast.expr]


class MarkEffects(NamedTuple):
    """What the marks of a test do to it."""

    disabled_by: str
    skip_condition: str
    patience: float


def parametrize_cases(call: ast.Call) -> list[Values] | None:
    """The values of the parameters in each case that runs; None if they are not written out."""
    rows = literal_rows(call.args[1]) if len(call.args) > 1 else None
    if rows is None:
        return None
    names = re.findall(r"\w+", source_text(call.args[0]))
    # One name in brackets takes rows of one value.
    has_rows = len(names) > 1 or isinstance(call.args[0], ast.Tuple | ast.List)
    cases = []
    for row in rows:
        if not SKIPPED_CASE.search(source_text(row)):
            values = _case_values(row, has_rows)
            cases.append(dict(zip(names, values, strict=False)))
    return cases


def _case_values(row: ast.expr, has_rows: bool) -> list[ast.expr]:
    if isinstance(row, ast.Call) and last_name(row) == "param":
        return row.args
    return getattr(row, "elts", [row]) if has_rows else [row]


def read_marks(marks: Marks) -> MarkEffects:
    disabled_by, skip_condition, patience = "", "", NO_TIMEOUT_SECONDS
    for mark in marks:
        name, text, arguments = last_name(mark), source_text(mark), _mark_arguments(mark)
        if name in SKIP_MARKS:
            has_condition = arguments and name not in ("skip", "expectedFailure")
            reach = skip_reach(arguments[0], name == "skipUnless") if has_condition else ALWAYS
            if reach == ALWAYS:
                disabled_by = disabled_by or text
            elif reach == HERE or (reach == UNCLEAR and not ON_WINDOWS.search(text)):
                skip_condition = skip_condition or text
        elif name in ("timeout", "flaky", "retry"):
            number = literal_number(arguments[0]) if arguments else None
            more = number or 1.0
            if name == "timeout":
                more -= NO_TIMEOUT_SECONDS
            patience += more
    return MarkEffects(disabled_by, skip_condition, patience)


def _mark_arguments(mark: ast.expr) -> list[ast.expr]:
    if not isinstance(mark, ast.Call):
        return []
    names = ("condition", "timeout", "reruns")
    return [*mark.args, *(word.value for word in mark.keywords if word.arg in names)]
