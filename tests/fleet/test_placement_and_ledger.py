"""Claims, fences, limits and the dollar ledger, on the real database."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from loopwright.fleet import ledger
from loopwright.fleet.checkpoint import Checkpoint
from loopwright.fleet.database import Database
from loopwright.fleet.jobs import Job, JobRequest, find_job, read_job, read_turns, submit_jobs
from loopwright.fleet.ledger import Grant, TurnResult, TurnWish
from loopwright.fleet.liveness import take_back
from loopwright.fleet.placement import CANDIDATES, Claimer, FenceLost, claim_jobs, release_job
from loopwright.fleet.tables import ASKING, LOST, QUEUED, RUNNING, SETTLED, limits

EMPTY = Checkpoint(b"", b"", b"")


def a_request(**changes: Any) -> JobRequest:
    return JobRequest(
        **{"name": "fix it", "repository": "r1", "base_commit": "c0ffee", "bundle": b"x", **changes}
    )


def a_claimer(name: str = "w1", labels: str = "", accounts: str = "default") -> Claimer:
    return Claimer(name, frozenset(labels.split()), frozenset(accounts.split()))


def set_limit(database: Database, scope: str, **values: Any) -> None:
    with database.writing() as connection:
        connection.execute(sa.insert(limits).values(scope=scope, **values))


def reserve(
    database: Database, job: Job, number: int = 1, dollars: float = 1.0, budget: float = 0.0
) -> Grant:
    wish = TurnWish(number, dollars, budget, 60.0)
    with database.writing() as connection:
        return ledger.reserve_turn(connection, database, job, wish)


def settle(database: Database, job: Job, number: int = 1, spent: float = 1.0) -> None:
    result = TurnResult(number, spent, EMPTY, {"state": RUNNING}, {})
    with database.writing() as connection:
        ledger.settle_turn(connection, database, job, result)


def claimed(database: Database, **changes: Any) -> Job:
    submit_jobs(database, [a_request(**changes)])
    (job,) = claim_jobs(database, a_claimer(accounts="default a b"), 1)
    return job


def job_now(database: Database, job: Job) -> Job:
    with database.reading() as connection:
        return read_job(connection, job.id)


def dollars(database: Database, job: Job) -> list[tuple[int, str, float]]:
    with database.reading() as connection:
        return [
            (row["number"], row["state"], row["spent"]) for row in read_turns(connection, job.id)
        ]


def test_the_highest_priority_is_claimed_first_and_then_the_oldest(database: Database) -> None:
    requests = [a_request(name="a"), a_request(name="b"), a_request(name="c", priority=5)]
    submit_jobs(database, requests)
    names = [job.name for job in claim_jobs(database, a_claimer(), 2)]
    names += [job.name for job in claim_jobs(database, a_claimer("w2"), 2)]
    assert names == ["c", "a", "b"]


def test_a_job_is_claimed_once_and_under_a_new_fence(database: Database) -> None:
    job = claimed(database)
    assert (job.state, job.fence, job.worker) == (RUNNING, 1, "w1")
    assert claim_jobs(database, a_claimer("w2"), 5) == []


def test_a_worker_takes_only_jobs_whose_labels_and_account_it_has(database: Database) -> None:
    submit_jobs(database, [a_request(labels=["gpu", "big"]), a_request(account="a")])
    assert claim_jobs(database, a_claimer(labels="gpu"), 5) == []
    (job,) = claim_jobs(database, a_claimer(labels="gpu big fast"), 5)
    assert job.labels == ["big", "gpu"]
    (other,) = claim_jobs(database, a_claimer(accounts="a"), 5)
    assert other.account == "a"


def test_jobs_that_no_worker_can_take_do_not_hold_up_those_behind_them(
    database: Database,
) -> None:
    """However many there are: more than a claim looks at."""
    first = [a_request(labels=["agent:claude"]) for _ in range(CANDIDATES)]
    submit_jobs(database, [*first, a_request(labels=["gpu"]), a_request(name="plain")])
    assert [job.name for job in claim_jobs(database, a_claimer(), 5)] == ["plain"]
    (job,) = claim_jobs(database, a_claimer(labels="gpu x'y"), 5)
    assert job.labels == ["gpu"]


def test_limits_at_once_hold_for_repository_account_and_fleet(database: Database) -> None:
    jobs = [("r1", "a"), ("r1", "b"), ("r2", "a"), ("r2", "b"), ("r3", "b"), ("r4", "b")]
    submit_jobs(database, [a_request(repository=r, account=a) for r, a in jobs])
    set_limit(database, "repository:r1", at_once=1)
    set_limit(database, "account:a", at_once=1)
    set_limit(database, "fleet", at_once=4)
    first = claim_jobs(database, a_claimer(accounts="a b"), 2)
    rest = claim_jobs(database, a_claimer("w2", accounts="a b"), 9)
    assert [(job.repository, job.account) for job in [*first, *rest]] == [
        ("r1", "a"),
        ("r2", "b"),
        ("r3", "b"),
        ("r4", "b"),
    ]


def test_an_account_at_its_usage_limit_does_not_stop_the_others(database: Database) -> None:
    submit_jobs(database, [a_request(account="a"), a_request(account="b")])
    with database.writing() as connection:
        until = database.now(connection) + 60
        ledger.block_account(connection, "a", until, "usage limit")
    (job,) = claim_jobs(database, a_claimer(accounts="a b"), 5)
    assert job.account == "b"


def test_whoever_lost_the_fence_can_neither_reserve_nor_settle_nor_release(
    database: Database,
) -> None:
    old = claimed(database)
    assert reserve(database, old).granted
    with database.writing() as connection:
        take_back(connection, database, old.id, keep_workflow=True)
    (new,) = claim_jobs(database, a_claimer("w2"), 1)
    for write in (
        lambda: reserve(database, old, 2),
        lambda: settle(database, old),
    ):
        with pytest.raises(FenceLost):
            write()
    with pytest.raises(FenceLost), database.writing() as connection:
        release_job(connection, old.id, old.fence, 0.0, ASKING)
    assert job_now(database, new).fence == 3


def test_a_reservation_that_is_repeated_is_counted_once(database: Database) -> None:
    job = claimed(database)
    assert reserve(database, job, dollars=2.0) == reserve(database, job, dollars=9.0)
    settle(database, job, spent=1.5)
    settle(database, job, spent=7.0)
    assert dollars(database, job) == [(1, SETTLED, 1.5)]


def test_a_turn_that_was_cut_off_is_lost_with_what_is_known_of_it(database: Database) -> None:
    job = claimed(database)
    reserve(database, job, dollars=2.0)
    with database.writing() as connection:
        ledger.note_known_dollars(connection, job, 1, 0.4)
        take_back(connection, database, job.id, keep_workflow=True)
    (again,) = claim_jobs(database, a_claimer("w2"), 1)
    reserve(database, again, dollars=2.0)
    settle(database, again, spent=1.0)
    assert dollars(database, job) == [(1, LOST, 0.4), (1, SETTLED, 1.0)]


def test_what_a_frozen_worker_learns_late_of_its_lost_turn_counts_too(database: Database) -> None:
    job = claimed(database)
    reserve(database, job, dollars=2.0)
    with database.writing() as connection:
        ledger.note_known_dollars(connection, job, 1, 0.4)
        take_back(connection, database, job.id, keep_workflow=False)
        for late in (0.9, 0.2):
            ledger.note_known_dollars(connection, job, 1, late)
    assert dollars(database, job) == [(1, LOST, 0.9)]


def test_the_jobs_budget_includes_lost_dollars(database: Database) -> None:
    job = claimed(database)
    reserve(database, job, dollars=2.0, budget=3.0)
    with database.writing() as connection:
        ledger.note_known_dollars(connection, job, 1, 2.5)
        take_back(connection, database, job.id, keep_workflow=True)
    (again,) = claim_jobs(database, a_claimer("w2"), 1)
    assert reserve(database, again, dollars=2.0, budget=3.0).dollars == pytest.approx(0.5)
    settle(database, again, spent=0.5)
    assert "budget of $3.00 is used up" in reserve(database, again, 2, budget=3.0).used_up


def test_money_of_a_turn_that_works_cannot_be_reserved_twice(database: Database) -> None:
    set_limit(database, "fleet", budget=5.0)
    first, second = claimed(database), claimed(database)
    assert reserve(database, first, dollars=4.0).dollars == 4.0
    assert reserve(database, second, dollars=4.0).dollars == 1.0
    settle(database, first, spent=0.5)
    settle(database, second, spent=0.5)
    assert reserve(database, first, 2, dollars=9.0).dollars == 4.0


def test_the_budget_of_an_account_does_not_touch_another(database: Database) -> None:
    set_limit(database, "account:a", budget=1.0)
    mine, other = claimed(database, account="a"), claimed(database, account="b")
    reserve(database, mine)
    settle(database, mine, spent=1.0)
    assert "account:a" in reserve(database, mine, 2).used_up
    assert reserve(database, other).granted


def test_a_rate_limit_says_when_the_next_turn_may_start(database: Database) -> None:
    set_limit(database, "repository:r1", turns=2, period=100.0)
    job = claimed(database)
    for number in (1, 2):
        assert reserve(database, job, number).granted
        settle(database, job, number)
    refused = reserve(database, job, 3)
    with database.reading() as connection:
        now = database.now(connection)
    assert not refused.granted
    assert now < refused.not_before <= now + 100.0
    assert "2 turns in 100 s" in refused.waits_for


def test_settling_stores_turn_checkpoint_and_facts_together(database: Database) -> None:
    job = claimed(database)
    reserve(database, job)
    result = TurnResult(1, 1.0, Checkpoint(b"b", b"f", b"h"), {"state": RUNNING}, {"loop": "L"})
    with database.writing() as connection:
        ledger.settle_turn(connection, database, job, result)
        assert ledger.settled_outcome(connection, job.id, 1) == {"state": RUNNING}
    now = job_now(database, job)
    assert (now.turns, now.loop, now.failures) == (1, "L", 0)


def test_a_job_is_found_by_id_by_the_beginning_of_it_and_by_name(database: Database) -> None:
    (one, two) = submit_jobs(database, [a_request(name="one"), a_request(name="two")])
    with database.reading() as connection:
        assert find_job(connection, one).id == one
        assert find_job(connection, two[:5]).id == two
        assert find_job(connection, "two").id == two
        for word in ("", "%", "nothing"):
            with pytest.raises(Exception, match="no job"):
                find_job(connection, word)


def test_a_released_job_waits_in_its_state(database: Database) -> None:
    job = claimed(database)
    with database.writing() as connection:
        release_job(connection, job.id, job.fence, 1.0, ASKING, question="which one?")
    assert job_now(database, job).question == "which one?"
    assert claim_jobs(database, a_claimer(), 5) == []


def test_a_job_is_not_claimed_before_its_time(database: Database) -> None:
    job = claimed(database)
    with database.writing() as connection:
        later = database.now(connection) + 50
        release_job(connection, job.id, job.fence, 1.0, QUEUED, not_before=later)
    assert claim_jobs(database, a_claimer(), 5) == []
