"""Probes: the checks of a plan that run no program. We look at the files ourselves, and say what is missing and where."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from ...core.criteria import Check, Evidence
from ...core.plan.plan import CREATE, DELETE
from ...repo.sources import (
    MAX_BYTES,
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    clean_path,
    line_number,
    printable_text,
    read_source,
)
from . import links, substance, wiring

PASSED = "exit"
STUB, ORPHAN, BROKEN = "stub", "orphan", "broken_link"
MAX_LINES = 5

ProbeResult = tuple[str, str]  # FINE or the type of gap, and what was seen


def run_probe(check: Check, name: str, tree: str, root: str) -> Evidence:
    """What is to be seen on this tree. Whatever cannot be looked at is a failing result with a reason."""
    began, at = time.monotonic(), time.time()
    words = check.command if isinstance(check.command, tuple) else (check.command,)
    look = PROBES.get(words[0]) if words else None
    outcome, detail = (
        look(root, *words[1:])
        if look
        else ("missing", f"no such probe: {printable_text(check.command_line)}")
    )
    seconds = round(time.monotonic() - began, 3)
    return Evidence(
        name, outcome == PASSED, "observation", "loop", detail, tree, seconds, at, outcome
    )


def _probe_file(root: str, path: str = "", *_: str) -> ProbeResult:
    seen = read_source(root, path, 0)
    return (
        (STUB, seen.problem)
        if seen.problem
        else (PASSED, f"{printable_text(seen.path)} is there, {_size_text(seen)}")
    )


def _probe_content(root: str, path: str = "", *wanted: str) -> ProbeResult:
    seen = read_source(root, path)
    if seen.problem:
        return STUB, seen.problem
    texts = [text for text in dict.fromkeys(wanted) if text.strip()]
    lines = {text: _line_with(seen, text) for text in texts}
    if missing := [text for text in texts if not lines[text]]:
        kind = ", a binary file," if seen.binary else ""
        return STUB, _first_lines(
            [
                f"{printable_text(seen.path)}{kind} has no “{printable_text(text)}”{seen.truncation_note}"
                for text in missing
            ]
        )
    if not texts:
        return STUB, f"{printable_text(seen.path)}: the check does not say what the file must hold"
    return PASSED, _first_lines(
        [
            f"{printable_text(seen.path)}:{line} has “{printable_text(text)}”"
            for text, line in lines.items()
        ]
    )


def _probe_artifact(
    root: str, path: str = "", action: str = "", wired: str = "", *_: str
) -> ProbeResult:
    if action == DELETE:
        return _probe_deleted(root, path)
    seen = read_source(root, path, MAX_BYTES if action == CREATE else 0)
    here = printable_text(seen.path)
    if seen.problem:
        return STUB, f"L1 ✗: {seen.problem}"
    if action != CREATE:
        return PASSED, f"L1 ✓: {here} is there, {_size_text(seen)}"
    if why := substance.stub_reason(seen):
        return STUB, f"L1 ✓ L2 ✗: {why}"
    size = f"{substance.code_line_count(seen)} lines" if seen.kind else _size_text(seen)
    if not wired or seen.kind not in (*PYTHON_ENDINGS, *SCRIPT_ENDINGS):
        return PASSED, f"L1 ✓ L2 ✓: {here}, {size}"
    if why := wiring.standalone_reason(root, seen):
        return PASSED, f"L1 ✓ L2 ✓ L3 ✓: {here}, {size}; {why}"
    user, extent = wiring.find_using_file(root, seen)
    if not user:
        return ORPHAN, f"L1 ✓ L2 ✓ L3 ✗: nothing imports {here}{extent}"
    return PASSED, f"L1 ✓ L2 ✓ L3 ✓: {here}, {size}; used in {user}"


def _probe_deleted(root: str, path: str) -> ProbeResult:
    name = clean_path(path)
    if not name:
        return STUB, f"L1 ✗: {printable_text(path) or 'an empty path'} is outside the project"
    there = os.path.lexists(os.path.join(root, name))
    return (
        (STUB, f"L1 ✗: {printable_text(name)} is still there, and the plan deletes it")
        if there
        else (PASSED, f"L1 ✓: {printable_text(name)} is gone")
    )


def _probe_link(
    root: str, source: str = "", target: str = "", how: str = "", *_: str
) -> ProbeResult:
    one, other = read_source(root, source), read_source(root, target)
    if troubles := [seen.problem for seen in (one, other) if seen.problem]:
        return BROKEN, "\n".join(troubles)
    wrong, detail = links.check_link(root, one, other, how)
    return wrong or PASSED, detail


PROBES: dict[str, Callable[..., ProbeResult]] = {
    "file": _probe_file,
    "content": _probe_content,
    "artifact": _probe_artifact,
    "link": _probe_link,
}


def _line_with(seen: SourceFile, wanted: str) -> int:
    """Where the text stands: as it is, else whatever its case and its spaces; 0: nowhere."""
    at = seen.text.find(wanted)
    if at >= 0:
        return line_number(seen.text, at)
    found = re.search(r"\s+".join(map(re.escape, wanted.split())), seen.text, re.I)
    return line_number(seen.text, found.start()) if found else 0


def _first_lines(lines: list[str]) -> str:
    more = len(lines) - MAX_LINES + 1
    return "\n".join(
        lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], f"and {more} more"]
    )


def _size_text(seen: SourceFile) -> str:
    return f"{seen.size} bytes" if seen.size < 10_000 else f"{seen.size // 1000} kB"
