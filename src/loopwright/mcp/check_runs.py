"""One run of the checks per project at a time, for all servers of this machine.

Who comes second gets the result of the run that works. A run whose call was cancelled finishes and
leaves its result; the next call gets it, unless a file has changed.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record, digest
from ..disk.files import make_folder, read_text, write_atomic
from ..disk.lock import FileLock, FolderBusy
from ..disk.user_folders import state_home
from ..repo.tree import tree_hash
from ..store.folder import LoopFolder
from .results import KEPT, SHARED, CommandOutput, check_evidence

POLL_SECONDS = 0.1
MAX_CHARACTERS = 10_000_000


class Receipt(Record):
    """The last run in a project: its command, what it printed, and whether its caller waited."""

    id: str
    words: tuple[str, ...]
    code: int
    out: str
    err: str
    delivered: bool

    def output(self, source: str) -> CommandOutput:
        return CommandOutput(self.code, self.out, self.err, source)


def run_or_share(
    root: str,
    words: tuple[str, ...],
    run: Callable[[], CommandOutput | None],
    is_cancelled: Callable[[], bool],
    is_closing: Callable[[], bool],
) -> CommandOutput | None:
    """The result of our run, or of the same run that works already; None if we are closing."""
    path = receipt_path(root)
    make_folder(os.path.dirname(path))
    seen = _read_receipt(path)
    while not is_closing():
        try:
            with FileLock(f"{path}.lock", 0.0):
                last = _read_receipt(path)
                if last and last.words == words and (source := _use_of(last, seen, root)):
                    if not last.delivered:
                        _write_receipt(path, last.but(delivered=True))
                    return last.output(source)
                output = run()
                if output:
                    _write_receipt(path, _new_receipt(words, output, not is_cancelled()))
                return output
        except FolderBusy:
            time.sleep(POLL_SECONDS)
    return None


def _use_of(last: Receipt, seen: Receipt | None, root: str) -> str:
    """How the last run answers a call that found `seen` when it came; "" if it does not."""
    if not seen or last.id != seen.id:  # it ended while we waited
        return SHARED
    return KEPT if not last.delivered and _is_current(last, root) else ""


def receipt_path(root: str) -> str:
    """The file with the last run in this project, outside of it."""
    name = digest(os.path.realpath(root).encode("utf-8", "surrogateescape"))
    return os.path.join(state_home(), "mcp", f"{name}.json")


def _new_receipt(words: tuple[str, ...], output: CommandOutput, delivered: bool) -> Receipt:
    return Receipt(
        id=secrets.token_hex(8),
        words=words,
        code=output.code,
        out=output.out,
        err=output.err,
        delivered=delivered,
    )


def _is_current(receipt: Receipt, root: str) -> bool:
    """Are the files still those that the run has checked?"""
    evidence, folder = check_evidence(receipt.out), LoopFolder(root)
    try:
        loop = folder.read_loop()
        if not evidence or not loop:
            return False
        tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)
    except Exception:  # the command says what is wrong here
        return False
    return all(e.tree == tree for e in evidence)


def _read_receipt(path: str) -> Receipt | None:
    try:
        values = loads(read_text(path, MAX_CHARACTERS, exact=True) or "")
        return Receipt(**{**values, "words": tuple(values["words"])})
    except (JSONError, KeyError, TypeError):
        return None


def _write_receipt(path: str, receipt: Receipt) -> None:
    write_atomic(path, dumps({**receipt.__dict__, "words": list(receipt.words)}).encode())
