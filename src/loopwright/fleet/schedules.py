"""Schedules: the engine submits a job at each date of a cron line, as long as a worker runs.

A date submits one job, whichever worker does it: the id of the job is made of name and date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import CroniterBadDateError, croniter  # type: ignore[import-untyped]
from dbos import DBOS
from dbos import error as engine_errors

from ..drive.errors import UserError, WrongValue
from .database import Database
from .engine import open_client
from .jobs import JobRequest, save_bundle, submit_jobs
from .sources import remote_source

WORKFLOW = "scheduled_submit"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,23}")  # the id of a job has room for a date too
DATE_FORMAT = "%Y%m%dT%H%M%S"
ENGINE_PREFIX = "DBOS Error: "
NOT_SENT = ("bundle", "job_id", "schedule", "failure")  # fields that the schedule does not keep
CRON_FIELDS = 5


@dataclass(frozen=True)
class Schedule:
    """A schedule as people see it."""

    name: str
    cron: str
    timezone: str
    job: str  # the name of its jobs
    repository: str
    base_commit: str  # "": the ref is looked up each time
    ref: str
    last_fired: str
    next_date: str


def create_schedule(
    database: Database, name: str, cron: str, timezone: str, request: JobRequest, ref: str
) -> None:
    """Submit this job at each date of the cron line. A bundle is kept with it."""
    if not NAME.fullmatch(name):
        raise WrongValue(
            f"a schedule is named with up to 24 letters, digits and . _ -, not {name[:60]!r}"
        )
    if not cron.startswith("@") and len(cron.split()) != CRON_FIELDS:  # six would be seconds
        raise WrongValue(f"a cron line has five fields, such as '0 3 * * 1-5', not {cron[:60]!r}")
    if croniter.is_valid(cron) and not next_date(cron, "UTC"):
        raise WrongValue(f"no date matches the cron line {cron!r}: it would never submit anything")
    if request.bundle:
        save_bundle(database, request)
    context = {key: value for key, value in asdict(request).items() if key not in NOT_SENT}
    client = open_client(database)
    try:
        if client.get_schedule(name) is not None:
            raise UserError(
                f"there is a schedule {name} already. Remove it first: "
                f"loop fleet schedule --delete {name}"
            )
        client.create_schedule(
            schedule_name=name,
            workflow_name=WORKFLOW,
            schedule=cron,
            cron_timezone=timezone or None,
            context={**context, "ref": ref, "schedule": name},
        )
    except engine_errors.DBOSException as error:
        raise WrongValue(
            f"{str(error).removeprefix(ENGINE_PREFIX)}. A cron line has five fields, such as "
            "'0 3 * * 1-5'; a time zone is a name such as Europe/Berlin"
        ) from error
    finally:
        client.destroy()


def list_schedules(database: Database) -> list[Schedule]:
    client = open_client(database)
    try:
        rows = client.list_schedules(workflow_name=WORKFLOW)
    finally:
        client.destroy()
    return [
        Schedule(
            name=row["schedule_name"],
            cron=row["schedule"],
            timezone=row["cron_timezone"] or "UTC",
            job=row["context"]["name"],
            repository=row["context"]["repository"],
            base_commit="" if row["context"]["address"] else row["context"]["base_commit"],
            ref=row["context"]["ref"],
            last_fired=row["last_fired_at"] or "",
            next_date=next_date(row["schedule"], row["cron_timezone"] or "UTC"),
        )
        for row in rows
    ]


def next_date(cron: str, timezone: str) -> str:
    """When the cron line is due next, as an ISO date; empty: never, or the zone is unknown."""
    try:
        now = datetime.now(ZoneInfo(timezone))
        due: datetime = croniter(cron, now, second_at_beginning=True).get_next(datetime)
    except (CroniterBadDateError, ZoneInfoNotFoundError):
        return ""
    return due.isoformat()


def delete_schedule(database: Database, name: str) -> None:
    client = open_client(database)
    try:
        if client.get_schedule(name) is None:
            raise UserError(f"there is no schedule {name!r}. List them: loop fleet schedule")
        client.delete_schedule(name)
    finally:
        client.destroy()


_database: Database | None = None


def set_database(database: Database) -> None:
    """Tell the workflow of this process where jobs are submitted."""
    global _database
    _database = database


@DBOS.workflow(name=WORKFLOW)
def scheduled_submit(at: datetime | str, context: dict[str, Any]) -> str:
    return submit_scheduled(str(at), context)


@DBOS.step(name="submit")
def submit_scheduled(at: str, context: dict[str, Any]) -> str:
    assert _database is not None, "BUG: no worker runs in this process"
    (job_id,) = submit_jobs(_database, [request_of_date(datetime.fromisoformat(at), context)])
    return job_id


def request_of_date(at: datetime, context: Mapping[str, Any]) -> JobRequest:
    """The job of this date. If its repository cannot be read, the job says so."""
    values = dict(context)
    ref, name = values.pop("ref"), values["schedule"]
    stamp = at.astimezone(UTC).strftime(DATE_FORMAT)
    request = JobRequest(**values, job_id=f"{name}-{stamp}")
    if not request.address:
        return request
    try:
        return replace(request, base_commit=remote_source(request.address, ref).base_commit)
    except UserError as error:
        return replace(request, failure=str(error))
