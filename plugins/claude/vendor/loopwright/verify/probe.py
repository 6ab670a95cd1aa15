"""Probes: the checks of a plan that run no program. We look at the files ourselves, and say what is missing and where."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from ..core.loop import Check, Evidence
from ..core.plan import CREATE, DELETE
from . import links, substance, wiring
from .sources import MOST, PYTHON, SCRIPT, Seen, clean, line_of, see, shown

FINE = "exit"
STUB, ORPHAN, BROKEN = "stub", "orphan", "broken_link"
MOST_LINES = 5

Found = tuple[str, str]  # FINE or the type of gap, and what was seen


def run(check: Check, name: str, tree: str, root: str) -> Evidence:
    """What is to be seen on this tree. Whatever cannot be looked at is a failing result with a reason."""
    began, at = time.monotonic(), time.time()
    words = check.command if isinstance(check.command, tuple) else (check.command,)
    look = PROBES.get(words[0]) if words else None
    outcome, detail = look(root, *words[1:]) if look else ("missing", f"no such probe: {shown(check.line)}")
    seconds = round(time.monotonic() - began, 3)
    return Evidence(name, outcome == FINE, "observation", "loop", detail, tree, seconds, at, outcome)


def _file(root: str, path: str = "", *_: str) -> Found:
    seen = see(root, path, 0)
    return (STUB, seen.trouble) if seen.trouble else (FINE, f"{shown(seen.path)} is there, {_size(seen)}")


def _content(root: str, path: str = "", *wanted: str) -> Found:
    seen = see(root, path)
    if seen.trouble:
        return STUB, seen.trouble
    texts = [text for text in dict.fromkeys(wanted) if text.strip()]
    lines = {text: _line_with(seen, text) for text in texts}
    if missing := [text for text in texts if not lines[text]]:
        kind = ", a binary file," if seen.binary else ""
        return STUB, _few([f"{shown(seen.path)}{kind} has no “{shown(text)}”{seen.cut}" for text in missing])
    if not texts:
        return STUB, f"{shown(seen.path)}: the check does not say what the file must hold"
    return FINE, _few([f"{shown(seen.path)}:{line} has “{shown(text)}”" for text, line in lines.items()])


def _artifact(root: str, path: str = "", action: str = "", wired: str = "", *_: str) -> Found:
    if action == DELETE:
        return _deleted(root, path)
    seen = see(root, path, MOST if action == CREATE else 0)
    here = shown(seen.path)
    if seen.trouble:
        return STUB, f"L1 ✗: {seen.trouble}"
    if action != CREATE:
        return FINE, f"L1 ✓: {here} is there, {_size(seen)}"
    if why := substance.hollow(seen):
        return STUB, f"L1 ✓ L2 ✗: {why}"
    size = f"{substance.lines(seen)} lines" if seen.kind else _size(seen)
    if not wired or seen.kind not in (*PYTHON, *SCRIPT):
        return FINE, f"L1 ✓ L2 ✓: {here}, {size}"
    if why := wiring.stands_alone(root, seen):
        return FINE, f"L1 ✓ L2 ✓ L3 ✓: {here}, {size}; {why}"
    user, extent = wiring.user_of(root, seen)
    if not user:
        return ORPHAN, f"L1 ✓ L2 ✓ L3 ✗: nothing imports {here}{extent}"
    return FINE, f"L1 ✓ L2 ✓ L3 ✓: {here}, {size}; used in {user}"


def _deleted(root: str, path: str) -> Found:
    name = clean(path)
    if not name:
        return STUB, f"L1 ✗: {shown(path) or 'an empty path'} is outside the project"
    there = os.path.lexists(os.path.join(root, name))
    return (
        (STUB, f"L1 ✗: {shown(name)} is still there, and the plan deletes it")
        if there
        else (FINE, f"L1 ✓: {shown(name)} is gone")
    )


def _link(root: str, source: str = "", target: str = "", how: str = "", *_: str) -> Found:
    one, other = see(root, source), see(root, target)
    if troubles := [seen.trouble for seen in (one, other) if seen.trouble]:
        return BROKEN, "\n".join(troubles)
    wrong, detail = links.tie(root, one, other, how)
    return wrong or FINE, detail


PROBES: dict[str, Callable[..., Found]] = {"file": _file, "content": _content, "artifact": _artifact, "link": _link}


def _line_with(seen: Seen, wanted: str) -> int:
    """Where the text stands: as it is, else whatever its case and its spaces; 0: nowhere."""
    at = seen.text.find(wanted)
    if at >= 0:
        return line_of(seen.text, at)
    found = re.search(r"\s+".join(map(re.escape, wanted.split())), seen.text, re.I)
    return line_of(seen.text, found.start()) if found else 0


def _few(lines: list[str]) -> str:
    more = len(lines) - MOST_LINES + 1
    return "\n".join(lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"and {more} more"])


def _size(seen: Seen) -> str:
    return f"{seen.size} bytes" if seen.size < 10_000 else f"{seen.size // 1000} kB"
