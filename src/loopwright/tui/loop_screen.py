"""The page of one loop: criteria with their output, iterations, the agent, findings, journal."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import DataTable, Footer, Static, TabbedContent, TabPane

from ..views.axis_text import axis_lines
from ..views.board_of_loops import BoardRow
from ..views.loop_page import CriterionView, LoopPage
from . import cells
from .loop_data import LoopData, ShownLoop
from .orders import OrderScreen
from .tables import fill_table, make_table

TABS = ("criteria", "iterations", "agent", "findings", "journal")


class LoopScreen(OrderScreen):
    """One loop, live."""

    LAST_PART = "#journal-text"  # parts inside the tabs come after the screen
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,b", "app.pop_screen", "Board"),
        *(
            Binding(str(number), f"show_tab('{name}')", name.capitalize(), show=False)
            for number, name in enumerate(TABS, 1)
        ),
        *cells.ORDER_BINDINGS,
    ]

    def __init__(self, data: LoopData) -> None:
        super().__init__()
        self.data = data
        self._shown: ShownLoop | None = None
        self._criteria: tuple[CriterionView, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield Static(id="question")
        with TabbedContent(initial="criteria"):
            with TabPane("1 Criteria", id="criteria"):
                yield make_table("criteria-table", cells.CRITERIA_COLUMNS)
                with VerticalScroll(id="output-scroll"):
                    yield Static(id="output")
            with TabPane("2 Iterations", id="iterations"):
                with VerticalScroll(id="axis"):
                    yield Static(id="axis-text")
                yield make_table("iterations-table", cells.ITERATION_COLUMNS)
            with TabPane("3 Agent", id="agent"), VerticalScroll():
                yield Static(id="words")
            with TabPane("4 Findings", id="findings"), VerticalScroll():
                yield Static(id="findings-text")
            with TabPane("5 Journal", id="journal"), VerticalScroll():
                yield Static(id="journal-text")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#criteria-table", DataTable).focus()

    def action_show_tab(self, name: str) -> None:
        """Show a part of the page; the keys then move in it."""
        self.query_one(TabbedContent).active = name
        part = self.query_one(f"#{name}", TabPane)
        self.call_after_refresh(part.query("DataTable, VerticalScroll").first().focus)

    def chosen_row(self) -> BoardRow | None:
        return self._shown.row if self._shown else None

    def chosen_page(self) -> LoopPage | None:
        return self._shown.page if self._shown else None

    def show_loop(self, shown: ShownLoop) -> None:
        """Draw what has changed since the last call."""
        before, self._shown = self._shown, shown
        self.query_one("#head", Static).update(cells.page_head(shown.page, shown.row))
        question = cells.question_text(shown.page)
        panel = self.query_one("#question", Static)
        panel.update(question)
        panel.display = bool(question)
        if before is None or shown.page.criteria != before.page.criteria:
            self._show_criteria(shown.page.criteria)
        if before is None or (shown.points, shown.axis) != (before.points, before.axis):
            self._show_iterations(shown)
        self.query_one("#words", Static).update(_words_text(shown))
        self.query_one("#findings-text", Static).update(cells.findings_text(shown.page))
        self.query_one("#journal-text", Static).update(_journal_text(shown))

    def _show_criteria(self, criteria: tuple[CriterionView, ...]) -> None:
        table = self.query_one("#criteria-table", DataTable)
        chosen = table.cursor_row
        self._criteria = criteria
        fill_table(table, {str(n): cells.criterion_cells(c) for n, c in enumerate(criteria)})
        if criteria:
            table.move_cursor(row=min(chosen, len(criteria) - 1), animate=False)
        self._show_output()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        if event.data_table.id == "criteria-table":
            self._show_output()

    def _show_output(self) -> None:
        number = self.query_one("#criteria-table", DataTable).cursor_row
        if number < len(self._criteria):
            folder = self._shown.folder if self._shown else ""
            output = cells.criterion_output(self._criteria[number], folder)
            self.query_one("#output", Static).update(output)

    def _show_iterations(self, shown: ShownLoop) -> None:
        rows = {
            str(number): cells.iteration_cells(point, _clock_text(point.at))
            for number, point in enumerate(reversed(shown.points))
        }
        fill_table(self.query_one("#iterations-table", DataTable), rows)
        self._show_axis(shown)

    def on_resize(self) -> None:
        if self._shown:
            self._show_axis(self._shown)

    def _show_axis(self, shown: ShownLoop) -> None:
        lines = axis_lines(shown.axis, self.size.width - 4)
        self.query_one("#axis-text", Static).update(Text("\n".join(lines), no_wrap=True))


def _clock_text(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _words_text(shown: ShownLoop) -> Text:
    if shown.words.lines:
        return Text("\n".join(shown.words.lines))
    if shown.page.last_words:
        return Text(shown.page.last_words)
    if shown.row.job:
        return Text("No worker has told anything about this job yet.", "dim")
    return Text("The agent's own words are in its session: only `loop run` records them.", "dim")


def _journal_text(shown: ShownLoop) -> Text:
    """The newest entry first."""
    lines = [cells.timeline_line(entry, _clock_text(at)) for at, entry in reversed(shown.entries)]
    return Text("\n").join(lines)
