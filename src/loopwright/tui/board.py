"""The board: all loops in a table, and a few lines about the chosen one."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Static

from ..views.board_of_loops import BoardRow, board_totals
from . import cells
from .orders import OrderScreen
from .tables import fill_table, make_table, update_rows

EMPTY = 'No loop has run on this machine yet. Start one in a project: loop start "what to do"'


class BoardScreen(OrderScreen):
    """All loops; Enter opens one."""

    LAST_PART = "#details"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False),
        *cells.ORDER_BINDINGS,
    ]

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, BoardRow] = {}
        self._shown_minute = 0

    def compose(self) -> ComposeResult:
        yield Static(Text("Loopwright", "bold"), id="totals")
        yield Static(id="notice")
        yield make_table("loops", cells.BOARD_COLUMNS)
        yield Static(id="details")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(DataTable).focus()

    def show_rows(self, rows: list[BoardRow], unread: int) -> None:
        """Bring the table up to date; rows that have not changed are left as they are."""
        line = cells.totals_line(board_totals(rows), unread)
        self.query_one("#totals", Static).update(Text(f"Loopwright   {line}", "bold"))
        fresh = {row.id: row for row in rows}
        now = time.time()
        minute_passed = int(now // 60) != self._shown_minute
        self._shown_minute = int(now // 60)
        table = self.query_one(DataTable)
        if list(fresh) != list(self._rows):
            chosen = self._chosen_id()
            fill_table(table, {key: cells.board_cells(row, now) for key, row in fresh.items()})
            if chosen in fresh:
                table.move_cursor(row=table.get_row_index(chosen), animate=False)
        else:
            changed = {
                key: cells.board_cells(row, now)
                for key, row in fresh.items()
                if minute_passed or row != self._rows[key]
            }
            update_rows(table, changed)
        self._rows = fresh
        self._show_details()

    def show_notice(self, text: str) -> None:
        """One line about loops that run elsewhere."""
        line = self.query_one("#notice", Static)
        line.update(Text(text, "yellow"))
        line.display = bool(text)

    def _chosen_id(self) -> str:
        table = self.query_one(DataTable)
        if not table.row_count:
            return ""
        return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value or ""

    def chosen_row(self) -> BoardRow | None:
        return self._rows.get(self._chosen_id())

    def on_data_table_row_highlighted(self) -> None:
        self._show_details()

    def on_data_table_row_selected(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        if row := self.chosen_row():
            self.app.open_loop(row.id)

    def _show_details(self) -> None:
        row = self.chosen_row()
        text = cells.row_details(row) if row else Text(EMPTY if not self._rows else "")
        self.query_one("#details", Static).update(text)
