"""Warns at once after an edit that weakens a test: this file compared with the baseline.

It only adds a line of context. What counts is the comparison of all files at the end.
"""

from __future__ import annotations

import os

from .. import ratchet
from ..checks.test_files import is_test_file
from ..core.findings import LOW, Finding
from ..core.prompts.edit_warning import edit_warning_text
from ..core.record import digest
from ..disk.files import read_text, write_atomic
from ..repo.baseline import MAX_BYTES, Change, baseline_text
from ..repo.walk import is_excluded
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.loop import Loop

WARNED_FILE = "warned"  # the last warning, so that it is not repeated after each edit


def answer_edit(data: dict[str, Any], folder: LoopFolder) -> dict[str, Any]:
    """The context for the agent; empty if nothing became weaker, or nothing new."""
    path = _edited_path(data, folder.root)
    loop = folder.read_loop() if path else None
    if loop is None or loop.status != "running" or not loop.baseline.tree_id:
        return {}
    found = _weakened_since_start(folder, loop, path)
    if not found or not _is_news(folder, path, found):
        return {}
    text = edit_warning_text(found[0], len(found) - 1)
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}}


def _edited_path(data: dict[str, Any], root: str) -> str:
    """The path below the root of a test that was edited; "" for any other file."""
    values = data.get("tool_input")
    full = str(values.get("file_path", "")) if isinstance(values, dict) else ""
    inside = os.path.relpath(os.path.realpath(full), os.path.realpath(root)) if full else ".."
    path = inside.replace(os.sep, "/")
    return path if is_test_file(path) and not path.startswith("..") else ""


def _weakened_since_start(folder: LoopFolder, loop: Loop, path: str) -> list[Finding]:
    if is_excluded(path, loop.room.may_change):
        return []
    before = baseline_text(folder.root, folder.path, loop.baseline.tree_id, path)
    full = os.path.join(folder.root, path)
    after = read_text(full, MAX_BYTES) if os.path.isfile(full) else None
    if before is None or before == after:
        return []
    found = ratchet.findings([Change(path, before, after)], ())
    return [finding for finding in found if finding.severity != LOW]


def _is_news(folder: LoopFolder, path: str, found: list[Finding]) -> bool:
    """Is it another warning than the last one?"""
    keys = " ".join([path, *(finding.key for finding in found)])
    warned, file = digest(keys.encode()), folder.path_of(WARNED_FILE)
    if os.path.isfile(file) and read_text(file, MAX_BYTES) == warned:
        return False
    write_atomic(file, warned.encode())
    return True
