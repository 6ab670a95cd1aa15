"""`loop fleet status`, `logs`, the orders and `limit`, against a database with jobs in every state."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from loopwright.fleet.board import read_board
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.hints import respell_hints
from loopwright.fleet.jobs import JobRequest, append_lines, read_job, submit_jobs
from loopwright.fleet.ledger import set_limit
from loopwright.fleet.limits import parse_duration, read_limits
from loopwright.fleet.liveness import WorkerFacts, enter_worker, take_back
from loopwright.fleet.orders import (
    BY_PERSON,
    Order,
    apply_order,
    apply_running_orders,
    close_order,
    give_order,
    open_orders,
)
from loopwright.fleet.placement import Claimer, claim_jobs
from loopwright.fleet.settings import default_database
from loopwright.fleet.tables import ASKING, ENDED, PAUSED, RUNNING, limits, turns, workers
from tests.fleet.held_job import change_job, submit
from tests.support.project import Project


@pytest.fixture
def fleet() -> Iterator[Database]:
    database = open_database(default_database())
    yield database
    database.close()


def a_job(database: Database, name: str = "job", **columns: Any) -> str:
    """Submit one, then set these columns of it."""
    job_id = submit(database, name, repository="app")
    change_job(database, job_id, **columns)
    return job_id


def a_turn(database: Database, job_id: str, number: int, **columns: Any) -> None:
    values = {
        "fence": 1, "account": "default", "repository": "app", "state": "settled",
        "reserved": 2.0, "started_at": time.time(), "outcome": {}, **columns,
    }  # fmt: skip
    with database.writing() as connection:
        connection.execute(sa.insert(turns).values(job=job_id, number=number, **values))


def a_worker(database: Database, name: str = "w1", **facts: Any) -> None:
    values = {"labels": (), "accounts": ("default",), "lock_number": 5000, **facts}
    enter_worker(database, WorkerFacts(id=name, release="1", slots=2, **values))


# --- status ---


def test_without_anything_it_says_how_to_begin(here: Project) -> None:
    said = here.run("fleet", "status")

    assert said.code == 0
    assert 'Submit one: loop fleet submit "SPEC"' in said.out
    assert "No worker is running. Start one: loop fleet worker" in said.out


def test_the_board_has_jobs_dollars_workers_limits_and_totals(
    here: Project, fleet: Database
) -> None:
    job_id = a_job(fleet, "greet", state=RUNNING, worker="w1", budget=5.0, turns=2)
    a_turn(fleet, job_id, 1, spent=0.5)
    a_turn(fleet, job_id, 2, spent=0.25, state="lost")
    a_turn(fleet, job_id, 3, state="reserved")
    a_job(fleet, "done", state=ENDED, grade="proven", ended_at=1.0)
    a_worker(fleet, labels=("gpu",), accounts=("default", "team"))
    here.run("fleet", "limit", "fleet", "--budget", "100", "--at-once", "1")

    said = here.run("fleet", "status")
    assert (
        f"{job_id}  greet  running             w1      2     $0.50 +0.25 lost of 5.00" in said.out
    )
    assert "w1      working  1 of 2  gpu     default, team  1" in said.out
    assert "fleet  1 of 1   -      $2.75 of 100.00" in said.out
    assert (
        "Jobs: 1 running, 1 ended. 1 worker, 1 of 2 slots busy. $0.50 spent, $0.25 lost" in said.out
    )
    assert "done" not in said.out
    assert "proven" in here.run("fleet", "status", "--all").out

    facts = here.run("fleet", "status", "--all", "--json").json
    assert [job["name"] for job in facts["jobs"]] == ["greet", "done"]
    assert facts["jobs"][0]["dollars"] == {"spent": 0.5, "lost": 0.25, "reserved": 2.0}
    assert facts["jobs"][0]["next_command"] == f"loop fleet logs {job_id} -f"
    assert facts["totals"]["jobs"]["ended"] == 1
    assert (facts["workers"][0]["busy"], facts["limits"][0]["used_at_once"]) == (1, 1)


def test_one_job_shows_its_turns_its_question_and_the_next_command(
    here: Project, fleet: Database
) -> None:
    job_id = a_job(fleet, "greet", state=ASKING, question="Keep the old format?")
    a_turn(fleet, job_id, 1, spent=0.5, started_at=time.time() - 90, ended_at=time.time())
    said = here.run("fleet", "status", "greet")

    assert said.code == 6
    assert "question    Keep the old format?" in said.out
    assert "1     settled  $0.50  $2.00" in said.out
    assert said.out.rstrip().endswith(f'Next: loop fleet answer {job_id} "…"')
    page = here.run("fleet", "status", job_id[:5], "--json").json
    assert (page["question"], len(page["turns_taken"])) == ("Keep the old format?", 1)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({}, 0),
        ({"state": RUNNING}, 0),
        ({"state": PAUSED, "reason": "no progress"}, 4),
        ({"state": PAUSED, "loop_facts": {"cause": "budget"}}, 2),
        ({"state": PAUSED, "loop_facts": {"cause": "person"}}, 8),
        ({"state": PAUSED, "reason": BY_PERSON}, 8),  # its loop has not begun
        ({"state": "failed", "reason": "no such commit"}, 1),
        ({"state": "cancelled"}, 8),
        ({"state": ENDED, "grade": "proven"}, 0),
        ({"state": ENDED, "grade": "proven-in-place"}, 0),
        ({"state": ENDED, "grade": "accepted"}, 10),
        ({"state": ENDED, "grade": "reported"}, 10),
    ],
)
def test_the_exit_code_of_a_job_says_its_state(
    here: Project, fleet: Database, columns: dict[str, Any], code: int
) -> None:
    said = here.run("fleet", "status", a_job(fleet, **columns))

    assert said.code == code
    assert columns.get("reason", "") in said.out


def test_a_word_that_means_no_job_or_several_is_refused(here: Project, fleet: Database) -> None:
    assert "has no job 'x'" in here.run("fleet", "status", "x").err
    a_job(fleet, "twice")
    a_job(fleet, "twice")
    assert "'twice' means 2 jobs" in here.run("fleet", "status", "twice").err
    for _ in range(20):
        a_job(fleet, "twice")
    assert "'twice' means 20 or more jobs" in here.run("fleet", "cancel", "twice").err


def test_watch_and_json_exclude_each_other(here: Project) -> None:
    assert "--watch draws a screen" in here.run("fleet", "status", "--watch", "--json").err


@pytest.mark.parametrize(
    ("job", "worker", "reason"),
    [
        ({}, None, "a worker; none is running"),
        ({"labels": ["gpu", "agent:codex"]}, {"labels": ("gpu",)}, "a worker with agent:codex"),
        ({"account": "team"}, {}, "a worker with the account team"),
        ({"not_before": 9e9, "waits_for": "usage limit"}, {}, "usage limit"),
        ({"waits_for": "another attempt"}, {}, "another attempt"),
        ({}, {}, "a free slot"),
    ],
)
def test_a_queued_job_says_what_it_waits_for(
    database: Database, job: dict[str, Any], worker: dict[str, Any] | None, reason: str
) -> None:
    a_job(database, **job)
    if worker is not None:
        a_worker(database, **worker)
    with database.reading() as connection:
        board = read_board(connection, database)
    assert board.jobs[0]["waits_for"] == reason


def test_status_counts_the_jobs_that_wait_for_a_label_and_names_the_command(
    here: Project, fleet: Database
) -> None:
    a_worker(fleet, labels=("gpu",))
    for label in ("big", "big", "agent:claude"):
        a_job(fleet, labels=[label])
    said = here.run("fleet", "status").out.splitlines()
    at = said.index("2 jobs wait for a worker with big, and none is running.")
    assert said[at + 1] == "  loop fleet worker --label big"
    at = said.index("1 job waits for a worker with agent:claude, and none is running.")
    assert said[at + 1].startswith("  install claude on the machine of a worker")


def test_a_full_or_blocked_limit_is_what_a_job_waits_for(database: Database) -> None:
    a_worker(database)
    a_job(database, "first", state=RUNNING, worker="w1")
    a_job(database, "second")
    with database.writing() as connection:
        set_limit(connection, "repository:app", at_once=1)
    with database.reading() as connection:
        board = read_board(connection, database)
    assert board.jobs[1]["waits_for"] == "repository:app: 1 at once"

    with database.writing() as connection:
        set_limit(connection, "account:default", blocked_until=9e9, blocked_why="usage limit")
        connection.execute(sa.delete(limits).where(limits.c.scope == "repository:app"))
    with database.reading() as connection:
        board = read_board(connection, database)
    assert board.jobs[1]["waits_for"] == "account:default: usage limit"


def test_a_worker_that_is_not_heard_is_silent(database: Database) -> None:
    a_worker(database)
    with database.writing() as connection:
        connection.execute(sa.update(workers).values(heard_at=workers.c.heard_at - 60))
    with database.reading() as connection:
        board = read_board(connection, database)
    assert board.workers[0]["state"] == "silent"
    assert board.workers[0]["silent_seconds"] >= 60
    assert board.totals["workers"] == 0


# --- logs ---


def test_logs_of_a_job(here: Project, fleet: Database) -> None:
    job_id = a_job(fleet, "greet", state=PAUSED)
    assert "has left no log; it is paused" in here.run("fleet", "logs", "greet").err
    append_lines(fleet, job_id, ["one", "two"])

    assert here.run("fleet", "logs", "greet").out == "one\ntwo\n"
    assert '"text": "two"' in here.run("fleet", "logs", "greet", "--json").out
    followed = here.run("fleet", "logs", "greet", "-f")  # ends, because the job does not run
    assert followed.out == "one\ntwo\n"
    assert f"Job {job_id} is paused" in followed.err


# --- orders ---


def test_orders_that_need_no_worker_take_effect_at_once(here: Project, fleet: Database) -> None:
    job_id = a_job(fleet, "greet")

    assert "is paused. Queue it again" in here.run("fleet", "pause", "greet").out
    assert here.run("fleet", "retry", "greet", "--json").json["state"] == "queued"
    assert "is cancelled; it had not begun" in here.run("fleet", "cancel", "greet").out
    again = here.run("fleet", "cancel", "greet")
    assert again.code == 1
    assert f"job {job_id} is cancelled, so there is nothing to cancel" in again.err
    assert "is cancelled" in here.run("fleet", "retry", "greet").err
    assert here.run("fleet", "logs", job_id, "-f").code == 0  # there is nothing to follow


def test_an_order_that_waits_says_when_it_takes_effect(
    here: Project, fleet: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.cli.fleet.give_order.REPLY_SECONDS", 0.0)
    job_id = a_job(fleet, "greet", state=ASKING, loop="L1", question="Well?")
    said = here.run("fleet", "answer", "greet", "yes,", "please")

    assert said.code == 0
    assert "It takes effect when a worker takes the job" in said.out
    with fleet.reading() as connection:
        (order,) = open_orders(connection, [job_id])
        assert (order.kind, order.text) == ("answer", "yes, please")
        assert read_job(connection, job_id).state == "queued"
    running = a_job(fleet, "other", state=RUNNING, loop="L2")
    facts = here.run("fleet", "steer", running, "be quick", "--json").json
    assert (facts["applied"], facts["state"]) == (False, RUNNING)
    assert "after the turn that runs now" in facts["text"]


def test_a_disputed_check_is_ruled_on(
    here: Project, fleet: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.cli.fleet.give_order.REPLY_SECONDS", 0.0)
    job_id = a_job(fleet, "greet", state=PAUSED, loop="L1")

    assert here.run("fleet", "rule", "greet", "tests pass", "change", "pytest -q").code == 0

    with fleet.reading() as connection:
        (order,) = open_orders(connection, [job_id])
        assert (order.kind, json.loads(order.text)) == (
            "rule",
            ["tests pass", "change", "pytest -q"],
        )
        assert read_job(connection, job_id).state == "queued"
    assert here.run("fleet", "rule", "greet", "tests pass", "perhaps").code == 64


def test_the_reply_of_the_worker_is_shown(
    here: Project, fleet: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is played by a wait that applies the order first."""
    from loopwright.cli.fleet import give_order as command
    from loopwright.fleet import orders

    def reply(refused: bool) -> None:
        def wait(database: Database, number: int, seconds: float) -> str | None:
            with database.writing() as connection:
                close_order(connection, database, number, "Passed on.", refused)
            return orders.wait_for_reply(database, number, seconds)

        monkeypatch.setattr(command, "wait_for_reply", wait)

    a_job(fleet, "greet", state=RUNNING, loop="L1")
    reply(refused=False)
    assert here.run("fleet", "steer", "greet", "be quick").out == "Passed on.\n"
    reply(refused=True)
    refused = here.run("fleet", "steer", "greet", "be quick")
    assert (refused.code, refused.err) == (1, "loop: Passed on.\n")


@pytest.mark.parametrize(
    ("words", "columns", "message"),
    [
        (("answer", "greet", "yes"), {}, "is queued, so there is nothing to answer. It has asked"),
        (("answer", "greet", " "), {"state": ASKING}, "say what: loop fleet answer greet"),
        (("pause", "greet"), {"state": ASKING}, "nothing to pause"),
        (("retry", "greet"), {"state": RUNNING}, "Only a paused or failed job"),
        (("retry", "greet", "--budget", "lots"), {"state": PAUSED}, "--budget takes"),
        (("retry", "greet", "--budget", "5"), {"state": "failed"}, "has not begun, so its limits"),
        (("steer", "greet", "x" * 20_001), {"state": RUNNING}, "at most 20000 are read"),
        (("steer", "greet", "a\udcff"), {"state": RUNNING}, "the text has a character that is no"),
        (("cancel", "nobody"), {}, "has no job 'nobody'"),
    ],
)
def test_orders_that_make_no_sense_are_refused(
    here: Project, fleet: Database, words: tuple[str, ...], columns: dict[str, Any], message: str
) -> None:
    a_job(fleet, "greet", **columns)
    said = here.run("fleet", *words)

    is_wrong_value = message.startswith(("--budget takes", "the text has a character"))
    assert said.code == (64 if is_wrong_value else 1)
    assert message in said.err


def test_a_failed_job_with_a_loop_gets_more_budget_with_the_next_attempt(
    here: Project, fleet: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.cli.fleet.give_order.REPLY_SECONDS", 0.0)
    job_id = a_job(fleet, "greet", state="failed", loop="L1", reason="its worker died")
    assert here.run("fleet", "retry", "greet", "--budget", "5", "--iterations", "2").code == 0

    with fleet.reading() as connection:
        (order,) = open_orders(connection, [job_id])
        assert order.amounts == {"dollars": 5.0, "iterations": 2.0}
        assert read_job(connection, job_id).state == "queued"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Look: `loop why`. Resume: `loop run --continue`",
            "Look: `loop fleet status J`. Resume: `loop fleet retry J`",
        ),
        ('To restart: `loop start "x"`', 'To restart: `loop fleet submit "x"`'),
        ("has asked nothing. See: loop status", "has asked nothing. See: loop fleet status J"),
        (
            "the loop runs; loop running, loop fleet status",
            "the loop runs; loop running, loop fleet status",
        ),
    ],
)
def test_hints_of_the_loop_become_commands_of_the_fleet(text: str, expected: str) -> None:
    assert respell_hints(text, "J") == expected


def test_an_order_is_applied_to_the_loop_and_its_reply_names_commands_that_work(
    here: Project,
) -> None:
    here.start()
    pause = Order(number=1, job="a1b2c3d4", kind="pause", text="", amounts={})
    reply, refused = apply_order(here.folder, pause)
    assert not refused
    assert "Paused: asked by a person" in reply
    assert "loop fleet status a1b2c3d4" in reply
    answer = Order(number=2, job="a1b2c3d4", kind="answer", text="yes", amounts={})
    reply, refused = apply_order(here.folder, answer)
    assert refused
    assert reply == "the loop is paused and has asked nothing. See: loop fleet status a1b2c3d4"
    more = Order(number=3, job="a1b2c3d4", kind="retry", text="", amounts={"dollars": 5.0})
    assert apply_order(here.folder, more)[1] is False
    assert (here.loop.status, here.loop.limits.dollars) == ("running", 30.0)


# --- limits ---


def test_limits_are_set_shown_and_cleared(here: Project, fleet: Database) -> None:
    assert "The fleet has no limit. Set one" in here.run("fleet", "limit").out
    a_job(fleet, "greet")
    said = here.run("fleet", "limit", "account:team", "--turns", "60/1h", "--at-once", "2")
    assert "account:team  0 of 2   0 of 60 in 1h  -" in said.out
    assert "no job has the account team yet. Known: default" in said.err
    here.run("fleet", "limit", "account:team", "--budget", "20", "--at-once", "0")
    (facts,) = here.run("fleet", "limit", "--json").json
    assert (facts["at_once"], facts["turns"], facts["period"], facts["budget"]) == (
        0,
        60,
        3600.0,
        20.0,
    )

    assert here.run("fleet", "limit", "account:team", "--clear").code == 0
    assert "has no limit" in here.run("fleet", "limit", "account:team", "--clear").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("team", "--budget", "5"), "a limit is for fleet, account:NAME or repository:NAME"),
        (("account:", "--budget", "5"), "a limit is for fleet"),
        (("--budget", "5"), "a limit for what?"),
        (("fleet", "--budget", "-5"), "--budget takes"),
        (("fleet", "--turns", "60"), "--turns takes N/PERIOD"),
        (("fleet", "--turns", "60/soon"), "--turns takes a time such as"),
        (("fleet", "--at-once", "few"), "--at-once takes a whole number"),
        (("fleet", "--at-once", "9" * 30), "--at-once takes a whole number up to 1,000,000"),
        (("fleet", "--turns", "2/99999d"), "--turns takes a time such as"),
        (("account:\udcff", "--at-once", "2"), "the name has a character that is no text"),
        (("fleet", "--clear", "--at-once", "2"), "--clear removes all limits"),
    ],
)
def test_a_wrong_limit_is_refused(here: Project, words: tuple[str, ...], message: str) -> None:
    said = here.run("fleet", "limit", *words)

    is_misfit = message.startswith(("a limit for what?", "--clear removes"))
    assert said.code == (1 if is_misfit else 64)
    assert message in said.err


def test_what_is_used_counts_running_jobs_turns_of_the_period_and_dollars(
    database: Database,
) -> None:
    with database.writing() as connection:
        now = database.now(connection)
        set_limit(connection, "repository:app", at_once=3, turns=5, period=60.0, budget=10.0)
    job_id = a_job(database, state=RUNNING)
    a_turn(database, job_id, 1, spent=1.5, started_at=now - 120)
    a_turn(database, job_id, 2, spent=0.5, started_at=now - 5)
    with database.reading() as connection:
        (limit,) = read_limits(connection, database)
    assert (limit.used_at_once, limit.used_turns, limit.used_dollars) == (1, 1, 2.0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90.0), ("90s", 90.0), ("10m", 600.0), ("1.5h", 5400.0), ("2d", 172_800.0)],
)
def test_parse_duration(text: str, seconds: float) -> None:
    assert parse_duration(text, "--x") == seconds


def test_an_order_that_a_frozen_worker_applies_too_late_stays_for_the_next_one(
    here: Project, database: Database
) -> None:
    here.start()
    (job_id,) = submit_jobs(database, [JobRequest("job", "app", "c0ffee")])
    claimer = Claimer("w1", frozenset(), frozenset({"default"}))
    (held,) = claim_jobs(database, claimer, 1)
    give_order(database, job_id, "steer", "look at the tests")
    with database.writing() as connection:
        take_back(connection, database, job_id, keep_workflow=False)
    (next_one,) = claim_jobs(database, claimer, 1)

    for job, left in ((held, 1), (next_one, 0)):
        apply_running_orders(database, {job_id: (job, here.folder)})
        with database.reading() as connection:
            assert len(open_orders(connection, [job_id])) == left
