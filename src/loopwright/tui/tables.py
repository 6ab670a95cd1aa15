"""Tables whose columns are wide enough from the first drawing on.

Textual measures new rows when it is idle. Rows that are drawn before that are cut to the width of
their headings and stay so, because the cut cells are cached. So the widths are set here, before the
rows are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

Cells = Sequence[Text]


class RowTable(DataTable[Text]):
    """A table in which the keys move from row to row, and whose chosen row is always visible."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home,g", "first_row", "First", show=False),
        Binding("end,G", "last_row", "Last", show=False),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def action_first_row(self) -> None:
        self.move_cursor(row=0)

    def action_last_row(self) -> None:
        self.move_cursor(row=self.row_count - 1)

    def on_resize(self) -> None:
        self.call_after_refresh(self.move_cursor, row=self.cursor_row)


def make_table(name: str, headings: Sequence[str]) -> RowTable:
    table = RowTable(cursor_type="row", id=name)
    for heading in headings:
        table.add_column(heading, key=heading, width=Text(heading).cell_len)
    return table


def fill_table(table: DataTable[Text], rows: Mapping[str, Cells]) -> None:
    """Replace all rows; each has a key."""
    table.clear()
    for column in table.ordered_columns:
        column.width = column.label.cell_len
    for cells in rows.values():
        _widen_columns(table, cells)
    for key, cells in rows.items():
        table.add_row(*cells, key=key)


def update_rows(table: DataTable[Text], rows: Mapping[str, Cells]) -> None:
    """Change the cells of rows that are there already."""
    for key, cells in rows.items():
        is_wider = _widen_columns(table, cells)
        for column, cell in zip(table.ordered_columns, cells, strict=True):
            table.update_cell(key, column.key, cell, update_width=is_wider)


def _widen_columns(table: DataTable[Text], cells: Cells) -> bool:
    """Make room for the cells of a row; was there too little?"""
    is_wider = False
    for column, cell in zip(table.ordered_columns, cells, strict=True):
        if cell.cell_len > column.width:
            column.width = cell.cell_len
            is_wider = True
    return is_wider
