"""`loop serve` with a fleet: rows, pages, events and orders of its jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loopwright.fleet.dashboard import FleetLoops
from loopwright.fleet.tables import QUEUED, RUNNING
from tests.e2e.waiting import until
from tests.fleet.held_job import WORKER, HeldJob, submit
from tests.support.project import Project
from tests.support.runner import DONE, script, start_checked_loop
from tests.web.serving import Server

Make = Callable[..., Project]


@pytest.fixture
def address(tmp_path: Path) -> str:
    """One database is enough here: test_dashboard.py reads the jobs of both."""
    return str(tmp_path / "fleet.db")


@pytest.fixture
def server(fleet: FleetLoops) -> Iterator[Server]:
    with Server(control=True, further=fleet) as serving:
        yield serving.sign_in()


@pytest.fixture
def held(database, project: Make) -> HeldJob:
    """A job that works on its second turn."""
    here = start_checked_loop(project)
    held = HeldJob(database, here, "make it exact")
    held.take_turn(script(here, {"write": {"a.txt": "1"}, "say": "the first"}, DONE))
    return held


def test_a_job_has_a_row_and_a_page_like_a_local_loop(held: HeldJob, server: Server) -> None:
    row = server.find_row(held.id)

    assert (row["status"], row["group"], row["iterations"]) == ("running", 1, 1)
    assert row["job"] == {
        "id": held.id,
        "name": "make it exact",
        "state": RUNNING,
        "repository": "git.example/shop",
        "worker": WORKER,
        "waits_for": "",
        "loop": held.here.loop.id,
        "priority": 0,
        "labels": [],
        "queue_key": [],
    }
    held.tell("→ Bash make test")
    values = server.get(f"/api/loops/{held.id}").json
    assert values["row"]["id"] == held.id
    [criterion] = values["page"]["criteria"]
    assert criterion["state"] == "failed"
    assert values["lines"][0]["entries"][0]["title"] == "The loop started"
    assert len(values["history"]["points"]) == 2
    output = server.get(f"/api/loops/{held.id}/output?log={criterion['log']}")
    assert output.status == 200
    until(
        lambda: server.get(f"/api/loops/{held.id}").json["words"]["lines"] == ["→ Bash make test"],
        lambda: server.get(f"/api/loops/{held.id}").body,
    )


def test_differences_of_trees_say_where_the_files_are(held: HeldJob, server: Server) -> None:
    server.find_row(held.id)
    values = server.get(f"/api/loops/{held.id}").json
    first, second = values["history"]["commits"][:2]

    answer = server.get(f"/api/loops/{held.id}/diff?first={first}&second={second}")

    assert answer.status == 404
    assert f"loop fleet results {held.id} --fetch" in answer.json["error"]


def test_a_job_that_has_not_begun_has_a_page_too(server: Server, database) -> None:
    job_id = submit(database, "wait for it")
    server.find_row(job_id)

    values = server.get(f"/api/loops/{job_id}").json

    assert values["row"]["job"]["waits_for"] == "a worker; none is running"
    assert values["page"]["headline"] == "queued: waits for a worker; none is running"
    assert (values["lines"], values["history"]["complete"]) == ([], True)
    assert server.get(f"/api/loops/{job_id}/timeline?before=0").status == 409
    assert server.get("/api/loops/none").status == 404


def test_a_page_hears_the_next_checkpoint_and_the_reply_to_an_order(
    held: HeldJob, server: Server
) -> None:
    server.find_row(held.id)
    page = server.get(f"/api/loops/{held.id}").json
    events = server.events(f"/api/loops/{held.id}/events?from={page['position']}")
    assert next(events)[0] == "state"

    answer = server.order(held.id, order="steer", text="use Decimal")
    assert (answer.status, answer.json["message"][:6]) == (200, "Noted.")
    held.apply_orders()

    heard: dict[str, object] = {}
    for kind, _, data in events:
        heard[kind] = data
        if {"line", "state", "reply"} <= heard.keys():
            break
    assert heard["reply"]["refused"] is False
    assert heard["reply"]["text"]
    assert held.here.loop.dialogue.guidance == "use Decimal"


def test_the_board_hears_of_a_job_that_changes(held: HeldJob, server: Server) -> None:
    server.find_row(held.id)
    events = server.events("/api/events")
    assert next(events)[0] == "board"

    held.keep(state=QUEUED, worker="", waits_for="a usage limit", not_before=9e9)

    for _, _, data in events:
        rows = [row for row in data.get("rows", []) if row["id"] == held.id]
        if rows and rows[0]["status"] == "queued":
            break
    assert rows[0]["why"] == "waits for a usage limit"
    assert data["totals"]["queued"] == 1
