"""Tables whose columns are wide enough from the first drawing on.

Textual measures new rows when it is idle. Rows that are drawn before that are cut to the width of
their headings and stay so, because the cut cells are cached. So the widths are set here, before the
rows are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text
from textual.widgets import DataTable

Cells = Sequence[Text]


def make_table(name: str, headings: Sequence[str]) -> DataTable[Text]:
    table: DataTable[Text] = DataTable(cursor_type="row", id=name)
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
