"""`loop watch` with a fleet: its jobs beside the local loops, opened and given orders by key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("textual", reason='needs pip install "loopwright[tui]"')

from textual.pilot import Pilot

from loopwright.fleet.dashboard import FleetLoops
from loopwright.fleet.tables import FAILED
from loopwright.tui.app import WatchApp
from tests.fleet.held_job import WORKER, HeldJob, change_job, submit
from tests.support.project import Project
from tests.support.runner import script, start_checked_loop
from tests.tui.test_watch import SMALL, Story, notices, screen_text, wait_for

Make = Callable[..., Project]
FAILING = {"say": "I looked at the code."}


@pytest.fixture
def address(tmp_path: Path) -> str:
    """One database is enough here: test_dashboard.py reads the jobs of both."""
    return str(tmp_path / "fleet.db")


def watch(fleet: FleetLoops, story: Story) -> None:
    async def run() -> None:
        app = WatchApp("", fleet)
        async with app.run_test(size=SMALL) as pilot:
            await story(app, pilot)

    asyncio.run(run())


def test_the_board_shows_jobs_beside_local_loops(fleet, database, project: Make) -> None:
    project().start("--criterion", "a local one")
    held = HeldJob(database, start_checked_loop(project))
    held.keep()
    queued, failed = submit(database, "a queued one"), submit(database, "a failed one")
    change_job(database, failed, state=FAILED, reason="the commit is not there")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(
            pilot, lambda: "2 need you · 1 working · 1 queued · 0 over" in screen_text(app)
        )
        lines = screen_text(app).splitlines()
        [line] = [line for line in lines if held.id in line and "running" in line]
        assert f"job {held.id}: " in line
        assert any(line.split()[:3] == ["!", "shop", "failed"] for line in lines)
        assert any(line.split()[:3] == ["…", "shop", "queued"] and queued in line for line in lines)
        # The failed job is first, so it is chosen, and told about below the table.
        await wait_for(pilot, lambda: "the commit is not there" in screen_text(app))
        assert f"fleet job {failed} · failed · git.example/shop" in screen_text(app)

    watch(fleet, story)


def test_the_page_of_a_job_has_criteria_journal_and_live_words(
    fleet, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    held.take_turn(script(here, FAILING))

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "1 working" in screen_text(app))
        await pilot.press("enter")
        await wait_for(
            pilot, lambda: f"fleet job {held.id} · running · on {WORKER}" in screen_text(app)
        )
        await wait_for(pilot, lambda: "exit 1 in" in screen_text(app))
        await pilot.press("5")
        await wait_for(pilot, lambda: "The loop started" in screen_text(app))
        await pilot.press("3")
        held.tell("→ Bash make test")
        await wait_for(pilot, lambda: "→ Bash make test" in screen_text(app))

    watch(fleet, story)


def test_a_queued_job_has_a_page_that_becomes_that_of_its_loop(
    fleet, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here, "soon to begin")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "1 queued" in screen_text(app))
        [place] = [n for n, row in enumerate(app.catalog.rows()) if row.id == held.id]
        for _ in range(place):
            await pilot.press("down")
        await pilot.press("enter")
        await wait_for(pilot, lambda: "queued: waits for a worker" in screen_text(app))
        held.keep()
        await wait_for(pilot, lambda: "not run yet" in screen_text(app) or "✗" in screen_text(app))
        assert "1 Criteria" in screen_text(app)

    watch(fleet, story)


def test_keys_give_orders_to_a_job_and_its_replies_are_shown(
    fleet, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    held.keep()

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "1 working" in screen_text(app))
        await pilot.press("p")
        await wait_for(pilot, lambda: "Noted." in notices(app))
        assert held.apply_orders() == ["pause"]
        await wait_for(pilot, lambda: "1 needs you" in screen_text(app))
        await wait_for(pilot, lambda: "Paused" in notices(app))

    watch(fleet, story)
    assert here.loop.status == "paused"


def test_a_database_that_does_not_answer_is_one_line_on_the_board(project: Make) -> None:
    project().start("--criterion", "a local one")
    fleet = FleetLoops("postgresql://nobody@127.0.0.1:1/none").start()
    pytest.importorskip("psycopg")

    async def story(app: WatchApp, pilot: Pilot[Any]) -> None:
        await wait_for(pilot, lambda: "fleet: the database does not answer" in screen_text(app))
        await wait_for(pilot, lambda: "no session" in screen_text(app))

    watch(fleet, story)
    fleet.close()
