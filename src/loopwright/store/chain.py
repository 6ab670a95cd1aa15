"""The chain of a journal, looked at from its first line to its last: what was edited, cut off or added, and where."""

from __future__ import annotations

from ..core.json_text import JSONError, loads
from ..core.record import digest
from .folder import LoopFolder, seal_path
from .journal import line_digests

NO_HEAD = "no head of this journal is kept outside the project: nobody knows where it ended"


def sealed_end(loop_id: str) -> tuple[int, str]:
    """How many lines an ended journal had, and the digest of its last one; (0, "") where it was never noted here."""
    try:
        with open(seal_path(loop_id), encoding="ascii") as file:
            lines, head = file.read().split()
        return int(lines), head
    except (OSError, ValueError):
        return 0, ""


def noted_heads(folder: LoopFolder) -> tuple[str, ...]:
    """Heads that the journal of an active loop may have; none where we know of none."""
    try:
        with open(folder.note_path, encoding="utf-8", errors="replace") as file:
            noted = file.read().split("\n")
    except OSError:
        return ()
    return tuple(head for head in noted[2:4] if head)


def chain_errors(path: str) -> list[str]:
    """Every line that does not fit to the next one."""
    found: list[str] = []
    before, number = "", 0
    with open(path, "rb") as file:
        for number, row in enumerate(file, 1):
            line = row.rstrip(b"\n")
            entry = _parse_entry(line)
            if entry is None:
                torn = "" if row.endswith(b"\n") else ": it is torn"
                found.append(f"line {number} cannot be read{torn}")
            elif entry.get("prev", "") != before:
                what = (
                    f"line {number - 1} was edited, or lines before {number} are gone"
                    if number > 1
                    else "its first line is gone"
                )
                found.append(what)
            elif entry.get("seq") != number:
                found.append(f"line {number} says that it is line {entry.get('seq')}")
            before = digest(line)
    return found if number else ["it is empty"]


def _parse_entry(line: bytes) -> dict[str, object] | None:
    try:
        entry = loads(line)
    except JSONError:
        return None
    return entry if isinstance(entry, dict) else None


def differences_from_seal(path: str, lines: int, head: str) -> list[str]:
    """How an ended journal differs from what is kept of it outside the project."""
    if not head:
        return [NO_HEAD]
    digests = line_digests(path)
    if len(digests) < lines:
        return [f"cut off after line {len(digests)}: it had {lines}"]
    if digests[lines - 1] != head:
        return [
            f"line {lines} is not the one that was written: an edit, and all lines after it made to fit"
        ]
    return [f"lines after {lines} were added: it had ended there"] if len(digests) > lines else []
