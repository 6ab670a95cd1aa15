"""Orders that a person gives on a dashboard: to a loop of this machine, or to one elsewhere."""

from __future__ import annotations

from ...core.loop import Loop
from ...store.folder import LoopFolder
from ...store.further_loops import PersonOrder
from ...store.loop_catalog import LoopCatalog
from ...views.loop_page import clean_text
from ..errors import UserError
from . import given_orders, loop_orders

ORDERS = ("pause", "continue", "cancel", "steer", "answer", "rule")


def give_order(catalog: LoopCatalog, loop_id: str, order: PersonOrder) -> str:
    """Carry out one order; UserError and the like say why it is refused."""
    if order.name not in ORDERS:
        raise UserError(f"no order {order.name!r}; there are: {', '.join(ORDERS)}")
    place = catalog.find(loop_id)
    if place and place.is_elsewhere and catalog.further:
        return catalog.further.give_order(loop_id, order)
    folder = LoopFolder(place.root) if place else None
    loop = folder.read_loop() if folder else None
    if folder is None or loop is None or loop.id != loop_id:
        raise UserError("this loop has ended, and its folder may have another one by now")
    require_question(order, loop)
    return apply_order(folder, order)


def require_question(order: PersonOrder, loop: Loop) -> None:
    """Refuse an answer to a question that is not the open one any more."""
    asked = loop.gate.question if loop.gate else ""
    if order.question and order.question not in (asked, clean_text(asked)):
        raise UserError("the question has changed meanwhile: read the new one first")


def apply_order(folder: LoopFolder, order: PersonOrder) -> str:
    match order.name:
        case "pause":
            return given_orders.give_pause(folder, order.text)
        case "continue":
            amounts = (order.dollars, order.iterations, order.minutes)
            reply = loop_orders.continue_loop(folder, *amounts)
            return reply.message or given_orders.CONTINUING
        case "cancel":
            return given_orders.give_cancel(folder)
        case "steer":
            return loop_orders.steer_agent(folder, order.text).message
        case "answer":
            return given_orders.give_answer(folder, order.text)
        case _:
            return given_orders.give_ruling(folder, order.criterion, order.ruling, order.command)
