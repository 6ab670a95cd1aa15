"""Check the chain of a journal from its first line to its last: which lines changed, and where."""

from __future__ import annotations

from ..core.json_text import json_object
from ..core.record import digest
from .archive import seal_path
from .folder import LoopFolder, read_note
from .journal import line_digests
from .second_copy import file_identity

NO_HEAD = "no head of this journal is kept outside the project, so its end cannot be checked"


def sealed_end(loop_id: str) -> tuple[int, str]:
    """The number of lines of an ended journal and the digest of its last line.

    (0, "") if this user has no seal of that loop.
    """
    try:
        lines, head = _seal_lines(loop_id)[0].split()
        return int(lines), head
    except (OSError, ValueError):
        return 0, ""


def place_problem(folder: LoopFolder, loop_id: str) -> str:
    """Why an ended loop is not one of this folder; "" if it is, or if nobody recorded where.

    A folder that was moved is the same folder. An earlier version recorded no place.
    """
    root = _sealed_place(loop_id)[1]
    if not root or has_sealed_place(folder, loop_id):
        return ""
    return f"it is the record of another folder: the loop ended in {root}"


def has_sealed_place(folder: LoopFolder, loop_id: str) -> bool:
    """Does our seal of that loop say that it ended in this folder?"""
    identity, root = _sealed_place(loop_id)
    return bool(root) and (root == folder.real_root or identity == file_identity(folder.real_root))


def _sealed_place(loop_id: str) -> tuple[str, str]:
    """The identity and the path of the folder in which a loop ended; ("", "") if unknown."""
    try:
        _, identity, root, *_ = _seal_lines(loop_id)
        return identity, root
    except (OSError, ValueError):
        return "", ""


def _seal_lines(loop_id: str) -> list[str]:
    with open(seal_path(loop_id), encoding="utf-8", errors="surrogateescape") as file:
        return file.read().split("\n")


def noted_heads(folder: LoopFolder) -> tuple[str, ...]:
    """The heads that the journal of an active loop may have; empty without a note."""
    return tuple(filter(None, read_note(folder.note_path)[2:4]))


def chain_errors(path: str) -> list[str]:
    """Every line of the journal that does not fit the line before it."""
    errors: list[str] = []
    previous_digest = ""
    number = 0
    with open(path, "rb") as file:
        for number, row in enumerate(file, 1):
            errors += _line_errors(row, number, previous_digest)
            previous_digest = digest(row.rstrip(b"\n"))
    return errors if number else ["it is empty"]


def _line_errors(row: bytes, number: int, previous_digest: str) -> list[str]:
    entry = json_object(row.rstrip(b"\n"))
    if entry is None:
        torn = "" if row.endswith(b"\n") else ": it is torn"
        return [f"line {number} cannot be read{torn}"]
    if entry.get("prev", "") != previous_digest:
        if number == 1:
            return ["its first line is gone"]
        return [f"line {number - 1} was edited, or lines before {number} are gone"]
    if entry.get("seq") != number:
        return [f"line {number} says that it is line {entry.get('seq')}"]
    return []


def differences_from_seal(path: str, lines: int, head: str) -> list[str]:
    """How an ended journal differs from its seal, which lies outside the project."""
    if not head:
        return [NO_HEAD]
    digests = line_digests(path)
    if len(digests) < lines:
        return [f"cut off after line {len(digests)}: it had {lines}"]
    if digests[lines - 1] != head:
        changed = f"line {lines} is not the one that was written"
        return [f"{changed}: an edit, and all lines after it made to fit"]
    if len(digests) > lines:
        return [f"lines after {lines} were added: it had ended there"]
    return []
