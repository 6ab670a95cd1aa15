"""Doctor of a fleet: the database, the workers, the jobs that none of them can take, this machine.

Each problem comes with the command that solves it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import __version__
from ..agents.registry import AGENT_NAMES, load_about
from ..disk.programs import own_program
from ..drive.doctor.diagnosis import Diagnosis
from ..drive.runner.run_config import program_path
from ..views.clock import clock_time
from .board import FleetBoard, jobs_without_worker, parked_jobs, read_board
from .database import Database
from .tables import FAILED, FORMAT, QUEUED
from .wait_reasons import worker_command

PACKAGES = ("dbos", "sqlalchemy", "psycopg")
MAX_SKEW_SECONDS = 5.0  # beyond that, the times in logs and lists mislead
LEAST_FREE_BYTES = 1_000_000_000
MAX_NAMED = 5  # jobs that a finding names


def diagnose_fleet(database: Database, root: str) -> list[Diagnosis]:
    """Everything that can be found out from here; `root` is the folder of this machine's worker."""
    with database.reading() as connection:
        before = time.time()
        board = read_board(connection, database, with_closed=True)
        skew = board.now - (before + time.time()) / 2
    return [
        Diagnosis("ok", f"{database.shown_address} answers, with tables of format {FORMAT}"),
        *diagnose_packages(),
        diagnose_clock(skew),
        *diagnose_place(database),
        *diagnose_workers(board),
        *diagnose_jobs(board),
        *diagnose_limits(board),
        diagnose_disk(root),
        diagnose_git(),
        diagnose_agents(),
    ]


def diagnose_packages() -> Iterator[Diagnosis]:
    for name in PACKAGES:
        try:
            yield Diagnosis("ok", f"{name} {version(name)}")
        except PackageNotFoundError:
            yield Diagnosis("fail", f"{name} is missing", 'pip install "loopwright[fleet]"')


def diagnose_clock(skew: float) -> Diagnosis:
    if abs(skew) <= MAX_SKEW_SECONDS:
        return Diagnosis("ok", "the clock of this machine agrees with that of the database")
    side = "behind" if skew > 0 else "ahead of"
    return Diagnosis(
        "warn",
        f"this machine is {abs(skew):.0f} s {side} the database. Jobs are not affected, "
        "but times in logs are",
        "set the clock, for example with: timedatectl set-ntp true",
    )


def diagnose_place(database: Database) -> Iterator[Diagnosis]:
    """A SQLite file must be private, and on a disk of this machine."""
    path = database.url.database
    if not database.is_sqlite or not path:
        return
    if os.name != "nt" and os.stat(path).st_mode & 0o022:
        yield Diagnosis(
            "fail",
            f"other users can write {path}, and thereby run commands as you",
            f"chmod 600 {path}",
        )
    size = os.path.getsize(path)
    if size > 2_000_000_000:
        yield Diagnosis("warn", f"{path} has {size // 1_000_000} MB", "loop fleet clean")


def diagnose_workers(board: FleetBoard) -> Iterator[Diagnosis]:
    working = [worker for worker in board.workers if worker["state"] in ("working", "draining")]
    if not working:
        yield Diagnosis("warn", "no worker is running", "loop fleet worker")
    for worker in board.workers:
        name, state = worker["id"], worker["state"]
        if state == "silent":
            yield Diagnosis(
                "warn",
                f"worker {name} has been silent for {worker['silent_seconds']:.0f} s; the other "
                "workers take its jobs over",
                f"look at process {worker['pid']} on {worker['host']}",
            )
        elif state in ("working", "draining"):
            yield Diagnosis(
                "ok", f"worker {name} is {state}, {worker['busy']} of {worker['slots']} slots busy"
            )
    dead = [worker["id"] for worker in board.workers if worker["state"] == "dead"]
    if dead:
        yield Diagnosis(
            "warn",
            f"{len(dead)} worker(s) died lately: {_some(dead)}",
            "look at the memory and the logs of that machine",
        )
    releases = sorted({worker["release"] for worker in working})
    if len(releases) > 1:
        yield Diagnosis(
            "warn",
            f"workers of several releases are running: {', '.join(releases)}",
            "drain the old ones: loop fleet worker --drain WORKER",
        )
    elif releases and releases != [__version__]:
        yield Diagnosis(
            "warn",
            f"this is release {__version__}, and the workers are {releases[0]}",
            f'pip install "loopwright[fleet]=={releases[0]}"',
        )


def diagnose_jobs(board: FleetBoard) -> Iterator[Diagnosis]:
    """Jobs that no running worker can take, that ended their workers, or that failed."""
    if not any(worker["state"] == "working" for worker in board.workers):
        waiting = [job["id"] for job in board.jobs if job["state"] == QUEUED]
        if waiting:
            yield Diagnosis("fail", f"{len(waiting)} job(s) wait for a worker", "loop fleet worker")
    for missing, ids in jobs_without_worker(board).items():
        yield Diagnosis(
            "fail",
            f"{len(ids)} job(s) wait for {missing}, and none is running: {_some(ids)}",
            worker_command(missing),
        )
    failed = [job for job in board.jobs if job["state"] == FAILED]
    for what, found in (("is parked", parked_jobs(board)), ("failed", failed)):
        for job in found[:MAX_NAMED]:
            text = f"job {job['id']} {what}: {job['reason']}"
            yield Diagnosis("warn", text, f"loop fleet retry {job['id']}")


def diagnose_limits(board: FleetBoard) -> Iterator[Diagnosis]:
    for limit in board.limits:
        if limit.blocked_until:
            yield Diagnosis(
                "warn",
                f"{limit.scope} waits until {clock_time(limit.blocked_until)}: {limit.blocked_why}",
                f"wait, or lift it: loop fleet limit {limit.scope} --clear",
            )
        if limit.budget and limit.used_dollars >= limit.budget:
            yield Diagnosis(
                "fail",
                f"the budget of {limit.scope} (${limit.budget:.2f}) is used up",
                f"loop fleet limit {limit.scope} --budget {limit.budget * 2:.0f}",
            )
        if limit.at_once and limit.used_at_once >= limit.at_once:
            yield Diagnosis(
                "ok", f"{limit.scope} is full: {limit.used_at_once} of {limit.at_once} at once"
            )


def diagnose_disk(root: str) -> Diagnosis:
    place = root
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    free = shutil.disk_usage(place).free
    if free < LEAST_FREE_BYTES:
        return Diagnosis(
            "fail",
            f"{free // 1_000_000} MB are free on {place}",
            "make room there, or: loop fleet worker --root DIR",
        )
    return Diagnosis("ok", f"{free // 1_000_000_000} GB are free on {place}")


def diagnose_git() -> Diagnosis:
    if own_program("git"):
        return Diagnosis("ok", "git is installed here")
    return Diagnosis(
        "fail", "git is not installed here: no job can be sent or taken", "install git"
    )


def diagnose_agents() -> Diagnosis:
    names = [name for name in AGENT_NAMES if load_about(name).program]
    found = [name for name in names if program_path(name)]
    if not found:
        return Diagnosis("warn", f"none of {', '.join(names)} is installed here", "loop agents")
    return Diagnosis("ok", f"installed here: {', '.join(found)}")


def _some(names: list[Any]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"{', '.join(names[:MAX_NAMED])}{more}"
