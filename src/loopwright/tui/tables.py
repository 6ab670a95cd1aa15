"""Tables whose columns are wide enough from the first drawing on.

Textual measures new rows when it is idle. Rows that are drawn before that are cut to the width of
their headings and stay so, because the cut cells are cached. So the widths are set here, before the
rows are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    _widen_columns(table, rows.values())
    for key, cells in rows.items():
        table.add_row(*cells, key=key)


def update_rows(table: DataTable[Text], rows: Mapping[str, Cells]) -> None:
    """Change the cells of rows that are there already."""
    _widen_columns(table, rows.values())
    for key, cells in rows.items():
        for column, cell in zip(table.ordered_columns, cells, strict=True):
            table.update_cell(key, column.key, cell, update_width=True)


def _widen_columns(table: DataTable[Text], rows: Iterable[Cells]) -> None:
    for cells in rows:
        for column, cell in zip(table.ordered_columns, cells, strict=True):
            column.width = max(column.width, cell.cell_len)
