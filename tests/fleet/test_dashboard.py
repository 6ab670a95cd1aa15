"""The jobs of a fleet as the dashboards read them: rows, pages, files, orders, and silence."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.cli.further_loops import find_further_loops
from loopwright.core.proof.disputes import Dispute
from loopwright.disk.user_folders import state_home
from loopwright.drive.agent_words import read_agent_words
from loopwright.drive.errors import UserError
from loopwright.drive.orders.person import give_order
from loopwright.fleet import dashboard
from loopwright.fleet.archive import pack_files, unpack_plain_files
from loopwright.fleet.dashboard import NO_ANSWER, FleetLoops
from loopwright.fleet.jobs import JobRequest, submit_jobs
from loopwright.fleet.mirror import KEPT_CHECKPOINTS
from loopwright.fleet.tables import CANCELLED, FAILED, PAUSED, QUEUED, RUNNING, checkpoints, jobs
from loopwright.store import known_projects
from loopwright.store.further_loops import PersonOrder
from loopwright.store.loop_catalog import LoopCatalog
from loopwright.views.board_of_loops import queue_positions
from tests.e2e.waiting import until
from tests.fleet.held_job import WORKER, HeldJob, change_job, submit
from tests.support.builders import a_loop, an_asking_loop
from tests.support.project import Project
from tests.support.runner import DONE, script, start_checked_loop

Make = Callable[..., Project]


@pytest.fixture
def catalog(fleet: FleetLoops) -> LoopCatalog:
    return LoopCatalog(fleet)


def wait_for_row(catalog: LoopCatalog, job_id: str, **values: object):
    """The row of the job, once it has these values."""
    found = []

    def look() -> bool:
        catalog.refresh()
        found[:] = [row for row in catalog.rows() if row.id == job_id]
        return bool(found) and all(getattr(found[0], k) == v for k, v in values.items())

    until(look, lambda: f"{job_id} is never {values}: {found}")
    return found[0]


def wait_for_place(catalog: LoopCatalog, job_id: str, condition=lambda place: place.path):
    until(lambda: condition(catalog.find(job_id)), lambda: f"{catalog.find(job_id)}")
    return catalog.find(job_id)


def test_a_job_without_a_loop_says_what_it_waits_for(catalog, database) -> None:
    job_id = submit(database, "make the totals exact")

    row = wait_for_row(catalog, job_id, status="queued")

    assert row.job.name == "make the totals exact"
    assert (row.project, row.job.repository) == ("shop", "git.example/shop")
    assert row.why == "waits for a worker; none is running"
    assert row.job.waits_for == "a worker; none is running"
    catalog.bring(job_id)
    row, page = catalog.read_view(catalog.find(job_id))
    assert page.headline == "queued: waits for a worker; none is running"
    assert page.next_command == "loop fleet doctor"
    assert (page.criteria, page.limits) == ((), ())


def test_each_state_of_a_job_is_in_its_group_with_its_reason(catalog, database) -> None:
    ids = {state: submit(database, state) for state in (QUEUED, PAUSED, FAILED, CANCELLED)}
    for state in (PAUSED, FAILED, CANCELLED):
        change_job(database, ids[state], state=state, reason=f"why {state}")
    wait_for_row(catalog, ids[CANCELLED], status="cancelled")

    rows = {row.id: row for row in catalog.rows()}

    assert [rows[ids[s]].group for s in (PAUSED, FAILED, QUEUED, CANCELLED)] == [0, 0, 2, 3]
    assert rows[ids[FAILED]].why == "why failed"
    page = catalog.read_view(catalog.find(ids[FAILED]))[1]
    assert page.headline == "failed: why failed"
    assert page.verdict_notes == ()
    long = "the tests of the base commit fail: " + "a long line\n" * 50
    change_job(database, ids[FAILED], reason=long)
    until(lambda: "tests of the base" in wait_for_row(catalog, ids[FAILED]).why, lambda: "")
    page = catalog.read_view(catalog.find(ids[FAILED]))[1]
    assert page.verdict_notes == (long.strip(),)
    assert page.next_command == f"loop fleet retry {ids[FAILED]}"


def test_queued_jobs_are_in_the_order_in_which_they_will_run(catalog, database) -> None:
    first, second, urgent, later = (
        submit(database, name) for name in ("first", "second", "urgent", "later")
    )
    change_job(database, urgent, priority=5)
    change_job(database, later, priority=9, not_before=time.time() + 3600.0)
    in_order = [urgent, first, second, later]

    until(
        lambda: catalog.refresh() is False and [row.id for row in catalog.rows()] == in_order,
        lambda: f"{[(row.id, row.job) for row in catalog.rows()]}",
    )

    assert queue_positions(catalog.rows()) == {job: n for n, job in enumerate(in_order, 1)}


def test_a_loop_of_a_fleet_is_read_like_a_local_one_and_shown_once(
    catalog, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    turns = script(here, {"say": "not yet"}, DONE)
    held.take_turn(turns)

    row = wait_for_row(catalog, held.id, status="running", iterations=1)

    assert (row.met, row.criteria, row.max_iterations) == (0, 1, here.loop.limits.iterations)
    assert row.job.worker == WORKER
    assert row.driver == f"worker {WORKER}"
    # The project of this test is the worker's checkout: it is not shown a second time.
    assert [row.id for row in catalog.rows()] == [held.id]
    catalog.bring(held.id)
    place = catalog.find(held.id)
    page = catalog.read_view(place)[1]
    assert [c.state for c in page.criteria] == ["failed"]
    assert Path(place.path).read_bytes() == Path(here.folder.journal_path).read_bytes()
    assert (Path(place.path).parent / page.criteria[0].log).is_file()

    held.take_turn(turns)
    row = wait_for_row(catalog, held.id, status="finished")
    assert row.grade.startswith("proven")
    wait_for_place(catalog, held.id, lambda now: now.path != place.path)
    row, page = catalog.read_view(catalog.find(held.id))
    assert [c.state for c in page.criteria] == ["met"]
    assert page.next_command == f"loop fleet results {held.id}"


def test_a_loop_that_a_worker_here_has_just_begun_is_not_taken_for_a_local_one(
    catalog, project: Make
) -> None:
    local = project()
    local.start()
    Project(Path(state_home()) / "fleet" / "work" / "job-1").start()

    catalog.refresh()

    assert [row.root for row in catalog.rows()] == [str(local.root)]


def test_the_mirror_is_no_loop_of_this_machine_and_does_not_grow(
    catalog, fleet, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    held.keep()
    wait_for_row(catalog, held.id)
    known = [known_projects.read_project(stamp) for stamp in known_projects.note_stamps()]

    for _ in range(KEPT_CHECKPOINTS + 2):
        before = catalog.find(held.id)
        held.keep()
        place = wait_for_place(catalog, held.id, lambda now, old=before.path: now.path != old)

    folder = Path(place.path).parent
    assert ".loop" not in place.path.split(os.sep)
    until(
        lambda: len(list(folder.parent.iterdir())) == KEPT_CHECKPOINTS,
        lambda: str(list(folder.parent.iterdir())),
    )
    after = [known_projects.read_project(stamp) for stamp in known_projects.note_stamps()]
    assert [project.root for project in after] == [project.root for project in known]
    assert folder.stat().st_mode & 0o077 == 0
    assert "no active loop" in Project(folder / "below", git=False).run("status").err


def test_between_two_checkpoints_the_worker_s_lines_are_the_agent_s_words(
    catalog, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    held.take_turn(script(here, {"say": "the first turn"}, DONE))
    wait_for_row(catalog, held.id)
    held.tell("→ Bash pytest -q", "1 failed")
    place = wait_for_place(catalog, held.id, lambda now: now and now.path)

    def words() -> list[str]:
        catalog.find(held.id)
        return list(read_agent_words(os.path.dirname(place.path), 10).lines)

    until(lambda: words() == ["→ Bash pytest -q", "1 failed"], lambda: f"{words()}")
    changes = catalog.find(held.id).changes
    held.tell("trying another way")
    until(lambda: words()[-1:] == ["trying another way"], lambda: f"{words()}")
    until(lambda: catalog.find(held.id).changes > changes, lambda: f"{changes} changes")

    change_job(database, held.id, state=QUEUED, worker="")
    until(lambda: words() == ["the first turn"], lambda: f"{words()}")


def test_links_in_a_checkpoint_lead_nowhere(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "evidence").mkdir(parents=True)
    (source / "evidence" / "a.log").symlink_to("/etc/passwd")
    (source / "journal.jsonl").write_text("{}\n")
    data = pack_files(
        [
            (".loop/journal.jsonl", str(source / "journal.jsonl")),
            (".loop/evidence/a.log", str(source / "evidence" / "a.log")),
            ("VERIFICATION.md", str(source / "journal.jsonl")),
        ]
    )
    target.mkdir()

    unpack_plain_files(data, str(target), lambda name: name.startswith(".loop/"))

    assert [path.name for path in target.rglob("*") if path.is_file()] == ["journal.jsonl"]
    assert not (target / ".loop/evidence").exists()


def test_a_checkpoint_that_cannot_be_read_is_told_and_hides_nothing_else(
    catalog, database, project: Make
) -> None:
    held = HeldJob(database, start_checked_loop(project))
    held.keep()
    other = submit(database, "another")
    with database.writing() as connection:
        connection.execute(checkpoints.update().values(folder=b"damaged", written_at=1.0))
    wait_for_row(catalog, held.id, status="running")

    catalog.bring(held.id)

    until(lambda: "cannot be shown" in catalog.notice, lambda: catalog.notice)
    assert held.id in catalog.notice
    row, page = catalog.read_view(catalog.find(held.id))
    assert (row.status, page.criteria) == ("running", ())
    wait_for_row(catalog, other, status="queued")


# --- Orders ---


def test_orders_reach_the_loop_through_the_database(
    catalog, fleet, database, project: Make
) -> None:
    here = start_checked_loop(project)
    held = HeldJob(database, here)
    held.keep()
    wait_for_row(catalog, held.id, status="running")

    assert give_order(catalog, held.id, PersonOrder("steer", text="look at the header")).startswith(
        "Noted."
    )
    assert held.apply_orders() == ["steer"]
    until(lambda: fleet.replies_after(0), lambda: "no reply")
    [reply] = fleet.replies_after(0)
    assert (reply.loop_id, reply.is_refused) == (held.id, False)
    assert here.loop.dialogue.guidance == "look at the header"
    assert fleet.replies_after(reply.number) == []

    give_order(catalog, held.id, PersonOrder("pause", text="lunch"))
    held.apply_orders()
    row = wait_for_row(catalog, held.id, status="paused")
    assert row.why == "lunch"
    give_order(catalog, held.id, PersonOrder("continue", dollars=3.0))
    assert held.job.state == QUEUED
    held.apply_orders()
    assert (here.loop.status, here.loop.limits.dollars) == ("running", 28.0)
    give_order(catalog, held.id, PersonOrder("cancel"))
    held.apply_orders()
    wait_for_row(catalog, held.id, status="cancelled")


def test_a_question_is_answered_once_and_only_the_one_that_was_read(
    catalog, fleet, database, project: Make
) -> None:
    here = project()
    here.create(an_asking_loop("G2", "Drop the column?", id="loop-9"))
    held = HeldJob(database, here)
    held.keep()
    row = wait_for_row(catalog, held.id, status="asking")
    assert row.why == "Drop the column?"
    page = catalog.read_view(catalog.find(held.id))[1]
    assert (page.gate, page.question) == ("G2", "Drop the column?")

    with pytest.raises(UserError, match="changed meanwhile"):
        give_order(catalog, held.id, PersonOrder("answer", text="yes", question="Another?"))
    answer = PersonOrder("answer", text="yes", question="Drop the column?")
    give_order(catalog, held.id, answer)
    with pytest.raises(UserError, match="is queued, so there is nothing to answer"):
        give_order(catalog, held.id, answer)
    held.apply_orders()
    assert here.loop.status == "running"


def test_a_ruling_reaches_the_loop(catalog, fleet, database, project: Make) -> None:
    here = project()
    here.create(a_loop(id="loop-8", disputes=(Dispute("tests pass", "it needs a network"),)))
    held = HeldJob(database, here)
    held.keep()
    wait_for_row(catalog, held.id)
    catalog.bring(held.id)
    page = catalog.read_view(catalog.find(held.id))[1]
    assert page.awaiting_ruling == ("tests pass",)

    give_order(catalog, held.id, PersonOrder("rule", criterion="tests pass", ruling="keep"))
    assert held.apply_orders() == ["rule"]

    assert [dispute.ruling for dispute in here.loop.disputes] == ["keep"]


def test_a_refused_order_is_told_as_an_error(catalog, fleet, database) -> None:
    job_id = submit(database)
    wait_for_row(catalog, job_id)

    assert "is paused" in give_order(catalog, job_id, PersonOrder("pause"))
    with pytest.raises(UserError, match="is paused, so there is nothing to pause"):
        give_order(catalog, job_id, PersonOrder("pause"))
    with pytest.raises(UserError, match="no order 'dance'"):
        give_order(catalog, job_id, PersonOrder("dance"))


# --- A database that does not answer, and none at all ---


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)  # its file is moved away
def test_a_database_that_does_not_answer_leaves_the_last_rows(
    catalog, fleet, database, address: str, tmp_path: Path
) -> None:
    job_id = submit(database)
    row = wait_for_row(catalog, job_id)
    database.close()
    os.rename(address, f"{address}.away")
    os.mkdir(address)
    fleet._database.close()  # the connections that it has open would still work

    until(lambda: catalog.notice == NO_ANSWER, lambda: catalog.notice)
    assert catalog.rows() == [row]
    catalog.bring(job_id)  # it does not wait
    with pytest.raises(UserError, match="does not answer"):
        give_order(catalog, job_id, PersonOrder("pause"))

    os.rmdir(address)
    os.rename(f"{address}.away", address)
    until(lambda: catalog.notice == "", lambda: catalog.notice)


def test_a_database_that_hangs_is_noticed_by_the_time_it_takes(monkeypatch, tmp_path: Path) -> None:
    import socket

    monkeypatch.setattr(dashboard, "SILENT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts, and never says a word
        port = silent.getsockname()[1]
        loops = FleetLoops(f"postgresql://nobody@127.0.0.1:{port}/none").start()
        catalog = LoopCatalog(loops)

        def look() -> bool:
            catalog.refresh()
            return catalog.notice == NO_ANSWER

        pytest.importorskip("psycopg")
        until(look, lambda: catalog.notice)
        assert catalog.rows() == []
        loops.close()


def test_without_a_fleet_nothing_of_it_is_imported() -> None:
    code = (
        "import sys; from loopwright.cli.further_loops import find_further_loops\n"
        "assert find_further_loops() is None\n"
        "assert not {'sqlalchemy', 'dbos', 'loopwright.fleet.dashboard'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_settings_that_are_wrong_only_cost_the_rows_of_the_fleet(
    monkeypatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "fleet.toml").write_text("colour = 'red'\n")

    assert find_further_loops() is None
    assert "no setting 'colour'" in capsys.readouterr().err


def test_the_address_of_the_environment_is_enough(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOP_FLEET_DATABASE", str(tmp_path / "fleet.db"))

    loops = find_further_loops()

    assert loops is not None
    loops.close()


# --- Many jobs ---


def test_a_look_at_many_jobs_reads_only_those_that_changed(catalog, fleet, database) -> None:
    request = JobRequest(name="one of many", repository="shop", base_commit="c0ffee")
    ids = submit_jobs(database, [request] * 1_000)
    until(lambda: len(catalog.rows()) == 1_000, lambda: f"{len(catalog.rows())} rows")
    before = {row.id: row for row in catalog.rows()}

    change_job(database, ids[500], state=RUNNING, worker=WORKER)
    wait_for_row(catalog, ids[500], status="running")

    after = {row.id: row for row in catalog.rows()}
    assert [key for key in ids if after[key] is not before[key]] == [ids[500]]
    with database.writing() as connection:
        connection.execute(jobs.delete().where(jobs.c.id == ids[0]))
    fleet._rows._due["all"] = 0.0  # the look for removed jobs is due
    until(lambda: len(catalog.rows()) == 999, lambda: f"{len(catalog.rows())} rows")
