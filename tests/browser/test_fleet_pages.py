"""The jobs of a fleet on the pages of `loop serve`, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason='needs pip install "loopwright[fleet]"')

from loopwright.fleet import dashboard
from loopwright.fleet.dashboard import FleetLoops
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.tables import FAILED
from tests.browser.axe import violations
from tests.fleet.held_job import WORKER, HeldJob, change_job, submit
from tests.support.builders import an_asking_loop
from tests.support.project import Project
from tests.support.runner import script, start_checked_loop
from tests.web.serving import Server

pytestmark = pytest.mark.browser
Make = Callable[..., Project]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(str(tmp_path / "fleet.db"))
    yield opened
    opened.close()


@pytest.fixture
def serve(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Server]]:
    monkeypatch.setattr(dashboard, "REPLY_SECONDS", 0.3)
    started: list[tuple[FleetLoops, Server]] = []

    def start() -> Server:
        fleet = FleetLoops(str(tmp_path / "fleet.db")).start()
        started.append((fleet, Server(control=True, further=fleet)))
        return started[-1][1]

    yield start
    for fleet, server in started:
        server.__exit__()
        fleet.close()


def test_jobs_are_seen_opened_and_answered_in_the_browser(
    new_page: Callable[..., Any], serve, database, project: Make, axe_script: Path
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here, "make the totals exact")
    held.take_turn(script(here, {"write": {"a.txt": "1"}, "say": "I looked at the code."}))
    there = project()
    there.create(an_asking_loop("G2", "Drop the column?", id="loop-9", spec="Move the totals"))
    asking = HeldJob(database, there, "move the totals")
    asking.keep()
    failed = submit(database, "fix the build")
    change_job(database, failed, state=FAILED, reason="it does not have the commit c0ffee")
    submit(database, "write the guide")
    page = new_page(reduced_motion="reduce", bypass_csp=True)  # for the script of axe-core
    page.goto(serve().url)
    page.locator(".row").nth(3).wait_for()

    assert page.locator(".row .pill").all_text_contents() == [
        "?Asks you",
        "!Failed",
        "▶Working",
        "⋯Queued",
    ]
    page.locator(".row-queued", has_text="waits for a worker; none is running").wait_for()
    assert page.locator(".row-running .tag").text_content() == f"fleet {held.id}"
    assert violations(page, axe_script) == []
    page.get_by_role("button", name="Queued").click()
    page.locator(".row").nth(1).wait_for(state="detached")
    page.locator("a.row-link").click()
    page.get_by_text("Waits for a worker; none is running").wait_for()
    assert violations(page, axe_script) == []

    page.goto(page.url.rpartition("/loop/")[0])
    page.locator(".row-running a.row-link").click()
    page.locator(".criterion-failed").wait_for()
    assert WORKER in page.locator(".loop-facts").text_content()
    held.tell("→ Bash make test")
    page.locator(".words", has_text="→ Bash make test").wait_for()
    page.get_by_role("button", name="Changes in the files").click()
    page.get_by_text(f"loop fleet results {held.id} --fetch").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pause").click()
    page.locator(".order-result", has_text="Noted.").wait_for()
    held.apply_orders()
    page.locator(".pill-paused").wait_for()
    page.locator(".order-result", has_text="Paused").wait_for()

    page.goto(page.url.rpartition("/loop/")[0])
    page.locator(".row-asking a.row-link").click()
    page.get_by_role("button", name="Yes").click()
    page.locator(".order-result", has_text="Noted.").wait_for()
    assert asking.apply_orders() == ["answer"]
    page.locator(".pill-running").wait_for()
