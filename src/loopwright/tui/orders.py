"""The keys that give an order: ask what is needed, give it in a thread, show the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from textual.screen import Screen

from ..core.proof.disputes import RULINGS
from ..disk.lock import FolderBusy
from ..drive.errors import UserError
from ..drive.orders.loop_orders import parse_amount
from ..drive.orders.person import give_order
from ..store.folder import NoLoop, UntrustedFolder
from ..store.further_loops import PersonOrder
from ..store.journal import JournalError
from ..views.board_of_loops import BoardRow
from ..views.loop_page import LoopPage
from . import cells
from .base import LoopApp
from .dialogs import ConfirmDialog, HelpDialog, TextDialog

EXPECTED_ERRORS = (UserError, FolderBusy, NoLoop, UntrustedFolder, JournalError, OSError)
LIMIT_FLAGS = ("--budget", "--iterations", "--minutes")


class OrderScreen(Screen[None]):
    """A screen on which a loop is chosen and can be given orders."""

    app: LoopApp
    LAST_PART: ClassVar[str]  # the selector of the part that is composed last
    answered_id = ""  # of the loop whose question was just answered here

    @property
    def is_composed(self) -> bool:
        """Are all parts there? Not before the start, and not while the screen is closed."""
        return bool(self.query(self.LAST_PART))

    def chosen_row(self) -> BoardRow | None:
        """The loop that an order is for."""
        raise NotImplementedError

    def chosen_page(self) -> LoopPage | None:
        """The page of that loop; None if it cannot be read."""
        row = self.chosen_row()
        place = self.app.catalog.find(row.id) if row else None
        try:
            return self.app.catalog.read_view(place)[1] if place else None
        except (OSError, JournalError):
            return None

    def action_help(self) -> None:
        self.app.push_screen(HelpDialog())

    def action_pause(self) -> None:
        self._give(PersonOrder("pause"))

    def action_cancel(self) -> None:
        row = self.chosen_row()
        if not row:
            return
        question = f"Cancel the loop in {row.project}? Its files stay as they are."

        def cancel_if_sure(sure: bool | None) -> None:
            if sure:
                self._give(PersonOrder("cancel"))

        self.app.push_screen(ConfirmDialog(question), cancel_if_sure)

    def action_continue(self) -> None:
        row, page = self.chosen_row(), self.chosen_page()
        if not row or not page:
            return
        details = (
            f"{row.why}\nHigher limits, if any: {' '.join(f'{flag}=N' for flag in LIMIT_FLAGS)}"
        )

        def continue_with(text: str | None) -> None:
            if text is None:
                return
            try:
                order = parse_continue(text)
            except UserError as error:
                self.app.notify(str(error), severity="error", markup=False)
                return
            self._give(order)

        flags = flags_in(page.next_command)
        self.app.push_screen(TextDialog("Continue", details, flags), continue_with)

    def action_answer(self) -> None:
        page = self.chosen_page()
        if not page or not page.question:
            self.app.notify("this loop has asked nothing", markup=False)
            return
        dialog = TextDialog("Answer", cells.gate_details(page))
        self.app.push_screen(dialog, self._give_text("answer", page.question))

    def action_steer(self) -> None:
        if not self.chosen_row():
            return
        dialog = TextDialog("Tell the agent", "It reads this with its next prompt.")
        self.app.push_screen(dialog, self._give_text("steer"))

    def action_rule(self) -> None:
        page = self.chosen_page()
        if not page or not page.awaiting_ruling:
            self.app.notify("nothing here waits for a ruling", markup=False)
            return
        name = page.awaiting_ruling[0]
        reasons = [d.why for d in page.disputes if d.criterion == name]
        details = "\n".join((*reasons, "keep, drop, or change COMMAND"))
        dialog = TextDialog(f"Rule on {name}", details, "keep")

        def give_ruling(text: str | None) -> None:
            ruling, _, command = (text or "").strip().partition(" ")
            if text is None:
                return
            if ruling not in RULINGS:
                self.app.notify("a ruling is keep, drop, or change COMMAND", severity="error")
                return
            self._give(PersonOrder("rule", criterion=name, ruling=ruling, command=command.strip()))

        self.app.push_screen(dialog, give_ruling)

    def _give_text(self, name: str, question: str = "") -> Callable[[str | None], None]:
        """What a dialog does with its text: nothing without words, else it gives the order."""

        def give(text: str | None) -> None:
            if text and text.strip():
                self._give(PersonOrder(name, text=text, question=question))

        return give

    def _give(self, order: PersonOrder) -> None:
        """Give the order in a thread: it may wait for a lock, or run the final checks."""
        row = self.chosen_row()
        if not row:
            return
        if order.name == "answer":
            self.answered_id = row.id
        self.app.notify(f"{order.name}: {row.project} …", timeout=2, markup=False)

        async def work() -> None:
            message, severity = await asyncio.to_thread(self._reply_to, row.id, order)
            self._show_reply(message, severity)

        self.app.run_worker(work(), group="orders")

    def _show_reply(self, message: str, severity: Any) -> None:
        self.app.notify(message, severity=severity, timeout=8, markup=False)
        self.app.refresh_now()

    def _reply_to(self, loop_id: str, order: PersonOrder) -> tuple[str, str]:
        """What the order answers, and how severe that is."""
        try:
            reply = give_order(self.app.catalog, loop_id, order)
            return reply or f"{order.name}: done", "information"
        except EXPECTED_ERRORS as error:
            return str(error), "error"


def flags_in(command: str) -> str:
    """The limits that a suggested command raises, as it spells them."""
    words = command.replace("`", " ").split()
    return " ".join(word for word in words if word.partition("=")[0] in LIMIT_FLAGS)


def parse_continue(text: str) -> PersonOrder:
    """The order to continue, with the limits that the text raises."""
    amounts = dict.fromkeys(LIMIT_FLAGS, 0.0)
    for word in text.split():
        flag, _, amount = word.partition("=")
        if flag not in amounts:
            raise UserError(f"{word!r} is not a limit. Write for example {LIMIT_FLAGS[0]}=10")
        amounts[flag] = parse_amount(flag, amount)
    dollars, iterations, minutes = amounts.values()
    return PersonOrder("continue", dollars=dollars, iterations=iterations, minutes=minutes)
