"""Measure the dashboards with the many jobs of a fleet.

python bench/fleet_dashboard.py [--jobs N] [--times N]

A look is what the dashboard's thread does once a second; its figure is processor time. "A change on
screen" is the time from the commit of a job's new state until the page of the browser shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src")]

import sqlalchemy as sa  # noqa: E402
from tests.browser.machine import a_spec  # noqa: E402
from tests.fleet.held_job import change_job  # noqa: E402

from bench.dashboard import first_paints, idle_share, serving  # noqa: E402
from loopwright.fleet.dashboard import FleetLoops  # noqa: E402
from loopwright.fleet.database import Database, open_database  # noqa: E402
from loopwright.fleet.jobs import JobRequest, submit_jobs  # noqa: E402
from loopwright.fleet.outcomes import job_columns  # noqa: E402
from loopwright.fleet.tables import jobs  # noqa: E402
from loopwright.store.loop_catalog import LoopCatalog  # noqa: E402
from loopwright.tui.app import WatchApp  # noqa: E402


def make_jobs(database: Database, count: int) -> list[str]:
    """Jobs whose loops have begun, and which wait for their next turn."""
    loop = a_spec("20261101-000000-aaaaaa", "Tidy up", ("tests pass", "pytest -q"))
    request = JobRequest(name="tidy up", repository="git.example/shop", base_commit="c0ffee")
    ids = submit_jobs(database, [request] * count)
    with database.writing() as connection:
        long_ago = jobs.c.changed_at - 3600
        connection.execute(sa.update(jobs).values(changed_at=long_ago, **job_columns(loop)))
    return ids


def milliseconds(act: Callable[[], object], times: int = 1) -> float:
    """The processor time of one call."""
    began = time.process_time()
    for _ in range(times):
        act()
    return 1000 * (time.process_time() - began) / times


def measure_looks(database: Database, address: str, ids: list[str]) -> dict[str, str]:
    fleet = FleetLoops(address)
    catalog = LoopCatalog(fleet)
    first = milliseconds(fleet._look)
    idle = milliseconds(fleet._look, 20)
    change_job(database, ids[0], state="running", worker="w")
    one = milliseconds(lambda: (fleet._look(), catalog.rows()))
    fleet.close()
    return {
        "the first look": f"{first:.0f} ms",
        "a look when nothing has changed": f"{idle:.1f} ms",
        "a look when one job has changed, and the sorted rows": f"{one:.1f} ms",
    }


async def measure_terminal(database: Database, address: str, ids: list[str]) -> str:
    """The share of a core of `loop watch` while two jobs change every second."""
    fleet = FleetLoops(address).start()
    app = WatchApp("", fleet)
    async with app.run_test(size=(100, 30)) as pilot:
        while len(app.catalog.rows()) < len(ids):
            await pilot.pause(0.1)
        await pilot.pause(3)
        began, processor = time.monotonic(), time.process_time()
        for number in range(1, 41):
            change_job(database, ids[number], state="running", worker="w")
            await pilot.pause(0.5)
        share = (time.process_time() - processor) / (time.monotonic() - began)
    fleet.close()
    return f"{100 * share:.1f} % of a core"


def measure_pages(browser: Any, database: Database, ids: list[str], times: int) -> dict[str, str]:
    paint = median(first_paints(browser, times))
    seen = []
    with serving() as (url, pid):
        page = browser.new_context().new_page()
        page.goto(url)
        page.locator(".row").first.wait_for()
        for number in range(times):
            change_job(database, ids[-1 - number], state="failed", reason=f"reason {number}")
            began = time.monotonic()
            page.get_by_text(f"reason {number}", exact=False).first.wait_for()
            seen.append(1000 * (time.monotonic() - began))
        megabytes = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
        return {
            "first paint of the page": f"{paint:.0f} ms",
            "a change on screen, median": f"{median(seen):.0f} ms",
            "an idle server": f"{100 * idle_share():.1f} % of a core",
            "memory of the server": f"{megabytes:.0f} MB",
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="fleet-dashboard-") as place:
        address = f"{place}/fleet.db"
        os.environ.update(HOME=place, XDG_STATE_HOME=f"{place}/state", LOOP_FLEET_DATABASE=address)
        database = open_database(address)
        ids = make_jobs(database, args.jobs)
        found = measure_looks(database, address, ids)
        with sync_playwright() as playwright:
            flags = ["--no-sandbox"] if os.geteuid() == 0 else []
            program = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=program, args=flags)
            found |= measure_pages(browser, database, ids, args.times)
            browser.close()
        changing = asyncio.run(measure_terminal(database, address, ids))
        found["`loop watch` while two jobs change every second"] = changing
        database.close()
    for name, figure in found.items():
        print(f"| {name} | {figure} |")


if __name__ == "__main__":
    main()
