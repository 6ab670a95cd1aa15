"""Orders of the person from a page: the same functions as behind the commands of the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..disk.lock import FolderBusy
from ..drive import outside_orders as outside
from ..drive.errors import UserError
from ..drive.orders import parse_amount
from ..store.folder import LoopFolder, NoLoop, UntrustedFolder
from ..store.journal import JournalError
from ..views.loop_page import clean_text

MAX_TEXT = 4_000
REFUSALS = (UserError, NoLoop, FolderBusy, UntrustedFolder, JournalError)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise UserError(f"{name} is text of at most {MAX_TEXT} characters")
    return value


def _amount(fields: dict[str, Any], name: str) -> float:
    text = _text(fields, name)
    return parse_amount(name, text) if text else 0.0


def _continue(folder: LoopFolder, fields: dict[str, Any]) -> str:
    amounts = [_amount(fields, name) for name in ("budget", "iterations", "minutes")]
    return outside.give_continue(folder, *amounts)


def _rule(folder: LoopFolder, fields: dict[str, Any]) -> str:
    words = [_text(fields, name) for name in ("criterion", "ruling", "command")]
    return outside.give_ruling(folder, *words)


ORDERS: dict[str, Callable[[LoopFolder, dict[str, Any]], str]] = {
    "pause": lambda folder, fields: outside.give_pause(folder, _text(fields, "text")),
    "continue": _continue,
    "cancel": lambda folder, fields: outside.give_cancel(folder),
    "steer": lambda folder, fields: outside.give_guidance(folder, _text(fields, "text")),
    "answer": lambda folder, fields: outside.give_answer(folder, _text(fields, "text")),
    "rule": _rule,
}


def give_order(root: str, loop_id: str, fields: dict[str, Any]) -> str:
    """Carry out one order; UserError and the like say why it is refused."""
    name, folder = _text(fields, "order"), LoopFolder(root)
    if name not in ORDERS:
        raise UserError(f"no order {name!r}; there are: {', '.join(ORDERS)}")
    loop = folder.read_loop()
    if loop is None or loop.id != loop_id:
        raise UserError("this loop has ended, and its folder may have another one by now")
    if question := _text(fields, "question"):
        asked = clean_text(loop.gate.question) if loop.gate else ""
        if question not in (asked, loop.gate.question if loop.gate else ""):
            raise UserError("the question has changed meanwhile: read the new one first")
    return ORDERS[name](folder, fields)
