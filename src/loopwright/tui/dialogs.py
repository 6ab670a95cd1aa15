"""Dialogs of `loop watch`: a line of text, a yes or no, and the help."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

# At most 20 lines: it is read without scrolling on a terminal of 80 by 24.
HELP = """\
Board: ↑ ↓ j k choose a loop, Home End g G first, last, Enter opens
  /       search            f  only one group, such as: needs you
  o       another order     Escape  all loops again
Loop: 1 … 5 criteria, iterations and time, agent, findings, journal
  Tab     next part of the page     Escape  back to the board
Orders for the chosen loop
  p  pause it               c  continue it, with more budget
  a  answer its question    s  tell the agent something
  x  cancel it              r  rule on a disputed criterion
?  this help     q  quit; the loops keep running

Loops:    ▶ working   ? asks you, or your turn   ‖ paused   … waits
          ○ waits for a session   ✗ cancelled   ! unreadable
Ends:     ✓ shown by commands   ? reported or accepted, not shown
Jobs of a fleet:  … queued   ! failed; c tries a failed job again
Criteria: ✓ passed   ✗ failed   – ran before the files changed
          ? claimed, not shown   · open   = not run again"""


class TextDialog(ModalScreen[str | None]):
    """Asks for one line; Escape returns None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_dialog", "Cancel")]

    def __init__(self, title: str, details: str = "", value: str = "") -> None:
        super().__init__()
        self._title, self._details, self._value = title, details, value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Text(self._title, "bold"))
            if self._details:
                with VerticalScroll(classes="dialog-details"):
                    yield Static(Text(self._details))
            yield Input(self._value, select_on_focus=False)
            yield Static(Text("Enter sends it, Escape goes back", "dim"))

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_dismiss_dialog(self) -> None:
        self.dismiss(None)


class ConfirmDialog(ModalScreen[bool]):
    """Asks for y or n; everything else is a no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape,q", "answer(False)", "No"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Text(self._question, "bold"))
            yield Static(Text("y: yes   n: no", "dim"))

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class HelpDialog(ModalScreen[None]):
    """The keys and the signs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "close", "Close")
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Static(Text(HELP))

    def action_close(self) -> None:
        self.dismiss(None)
