"""Finds product code that no longer waits for work that it begins.

A function awaited an asynchronous function of the same file. Now it calls it, and neither awaits
anything nor returns what could be awaited: whoever waits for it is told too early.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..readers.helper_functions import HelperFunction, helper_functions
from ..readers.languages import SCRIPT_SUFFIXES
from ..surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

SUFFIXES = (".py", *SCRIPT_SUFFIXES)
AWAITED = re.compile(r"\bawait\s+(?:[\w$]+\.)*([\w$]+)\(")
WAITS = re.compile(
    r"\bawait\b|\byield\b|\basync (?:for|with)\b|\bgather\("
    r"|\breturn\s+(?!;|$|\d|true\b|false\b|null\b|None\b|True\b|False\b|undefined\b"
    r"|[\w.]+\.length\b)"
)
OWN_FIELD = re.compile(r"\b(?:this|self)\.(\w+)")
ASYNC = re.compile(r"\basync\b")


def findings(files: ProjectFiles) -> Iterator[Finding]:
    """Each function that waits no more."""
    for change in files.changes.values():
        if not change.path.endswith(SUFFIXES) or not change.before or not change.after:
            continue
        if "await" not in change.before or not is_product_code(change):
            continue
        before, after = (
            helper_functions(code_text(SourceFile(change.path, text), strings=False))
            for text in (change.before, change.after)
        )
        for name, function in after.items():
            if (old := before.get(name)) and (work := _unawaited_call(old, function, after)):
                line = function.line
                yield Finding(MEDIUM, "work-not-awaited", change.path, line, name, after=work)


def _unawaited_call(
    old: HelperFunction, new: HelperFunction, now: dict[str, HelperFunction]
) -> str:
    """A call that the function awaited and still makes, without waiting for anything; or ""."""
    if any(map(WAITS.search, new.body)):
        return ""
    awaited: list[str] = AWAITED.findall("\n".join(old.body))
    for name in awaited:
        calls = [line for line in new.body if re.search(rf"\b{re.escape(name)}\(", line)]
        is_async = name in now and ASYNC.search(now[name].head)
        if is_async and calls and not _is_awaited_elsewhere(calls, now):
            return name
    return ""


def _is_awaited_elsewhere(calls: list[str], now: dict[str, HelperFunction]) -> bool:
    """Is the work kept in a field for which another function waits, such as `close`?"""
    fields = {field for line in calls for field in OWN_FIELD.findall(line)}
    lines = [line for function in now.values() for line in function.body if "await" in line]
    return any(re.search(rf"\b{field}\b(?!\()", line) for field in fields for line in lines)
