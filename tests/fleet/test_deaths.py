"""A job whose workers keep dying is parked, and takes no other job along."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopwright.fleet import doctor
from loopwright.fleet.board import read_board
from loopwright.fleet.database import Database
from loopwright.fleet.deaths import MAX_DEATHS, count_deaths
from loopwright.fleet.jobs import Job, read_job, submit_jobs
from loopwright.fleet.liveness import take_back
from loopwright.fleet.orders import CANCEL, RETRY, give_order
from loopwright.fleet.placement import claim_jobs
from loopwright.fleet.tables import CANCELLED, PAUSED, QUEUED, RUNNING
from tests.fleet.test_placement_and_ledger import a_claimer, a_request, reserve, settle
from tests.fleet.test_status_and_orders import a_worker
from tests.support.project import Project


def claim(database: Database, worker: str = "w1", most: int = 5) -> list[Job]:
    return claim_jobs(database, a_claimer(worker), most)


def bury(database: Database, *held: Job, dead: str = "w1") -> None:
    """The worker of these jobs has died."""
    with database.writing() as connection:
        for job in held:
            take_back(connection, database, job.id, keep_workflow=True, dead=dead)


def job_now(database: Database, job_id: str) -> Job:
    with database.reading() as connection:
        return read_job(connection, job_id)


def park(database: Database) -> str:
    (job_id,) = submit_jobs(database, [a_request()])
    for _ in range(MAX_DEATHS):
        bury(database, *claim(database))
    return job_id


def test_after_three_deaths_in_a_row_a_job_is_parked_with_the_reason(database: Database) -> None:
    job_id = park(database)
    job = job_now(database, job_id)
    assert job.state == PAUSED
    assert "its worker died or froze 3 times in a row" in job.reason
    assert job.reason.endswith(f"Release it: loop fleet retry {job_id}")
    assert claim(database) == []


def test_two_deaths_and_a_settled_turn_are_no_three_deaths(database: Database) -> None:
    submit_jobs(database, [a_request()])
    for _ in range(2):
        bury(database, *claim(database))
    (job,) = claim(database)
    reserve(database, job)
    settle(database, job)
    bury(database, job)  # in its next turn
    assert job_now(database, job.id).state == QUEUED
    with database.reading() as connection:
        assert count_deaths(connection) == {job.id: 1}


def test_a_parked_job_is_named_with_the_command_that_releases_it(
    database: Database, address: str, project: Callable[..., Project]
) -> None:
    a_worker(database)
    job_id = park(database)
    with database.reading() as connection:
        board = read_board(connection, database)
    (finding,) = doctor.diagnose_jobs(board)
    assert f"job {job_id} is parked: its worker died" in finding.what
    assert finding.fix == f"loop fleet retry {job_id}"
    said = project().run("fleet", "status", "--database", address).out
    assert f"{job_id} is parked: its worker died or froze 3 times" in said


@pytest.mark.parametrize("has_loop", [False, True])
def test_a_released_job_has_three_attempts_again(database: Database, has_loop: bool) -> None:
    job_id = park(database)
    if has_loop:
        from tests.fleet.held_job import change_job

        change_job(database, job_id, loop="L")
    give_order(database, job_id, RETRY)
    for _ in range(2):
        (job,) = claim(database)
        bury(database, job)
    assert job_now(database, job_id).state == QUEUED


def test_a_parked_job_can_be_cancelled(database: Database) -> None:
    job_id = park(database)
    give_order(database, job_id, CANCEL)
    assert job_now(database, job_id).state == CANCELLED


def test_innocent_jobs_beside_it_are_not_parked(database: Database) -> None:
    """One job ends each worker that has it. No other job is parked, and each loses two turns."""
    (killer,) = submit_jobs(database, [a_request(name="killer", priority=1)])
    submit_jobs(database, [a_request(name=f"innocent {n}") for n in range(3)])
    lost = 0
    while job_now(database, killer).state != PAUSED:
        held = claim(database, most=4)
        assert killer in [job.id for job in held]
        lost += len(held) - 1
        bury(database, *held)
    rest = claim(database, most=4)
    assert len(rest) == 1  # the others had two deaths as well, so one at a time tells
    settle_one(database, rest[0])
    assert [job.state for job in claim(database, most=4)] == [RUNNING]
    assert lost == 6


def settle_one(database: Database, job: Job) -> None:
    reserve(database, job)
    settle(database, job)


def test_a_job_that_waits_for_a_place_apart_says_so(database: Database) -> None:
    a_worker(database)
    submit_jobs(database, [a_request(name="one"), a_request(name="two")])
    for _ in range(2):
        bury(database, *claim(database))
    (one,) = claim(database)
    with database.reading() as connection:
        board = read_board(connection, database)
    waits = {job["name"]: job["waits_for"] for job in board.jobs}
    assert waits[one.name] == ""
    (other,) = {"one", "two"} - {one.name}
    assert waits[other] == "a worker that has no other job whose workers died"
