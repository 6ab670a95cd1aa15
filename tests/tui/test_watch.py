"""`loop watch`: the board and the page of a loop, driven by keys in the real application."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TabbedContent

from loopwright.cli.commands import watch as watch_command
from loopwright.core.loop import Loop
from loopwright.tui.app import WatchApp
from loopwright.tui.board import BoardScreen
from loopwright.tui.cells import board_cells
from loopwright.tui.loop_screen import LoopScreen
from loopwright.tui.tables import RowTable
from loopwright.views.board_of_loops import BoardRow
from tests.support.builders import an_asking_loop
from tests.support.project import Project

Make = Callable[..., Project]
Story = Callable[[WatchApp, Pilot[Any]], Awaitable[None]]
FAILING = "echo expected 2, got 1; exit 1"
SMALL = (80, 24)
PATIENCE_SECONDS = 20


def watch(story: Story, loop_id: str = "") -> None:
    """Run the application in 80 columns and 24 rows, and drive it."""

    async def run() -> None:
        app = WatchApp(loop_id)
        app.animation_level = "none"  # nothing here looks at what lies between two screens
        async with app.run_test(size=SMALL) as pilot:
            await wait_for(pilot, lambda: isinstance(app.screen, (BoardScreen, LoopScreen)))
            await story(app, pilot)

    asyncio.run(run())


async def wait_for(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    for _ in range(PATIENCE_SECONDS * 20):
        if condition():
            return
        await pilot.pause(0.05)
    raise AssertionError(f"it never came; the screen shows:\n{screen_text(pilot.app)}")


def screen_text(app: Any) -> str:
    """What a person reads on the screen now."""
    lines = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines)


def notices(app: WatchApp) -> str:
    """The messages that appear in the corner of the screen."""
    return "\n".join(notice.message for notice in app._notifications)


def loop_of(project: Project) -> Loop:
    loop = project.folder.read_loop()
    assert loop is not None
    return loop


async def open_first(app: WatchApp, pilot: Pilot[Any]) -> None:
    await wait_for(pilot, lambda: "no session" in screen_text(app) or "asking" in screen_text(app))
    await pilot.press("enter")
    await wait_for(pilot, lambda: "1 Criteria" in screen_text(app))


def test_the_board_shows_all_loops_of_the_machine_and_what_needs_a_person_first(
    project: Make,
) -> None:
    working, paused = project(), project()
    working.start("--check", f"tests pass={FAILING}", "--session", "s-1")
    paused.start()
    paused.run("pause")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "1 needs you · 1 working" in screen_text(app))
        rows = [line for line in screen_text(app).splitlines() if "$0.00/25" in line]
        assert "paused" in rows[0]
        assert "running" in rows[1]
        assert "0/1" in rows[1]

    watch(story)


def test_only_an_end_that_a_command_has_shown_is_ticked() -> None:
    def sign(verdict: str, grade: str) -> str:
        row = BoardRow("loop-1", "shop", "/shop", "finished", verdict=verdict, grade=grade)
        return board_cells(row)[0].plain

    assert [sign("SHIP", "tested"), sign("MONITOR", "proven")] == ["✓", "✓"]
    assert [sign("MONITOR", grade) for grade in ("tested", "accepted", "reported")] == ["?"] * 3


def test_what_is_read_while_the_screen_is_not_there_is_drawn_later(project: Make) -> None:
    project().start("--check", f"tests pass={FAILING}", "--session", "s-1")
    app = WatchApp()
    app.catalog.refresh(1)
    app._show_board()  # as from the thread, before the screen is composed or after it is closed

    async def story() -> None:
        async with app.run_test(size=SMALL) as pilot:
            await wait_for(pilot, lambda: "1 working" in screen_text(app))

    asyncio.run(story())


def test_a_change_is_seen_without_a_key(project: Make) -> None:
    here = project()
    here.start("--session", "s-1")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "1 working" in screen_text(app))
        here.run("pause")
        await wait_for(pilot, lambda: "1 needs you · 0 working" in screen_text(app))

    watch(story)


def test_the_page_of_a_loop_shows_criteria_with_their_last_output_and_the_journal(
    project: Make,
) -> None:
    here = project()
    here.start("--check", f"tests pass={FAILING}")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        await wait_for(pilot, lambda: "expected 2, got 1" in screen_text(app))
        assert "✗" in screen_text(app)
        await pilot.press("5")
        await wait_for(pilot, lambda: "The loop started" in screen_text(app))
        here.run("pause")
        await wait_for(pilot, lambda: "Paused: asked by a person" in screen_text(app))
        await pilot.press("escape")
        await wait_for(pilot, lambda: isinstance(app.screen, BoardScreen))

    watch(story)


@pytest.mark.long
def test_a_check_without_output_is_not_said_to_be_still_running(project: Make) -> None:
    project().start("--check", "tests pass=exit 1")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        await wait_for(pilot, lambda: "It printed nothing." in screen_text(app))

    watch(story)


def test_a_folder_on_the_command_line_opens_its_loop(project: Make) -> None:
    project().start()
    here = project()
    here.start("--criterion", "this one")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "this one" in screen_text(app))
        assert isinstance(app.screen, LoopScreen)

    watch(story, loop_of(here).id)


@pytest.mark.long
def test_keys_pause_and_continue_a_loop(project: Make) -> None:
    here = project()
    here.start()

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "no session" in screen_text(app))
        await pilot.press("p")
        await wait_for(pilot, lambda: loop_of(here).status == "paused")
        await wait_for(pilot, lambda: "1 needs you" in screen_text(app))
        await pilot.press("c")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("enter")
        await wait_for(pilot, lambda: loop_of(here).status == "running")

    watch(story)


def test_a_reached_limit_is_raised_with_the_flags_that_the_pause_suggests(project: Make) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--iterations", "1")
    here.run("run", "--agent-command", "true")
    assert loop_of(here).pause.cause == "iterations"

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "paused" in screen_text(app))
        await pilot.press("c")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        assert app.screen.query_one(Input).value.startswith("--iterations=")
        await pilot.press("enter")
        await wait_for(pilot, lambda: loop_of(here).status == "running")

    watch(story)


@pytest.mark.long
def test_a_limit_that_is_no_number_is_an_error_and_changes_nothing(project: Make) -> None:
    here = project()
    here.start()
    here.run("pause")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "paused" in screen_text(app))
        await pilot.press("c")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        app.screen.query_one(Input).value = "--budget=much"
        await pilot.press("enter")
        await wait_for(pilot, lambda: "takes a number" in notices(app))
        assert loop_of(here).status == "paused"

    watch(story)


def test_cancel_asks_first_and_only_y_is_a_yes(project: Make) -> None:
    here = project()
    here.start()

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "no session" in screen_text(app))
        await pilot.press("x")
        await wait_for(pilot, lambda: "Cancel the loop" in screen_text(app))
        await pilot.press("n")
        await wait_for(pilot, lambda: isinstance(app.screen, BoardScreen))
        assert loop_of(here).status == "running"
        await pilot.press("x", "y")
        await wait_for(pilot, lambda: here.folder.read_loop() is None)
        await wait_for(pilot, lambda: "1 over" in screen_text(app))

    watch(story)


def test_a_gate_is_answered_on_the_page(project: Make) -> None:
    here = project()
    asked = here.run("start", "rewrite the guide", "--score", "6", "--criterion", "docs read well")
    assert asked.code == 0, asked.err
    assert loop_of(here).status == "asking"

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        await wait_for(pilot, lambda: "Press a to answer" in screen_text(app))
        await pilot.press("a")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press(*"yes", "enter")
        await wait_for(pilot, lambda: loop_of(here).status == "running")

    watch(story)


@pytest.mark.long
def test_what_is_steered_reaches_the_loop(project: Make) -> None:
    here = project()
    here.start()

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "no session" in screen_text(app))
        await pilot.press("s")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press(*"use", "space", *"tabs", "enter")
        await wait_for(pilot, lambda: "use tabs" in loop_of(here).dialogue.guidance)

    watch(story)


def test_a_dispute_is_ruled_on(project: Make) -> None:
    here = project()
    here.start("--check", f"tests pass={FAILING}")
    here.run("dispute", "tests pass", "the expected value is wrong", CLAUDECODE="1")
    here.run("run", "--agent-command", "true")
    assert loop_of(here).awaiting_ruling == ("tests pass",)

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "paused" in screen_text(app))
        await pilot.press("enter")
        await wait_for(pilot, lambda: "tests pass is disputed" in screen_text(app))
        await pilot.press("r")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("enter")  # "keep" is there already
        await wait_for(pilot, lambda: loop_of(here).awaiting_ruling == ())
        assert loop_of(here).disputes[0].ruling == "keep"

    watch(story)


@pytest.mark.parametrize(
    "text",
    ["[bold red]markup[/] [@click=app.quit]x[/]", "\x1b[2J\x1b]0;title\x07escape", "x" * 1_000_000],
    ids=["markup", "escape codes", "a long line"],
)
def test_hostile_text_is_shown_as_text(project: Make, text: str) -> None:
    here = project({"out.txt": text})
    here.start("--check", "tests pass=cat out.txt; exit 1")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        await wait_for(pilot, lambda: "$ cat out.txt" in screen_text(app))
        shown = str(app.screen.query_one("#output", Static).content)
        assert "\x1b" not in shown
        assert len(shown) < 10_000
        if "markup" in text:
            assert "[bold red]markup[/]" in screen_text(app)

    watch(story)


def test_help_names_every_key_and_tabs_are_chosen_by_number(project: Make) -> None:
    here = project()
    here.start()

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        await pilot.press("4")
        await wait_for(pilot, lambda: app.screen.query_one(TabbedContent).active == "findings")
        await pilot.press("question_mark")
        await wait_for(pilot, lambda: "rule on a disputed criterion" in screen_text(app))

    watch(story)


def test_without_a_loop_it_says_how_to_start_one(project: Make) -> None:
    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "loop start" in screen_text(app))

    watch(story)


def test_without_a_terminal_it_names_the_commands_that_work(project: Make) -> None:
    said = project().run("watch")
    assert said.code == 1
    assert "needs a terminal" in said.err
    assert "loop status" in said.err


def test_a_folder_without_a_loop_is_an_error(project: Make) -> None:
    said = project().run("watch", ".")
    assert said.code == 1
    assert "no loop is active in ." in said.err


def test_without_the_package_it_names_the_extra(project: Make) -> None:
    program = (
        "import sys; sys.modules['textual'] = None\n"
        "sys.stdin.isatty = sys.stdout.isatty = lambda: True\n"
        "from loopwright.cli.main import main; sys.exit(main(['watch']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert 'pip install "loopwright[tui]"' in done.stderr


def test_hidden_and_turning_characters_never_reach_the_terminal(project: Make) -> None:
    here = project()
    here.start("--check", "safe \u202egnp.exe\u200b=exit 1")
    here.run("steer", "look at \u202ethis")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await open_first(app, pilot)
        for key in "12345":
            await pilot.press(key)
            await pilot.pause()
            assert not {"\u202e", "\u200b", "\x1b"} & set(screen_text(app))
        await wait_for(pilot, lambda: "The loop started" in screen_text(app))

    watch(story)


def several_projects(project: Make, count: int) -> list[Project]:
    places = [project() for _ in range(count)]
    for number, place in enumerate(places):
        place.start("--criterion", f"number {number}")
    return places


def test_rows_are_searched_filtered_and_sorted(project: Make) -> None:
    several_projects(project, 2)[0].run("pause")

    def shown(app: WatchApp) -> list[str]:
        return [line for line in screen_text(app).splitlines() if "$0.00/25" in line]

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: len(shown(app)) == 2)
        await pilot.press("slash", *"PAUSED", "enter")
        await wait_for(pilot, lambda: len(shown(app)) == 1)
        assert "with «PAUSED»" in screen_text(app)
        assert "paused" in shown(app)[0]
        await pilot.press("escape")
        await wait_for(pilot, lambda: len(shown(app)) == 2)
        await pilot.press("f", "f")
        await wait_for(pilot, lambda: "No loop is only working" in screen_text(app))
        await pilot.press("escape", "o")
        await wait_for(pilot, lambda: "by newest change" in screen_text(app))
        assert "paused" in shown(app)[0]

    watch(story)


def test_the_chosen_row_is_visible_after_a_resize_and_keys_reach_both_ends(project: Make) -> None:
    several_projects(project, 12)

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        table = app.screen.query_one(RowTable)
        await wait_for(pilot, lambda: table.row_count == 12)
        for last, first in (("end", "home"), ("G", "g")):
            await pilot.press(last)
            assert table.cursor_row == 11
            await pilot.press(first)
            assert table.cursor_row == 0
        await pilot.press("end")
        await pilot.resize_terminal(80, 16)
        await wait_for(pilot, lambda: row_is_visible(table))

    watch(story)


def row_is_visible(table: RowTable) -> bool:
    top = table.scroll_offset.y
    body = table.scrollable_content_region.height - 1  # the first line has the headings
    return body > 0 and top <= table.cursor_row < top + body


@pytest.mark.long
def test_after_an_answer_the_next_question_is_chosen(project: Make) -> None:
    asking = [project(), project()]
    for number, place in enumerate(asking):
        place.create(an_asking_loop("G2", f"Continue {number}?", id=f"loop-{number}"))
    project().start("--criterion", "a third one")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        board = app.screen
        assert isinstance(board, BoardScreen)
        await wait_for(pilot, lambda: "3 need you" in screen_text(app))
        chosen = board.chosen_row()
        assert chosen is not None
        await pilot.press("a")
        await wait_for(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("y", "enter")
        await wait_for(pilot, lambda: "2 need you" in screen_text(app))
        row = board.chosen_row()
        assert row is not None
        assert (row.status, row.id == chosen.id) == ("asking", False)

    watch(story)


def test_a_terminal_that_can_only_print_gets_plain_lines(
    project: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project().start("--check", f"tests pass={FAILING}")
    monkeypatch.setenv("TERM", "dumb")

    watch_command.print_board("")

    printed = capsys.readouterr().out
    assert printed.startswith("1 needs you · 0 working")
    assert "waits for a session: " in printed
    assert "\x1b" not in printed
