"""The board: all loops in a table, and a few lines about the chosen one."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Input, Static

from ..views.board_lines import totals_line
from ..views.board_of_loops import BoardRow, board_totals, queue_positions
from . import cells
from .orders import OrderScreen
from .row_choice import RowChoice
from .tables import fill_table, make_table, update_rows

EMPTY = 'No loop has run on this machine yet. Start one in a project: loop start "what to do"'


class BoardScreen(OrderScreen):
    """All loops; Enter opens one."""

    LAST_PART = "#details"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("f", "filter", "Filter", show=False),
        Binding("o", "sort", "Order", show=False),
        Binding("escape", "show_all", "All", show=False),
        *cells.ORDER_BINDINGS,
    ]

    def __init__(self) -> None:
        super().__init__()
        self._all: list[BoardRow] = []
        self._rows: dict[str, BoardRow] = {}
        self._choice = RowChoice()
        self._totals = ""

    def compose(self) -> ComposeResult:
        yield Static(Text("Loopwright", "bold"), id="totals")
        yield Static(id="notice")
        yield Input(placeholder="words of spec, project, id or reason", id="search")
        yield make_table("loops", cells.BOARD_COLUMNS)
        yield Static(id="details")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(DataTable).focus()

    def show_rows(self, rows: list[BoardRow], unread: int) -> None:
        """Bring the table up to date; rows that have not changed are left as they are."""
        self._all, self._totals = rows, totals_line(board_totals(rows), unread)
        self._show_chosen_rows()

    def _show_chosen_rows(self) -> None:
        choice = f"   [{self._choice.text}]" if self._choice.text else ""
        head = Text(f"Loopwright   {self._totals}{choice}", "bold")
        self.query_one("#totals", Static).update(head)
        fresh = {row.id: row for row in self._choice.apply(self._all)}
        places = queue_positions(self._all)
        table = self.query_one(DataTable)
        if list(fresh) != list(self._rows):
            chosen = self._chosen_id()
            rows = {key: cells.board_cells(row, places.get(key)) for key, row in fresh.items()}
            fill_table(table, rows)
            if chosen in fresh:
                table.move_cursor(row=table.get_row_index(chosen), animate=False)
        else:
            changed = {
                key: cells.board_cells(row, places.get(key))
                for key, row in fresh.items()
                if row != self._rows[key]
            }
            update_rows(table, changed)
        self._rows = fresh
        self._stay_with_the_questions()
        self._show_details()

    def _stay_with_the_questions(self) -> None:
        """After an answer the next question is chosen, not the loop that works now elsewhere."""
        row = self._rows.get(self.answered_id)
        if row is None or row.status == "asking":
            return
        chosen, self.answered_id = self._chosen_id() == self.answered_id, ""
        asking = [key for key, each in self._rows.items() if each.status == "asking"]
        if chosen:
            table = self.query_one(DataTable)
            table.move_cursor(row=table.get_row_index(asking[0]) if asking else 0, animate=False)

    def action_search(self) -> None:
        search = self.query_one("#search", Input)
        search.display = True
        search.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._choose(self._choice.but(words=event.value.strip()))

    def on_input_submitted(self) -> None:
        self.query_one(DataTable).focus()

    def action_filter(self) -> None:
        self._choose(self._choice.next_filter())

    def action_sort(self) -> None:
        self._choose(self._choice.next_sort())

    def action_show_all(self) -> None:
        search = self.query_one("#search", Input)
        search.clear()
        search.display = False
        self.query_one(DataTable).focus()
        self._choose(RowChoice())

    def _choose(self, choice: RowChoice) -> None:
        if choice != self._choice:
            self._choice = choice
            self._show_chosen_rows()

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
        nothing = f"No loop is {self._choice.text}. Escape shows all." if self._all else EMPTY
        text = cells.row_details(row, time.time()) if row else Text(nothing)
        self.query_one("#details", Static).update(text)
