"""Probes: checks of a plan that run no program. We look at the files and say what is missing."""

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
    match_line,
    printable_text,
    read_source,
)
from . import links, substance, wiring

PASSED = "exit"
STUB, ORPHAN, BROKEN = "stub", "orphan", "broken_link"
MAX_LINES = 5

ProbeResult = tuple[str, str]  # PASSED or the type of gap, and what was seen


def run_probe(check: Check, name: str, tree: str, root: str) -> Evidence:
    """Run the probe on this tree; whatever cannot be read is a failing result with a reason."""
    began, at = time.monotonic(), time.time()
    words = check.command if isinstance(check.command, tuple) else (check.command,)
    probe = PROBES.get(words[0]) if words else None
    if probe:
        outcome, detail = probe(root, *words[1:])
    else:
        outcome, detail = "missing", f"no such probe: {printable_text(check.command_line)}"
    return Evidence(
        criterion=name,
        passed=outcome == PASSED,
        kind="observation",
        by="loop",
        detail=detail,
        tree=tree,
        seconds=round(time.monotonic() - began, 3),
        at=at,
        outcome=outcome,
    )


def _probe_file(root: str, path: str = "", *_: str) -> ProbeResult:
    """The file exists."""
    source = read_source(root, path, 0)
    if source.problem:
        return STUB, source.problem
    return PASSED, f"{printable_text(source.path)} is there, {_size_text(source)}"


def _probe_content(root: str, path: str = "", *wanted: str) -> ProbeResult:
    """The file contains every wanted text."""
    source = read_source(root, path)
    if source.problem:
        return STUB, source.problem
    name = printable_text(source.path)
    texts = [text for text in dict.fromkeys(wanted) if text.strip()]
    if not texts:
        return STUB, f"{name}: the check does not say what the file must hold"
    lines = {text: _line_with(source, text) for text in texts}
    missing = [printable_text(text) for text in texts if not lines[text]]
    if missing:
        kind, note = ", a binary file," if source.binary else "", source.truncation_note
        return STUB, _first_lines([f"{name}{kind} has no “{text}”{note}" for text in missing])
    return PASSED, _first_lines(
        [f"{name}:{line} has “{printable_text(text)}”" for text, line in lines.items()]
    )


def _probe_artifact(
    root: str, path: str = "", action: str = "", wired: str = "", *_: str
) -> ProbeResult:
    """Level 1: the file exists; level 2: it is not a stub; level 3: another file uses it."""
    if action == DELETE:
        return _probe_deleted(root, path)
    source = read_source(root, path, MAX_BYTES if action == CREATE else 0)
    name = printable_text(source.path)
    if source.problem:
        return STUB, f"L1 ✗: {source.problem}"
    if action != CREATE:
        return PASSED, f"L1 ✓: {name} is there, {_size_text(source)}"
    if reason := substance.stub_reason(source):
        return STUB, f"L1 ✓ L2 ✗: {reason}"
    size = f"{substance.code_line_count(source)} lines" if source.kind else _size_text(source)
    if not wired or source.kind not in (*PYTHON_ENDINGS, *SCRIPT_ENDINGS):
        return PASSED, f"L1 ✓ L2 ✓: {name}, {size}"
    if reason := wiring.standalone_reason(root, source):
        return PASSED, f"L1 ✓ L2 ✓ L3 ✓: {name}, {size}; {reason}"
    user, extent = wiring.find_using_file(root, source)
    if not user:
        return ORPHAN, f"L1 ✓ L2 ✓ L3 ✗: nothing imports {name}{extent}"
    return PASSED, f"L1 ✓ L2 ✓ L3 ✓: {name}, {size}; used in {user}"


def _probe_deleted(root: str, path: str) -> ProbeResult:
    name = clean_path(path)
    if not name:
        return STUB, f"L1 ✗: {printable_text(path) or 'an empty path'} is outside the project"
    if os.path.lexists(os.path.join(root, name)):
        return STUB, f"L1 ✗: {printable_text(name)} is still there, and the plan deletes it"
    return PASSED, f"L1 ✓: {printable_text(name)} is gone"


def _probe_link(
    root: str, source_path: str = "", target_path: str = "", how: str = "", *_: str
) -> ProbeResult:
    """One file uses the other as the plan says."""
    source, target = read_source(root, source_path), read_source(root, target_path)
    problems = [file.problem for file in (source, target) if file.problem]
    if problems:
        return BROKEN, "\n".join(problems)
    gap, detail = links.check_link(root, source, target, how)
    return gap or PASSED, detail


PROBES: dict[str, Callable[..., ProbeResult]] = {
    "file": _probe_file,
    "content": _probe_content,
    "artifact": _probe_artifact,
    "link": _probe_link,
}


def _line_with(source: SourceFile, wanted: str) -> int:
    """The line of the text, as it is or else in other case and spacing; 0 where it is missing."""
    position = source.text.find(wanted)
    if position >= 0:
        return line_number(source.text, position)
    pattern = r"\s+".join(map(re.escape, wanted.split()))
    return match_line(source.text, re.search(pattern, source.text, re.I))


def _first_lines(lines: list[str]) -> str:
    if len(lines) > MAX_LINES:
        more = len(lines) - MAX_LINES + 1
        lines = [*lines[: MAX_LINES - 1], f"and {more} more"]
    return "\n".join(lines)


def _size_text(source: SourceFile) -> str:
    return f"{source.size} bytes" if source.size < 10_000 else f"{source.size // 1000} kB"
