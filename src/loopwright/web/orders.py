"""Orders of the person from a page, as the fields of a request say them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from ..disk.lock import FolderBusy
from ..drive.errors import UserError
from ..drive.orders.loop_orders import parse_amount
from ..store.folder import NoLoop, UntrustedFolder
from ..store.further_loops import PersonOrder
from ..store.journal import JournalError

MAX_TEXT = 4_000
REFUSALS = (UserError, NoLoop, FolderBusy, UntrustedFolder, JournalError)


async def read_body(request: Request, most: int) -> bytes | None:
    """The body of a request; None if it has more bytes."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            return None
    return body


def parse_order(fields: dict[str, Any]) -> PersonOrder:
    return PersonOrder(
        name=_text(fields, "order"),
        text=_text(fields, "text"),
        dollars=_amount(fields, "budget"),
        iterations=_amount(fields, "iterations"),
        minutes=_amount(fields, "minutes"),
        criterion=_text(fields, "criterion"),
        ruling=_text(fields, "ruling"),
        command=_text(fields, "command"),
        question=_text(fields, "question"),
    )


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise UserError(f"{name} is text of at most {MAX_TEXT} characters")
    return value


def _amount(fields: dict[str, Any], name: str) -> float:
    text = _text(fields, name)
    return parse_amount(name, text) if text else 0.0
