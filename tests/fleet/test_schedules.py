"""`loop fleet schedule`: a job at each date of a cron line, once."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from typing import Any

import pytest

from loopwright.fleet import schedules
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.engine import open_client
from loopwright.fleet.jobs import Job, JobRequest, read_bundle, submit_jobs
from loopwright.fleet.liveness import ask_to_drain
from loopwright.fleet.schedules import request_of_date
from loopwright.fleet.settings import default_database
from tests.fleet.held_job import all_jobs
from tests.fleet.night import FleetNight
from tests.support.project import Project

SUBMIT = (
    "make readme.md say hello",
    "--check",
    "says hello=grep -q hello readme.md",
    "--agent",
    "claude",
)
AT = datetime(2026, 11, 17, 3, 0, tzinfo=UTC)


def context_of(name: str) -> dict[str, Any]:
    database = open_database(default_database())
    client = open_client(database)
    found = client.get_schedule(name)
    client.destroy()
    database.close()
    assert found is not None
    context: dict[str, Any] = found["context"]
    return context


def submit_at(at: datetime, context: dict[str, Any]) -> list[Job]:
    """What the workflow does at this date."""
    database = open_database(default_database())
    submit_jobs(database, [request_of_date(at, context)])
    with database.reading() as connection:
        found = all_jobs(connection)
    database.close()
    return found


def test_a_schedule_is_listed_and_deleted(here: Project) -> None:
    assert "No schedule. Add one" in here.run("fleet", "schedule").out
    said = here.run(
        "fleet", "schedule", "nightly", "0 3 * * *", "--timezone", "Europe/Berlin", "--", *SUBMIT
    )
    assert said.code == 0, said.err
    assert "missed dates are not made up for" in said.out

    (facts,) = here.run("fleet", "schedule", "--json").json
    assert (facts["name"], facts["cron"], facts["timezone"]) == (
        "nightly",
        "0 3 * * *",
        "Europe/Berlin",
    )
    assert facts["base_commit"] == here.git("rev-parse", "HEAD").strip()
    assert "nightly   0 3 * * *  Europe/Berlin" in here.run("fleet", "schedule").out

    assert here.run("fleet", "schedule", "--delete", "nightly", "--json").json == []
    assert (
        "there is no schedule 'nightly'" in here.run("fleet", "schedule", "--delete", "nightly").err
    )


def test_one_date_submits_one_job_with_the_commit_of_the_schedule(here: Project) -> None:
    here.run("fleet", "schedule", "nightly", "0 3 * * *", "--", *SUBMIT, "--label", "gpu")
    commit = here.git("rev-parse", "HEAD").strip()
    here.commit()
    context = context_of("nightly")
    submit_at(AT, context)
    (job,) = submit_at(AT, context)  # another worker, at the same date

    assert (job.id, job.schedule) == ("nightly-20261117T030000", "nightly")
    assert (job.base_commit, job.labels) == (commit, ["agent:claude", "gpu"])
    database = open_database(default_database())
    with database.reading() as connection:
        assert read_bundle(connection, commit)
    database.close()
    assert len(submit_at(AT.replace(day=18), context)) == 2


def test_an_address_is_looked_up_at_each_date(here: Project) -> None:
    words = ("--repository", str(here.root), "--ref", "main")
    here.run("fleet", "schedule", "nightly", "0 3 * * *", "--", *SUBMIT, *words)
    here.commit()
    (job,) = submit_at(AT, context_of("nightly"))

    assert job.base_commit == here.git("rev-parse", "HEAD").strip()


def test_a_repository_that_cannot_be_read_then_is_a_failed_job(here: Project) -> None:
    words = ("--repository", str(here.root), "--ref", "main")
    here.run("fleet", "schedule", "nightly", "0 3 * * *", "--", *SUBMIT, *words)
    here.git("branch", "-m", "trunk")
    (job,) = submit_at(AT, context_of("nightly"))

    assert job.state == "failed"
    assert "has no branch or tag 'main'" in job.reason


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("n",), "a schedule needs a cron line and what to submit"),
        (("n", "0 3 * * *"), "a schedule needs a cron line and what to submit"),
        (
            ("n", "every night", "--", *SUBMIT),
            "a cron line has five fields",
        ),
        (
            ("n", "0 3 * * *", "--timezone", "Mars/Base", "--", *SUBMIT),
            "Invalid timezone: 'Mars/Base'",
        ),
        (("n", "0 3 31 2 *", "--", *SUBMIT), "no date matches the cron line '0 3 31 2 *'"),
        (("a name", "0 3 * * *", "--", *SUBMIT), "a schedule is named with"),
        (("n" * 25, "0 3 * * *", "--", *SUBMIT), "a schedule is named with"),
        (("n", "0 3 * * *", "--", *SUBMIT, "--detach"), "--detach is not for a job"),
        (("n", "0 3 * * *", "--", *SUBMIT, "--from", "x"), "--from and --database are not"),
        (("n", "0 3 * * *", "--", *SUBMIT, "--until", "07:00"), "--until names one moment"),
        (("n", "0 3 * * *", "--", "--budgt", "3"), "no option --budgt"),
        (("n", "--delete", "m"), "--delete takes the name"),
    ],
)
def test_a_wrong_schedule_is_refused(here: Project, words: tuple[str, ...], message: str) -> None:
    said = here.run("fleet", "schedule", *words)

    is_wrong_value = message.startswith(
        ("a cron line", "Invalid timezone", "no date", "a schedule is named")
    )
    assert said.code == (64 if is_wrong_value else 1)
    assert message in said.err


def test_without_two_dashes_it_says_where_they_belong(here: Project) -> None:
    said = here.run("fleet", "schedule", "nightly", "0 3 * * *", *SUBMIT)

    assert said.code == 64
    assert f"two dashes belong before '{SUBMIT[0]}'" in said.err


def test_a_name_is_used_once(here: Project) -> None:
    words = ("fleet", "schedule", "nightly", "0 3 * * *", "--", *SUBMIT)
    assert here.run(*words).code == 0
    assert "there is a schedule nightly already" in here.run(*words).err


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_workers_submit_at_each_date_and_end_when_they_are_asked_to(
    night: FleetNight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "CRON_FIELDS", 6)  # seconds: nobody waits for a minute here
    request = JobRequest("job", "app", "a" * 40, bundle=b"x", labels=("no worker has this",))
    schedules.create_schedule(night.database, "often", "* * * * * *", "", request, "")
    workers = [night.start_worker(slots=1) for _ in range(2)]
    night.wait_until(lambda: night.count_workers() == 2, "both workers")
    night.wait_until(lambda: len(night.jobs()) >= 2, "two dates")
    with night.database.writing() as connection:
        assert len(ask_to_drain(connection, host=socket.gethostname())) == 2
    assert [worker.wait(60) for worker in workers] == [0, 0]
    dates = [job.id.removeprefix("often-") for job in night.jobs()]
    assert len(set(dates)) == len(dates)
    assert {job.state for job in night.jobs()} == {"queued"}


@pytest.mark.long
@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_the_date_of_a_worker_that_was_killed_meanwhile_is_not_lost(
    night: FleetNight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "CRON_FIELDS", 6)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections and says nothing
        request = JobRequest(
            "job", "app", "", address=f"https://127.0.0.1:{silent.getsockname()[1]}/shop"
        )
        schedules.create_schedule(night.database, "often", "* * * * * *", "", request, "main")
        first = night.start_worker(slots=1)
        silent.settimeout(60)
        with silent.accept()[0]:  # `git ls-remote` of the first date
            first.kill()
            first.wait()
            under_way = dates_under_way(night.database)
    night.start_worker(slots=1)
    assert under_way
    night.wait_until(
        lambda: under_way <= {job.id.removeprefix("often-") for job in night.jobs()}, "the dates"
    )


def dates_under_way(database: Database) -> set[str]:
    """The dates whose job is being submitted, as they are in the id of the job."""
    client = open_client(database)
    pending = client.list_workflows(name=schedules.WORKFLOW, status="PENDING")
    client.destroy()
    dates = [datetime.fromisoformat(str(each.input["args"][0])) for each in pending]
    return {date.astimezone(UTC).strftime(schedules.DATE_FORMAT) for date in dates}
