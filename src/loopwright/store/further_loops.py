"""Loops that run elsewhere, and that the dashboards show and steer like those of this machine.

The dashboards know only this interface. Whoever starts them says what stands behind it: a fleet, or
nothing.
"""

from __future__ import annotations

from typing import Protocol

from ..core.loop import Loop
from ..core.record import Record
from ..views.board_of_loops import BoardRow
from ..views.loop_page import LoopPage


class LoopPlace(Record):
    """Where a loop is: its folder and its journal, and whether it is in the archive."""

    id: str
    root: str
    path: str  # "" while there is no journal here
    is_archived: bool
    # Of a loop that runs elsewhere:
    row: BoardRow | None = None
    changes: int = 0  # grows when the row, or any of its files here, has changed

    @property
    def is_elsewhere(self) -> bool:
        return self.row is not None


class PersonOrder(Record):
    """What a person orders on a dashboard."""

    name: str  # pause, continue, cancel, steer, answer or rule
    text: str = ""
    dollars: float = 0.0
    iterations: float = 0.0
    minutes: float = 0.0
    criterion: str = ""
    ruling: str = ""
    command: str = ""
    question: str = ""  # that the person has read; "": whichever is open


class OrderReply(Record):
    """What came of an order that took effect later. Numbers grow."""

    number: int
    loop_id: str
    text: str
    is_refused: bool


class FurtherLoops(Protocol):
    """Only `bring` and `give_order` wait for anything."""

    version: int  # grows when a row or the notice has changed

    @property
    def notice(self) -> str:
        """A line for the person, such as that nothing answers; "" if all is well."""

    def refresh(self) -> None:
        """Called again and again while a dashboard is open."""

    def rows(self) -> list[BoardRow]:
        """All rows. A row that has not changed is the same object as before."""

    def owns_row(self, row: BoardRow) -> bool:
        """Is this row of the local catalog one of our loops? Then it is left out there."""

    def find(self, row_id: str) -> LoopPlace | None:
        """The loop with what is here of it; while it is asked for, its files are kept fresh."""

    def bring(self, row_id: str) -> None:
        """Wait for a moment until the files of the loop are here."""

    def page_of(self, row_id: str, loop: Loop | None) -> LoopPage:
        """The page; `loop` is None while its journal is not here."""

    def give_order(self, row_id: str, order: PersonOrder) -> str:
        """The reply; UserError says why the order is refused."""

    def replies_after(self, number: int) -> list[OrderReply]:
        """What came of earlier orders since then."""

    def close(self) -> None:
        """Read no more."""
