"""Jobs: submit them, find them, read them, and change their state."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from ..drive.errors import UserError, WrongValue
from .database import Database
from .tables import QUEUED, bundles, checkpoints, jobs, logs, turns

DEFAULT_ACCOUNT = "default"  # the worker's own environment, without further credentials
FILES_WORD = "{files}"  # in the words of a job: the folder of the files that came with it
INSERTED_AT_ONCE = 500  # rows of one INSERT
KEPT_LINES = 1_000  # of the log of a job
MAX_MATCHES = 20  # jobs that one word may mean; more are not looked for


@dataclass(frozen=True)
class JobRequest:
    """What a person submits."""

    name: str
    repository: str  # the name under which limits know it
    base_commit: str
    address: str = ""  # where the repository is cloned from; "": `bundle` has it
    bundle: bytes = b""
    start_words: Sequence[str] = ()
    run_words: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] = ()
    priority: int = 0
    account: str = DEFAULT_ACCOUNT
    results: str = ""


@dataclass(frozen=True)
class Job:
    """A row of fleet_jobs."""

    id: str
    name: str
    state: str
    waits_for: str
    not_before: float
    created_at: float
    changed_at: float
    ended_at: float
    priority: int
    labels: list[str]
    account: str
    repository: str
    address: str
    base_commit: str
    start_words: list[str]
    run_words: list[str]
    files: dict[str, str]
    results: str
    worker: str
    fence: int
    workflow: str
    release: str
    failures: int
    progress_at: float
    turn_seconds: float
    loop: str
    loop_facts: dict[str, Any]
    budget: float
    turns: int
    question: str
    reason: str
    grade: str
    published: str


def submit_jobs(database: Database, requests: Iterable[JobRequest]) -> list[str]:
    """Queue all of them, or none: one transaction. The ids, in the same order."""
    requests = list(requests)
    for request in requests:
        _refuse_unstorable(request)
    with database.writing() as connection:
        now = database.now(connection)
        _save_bundles(connection, requests, now)
        ids = _new_ids(connection, len(requests))
        new = [
            _row_of(request, job_id, now, place)
            for place, (request, job_id) in enumerate(zip(requests, ids, strict=True))
        ]
        for start in range(0, len(new), INSERTED_AT_ONCE):
            connection.execute(sa.insert(jobs), new[start : start + INSERTED_AT_ONCE])
    return ids


def require_storable(text: str, what: str) -> None:
    """Refuse what no database keeps and no command line takes: NUL, and broken characters."""
    try:
        is_text = b"\0" not in text.encode()
    except UnicodeEncodeError:
        is_text = False
    if not is_text:
        raise WrongValue(f"{what} has a character that is no text: {ascii(text)[:80]}")


def _refuse_unstorable(request: JobRequest) -> None:
    texts = (request.name, request.repository, request.address, request.results)
    for text in (*texts, *request.start_words, *request.run_words):
        require_storable(text, "the job")


def _new_ids(connection: Connection, count: int) -> list[str]:
    """Ids that no job has. They are short enough to type, so the same one may come up twice."""
    ids: set[str] = set()
    while len(ids) < count:
        drawn = {secrets.token_hex(4) for _ in range(count - len(ids))}
        ids |= drawn - _known_ids(connection, list(drawn))
    return list(ids)


def _row_of(request: JobRequest, job_id: str, now: float, place: int) -> dict[str, Any]:
    # Jobs that are submitted together keep their order.
    created = now + place * 1e-6
    return {
        "id": job_id,
        "name": request.name,
        "state": QUEUED,
        "created_at": created,
        "changed_at": now,
        "priority": request.priority,
        "labels": sorted(request.labels),
        "account": request.account,
        "repository": request.repository,
        "address": request.address,
        "base_commit": request.base_commit,
        "start_words": list(request.start_words),
        "run_words": list(request.run_words),
        "files": dict(request.files),
        "results": request.results,
        "loop_facts": {},
    }


def _save_bundles(connection: Connection, requests: list[JobRequest], now: float) -> None:
    """Keep each bundle once, however many jobs begin at its commit."""
    found = {request.base_commit: request.bundle for request in requests if request.bundle}
    if not found:
        return
    saved = connection.execute(
        sa.select(bundles.c.base_commit).where(bundles.c.base_commit.in_(found))
    ).scalars()
    for commit in found.keys() - set(saved):
        connection.execute(
            sa.insert(bundles).values(base_commit=commit, bundle=found[commit], written_at=now)
        )


def _known_ids(connection: Connection, ids: list[str]) -> set[str]:
    known: set[str] = set()
    for start in range(0, len(ids), INSERTED_AT_ONCE):
        part = ids[start : start + INSERTED_AT_ONCE]
        known |= set(connection.execute(sa.select(jobs.c.id).where(jobs.c.id.in_(part))).scalars())
    return known


def read_job(connection: Connection, job_id: str) -> Job:
    row = connection.execute(sa.select(jobs).where(jobs.c.id == job_id)).mappings().one_or_none()
    if row is None:
        raise UserError(f"the fleet has no job {job_id!r}. List them: loop fleet status --all")
    return _job(row)


def find_job(connection: Connection, word: str) -> Job:
    """The job with this id, beginning of an id, or name."""
    pattern = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    match = sa.or_(jobs.c.id.like(f"{pattern}%", escape="\\"), jobs.c.name == word)
    # The id itself comes first, however many jobs have it as their name.
    order = (sa.case((jobs.c.id == word, 0), else_=1), jobs.c.created_at.desc())
    newest = sa.select(jobs).where(match).order_by(*order).limit(MAX_MATCHES)
    rows = connection.execute(newest).mappings().all() if word else []
    exact = [row for row in rows if row["id"] == word]
    if exact or len(rows) == 1:
        return _job((exact or rows)[0])
    if not rows:
        raise UserError(f"the fleet has no job {word!r}. List them: loop fleet status --all")
    names = ", ".join(f"{row['id']} ({row['state']})" for row in rows[:5])
    count = len(rows) if len(rows) < MAX_MATCHES else f"{MAX_MATCHES} or more"
    raise UserError(f"{word!r} means {count} jobs: {names}. Name one by its id")


def read_bundle(connection: Connection, commit: str) -> bytes:
    """The work of a job that arrived as a bundle; empty when there is none."""
    query = sa.select(bundles.c.bundle).where(bundles.c.base_commit == commit)
    return bytes(connection.execute(query).scalar_one_or_none() or b"")


def read_checkpoint(connection: Connection, job_id: str) -> tuple[int, bytes, bytes, bytes] | None:
    """The turn after which it was made, then the bundle, the folder and the held-out commands."""
    query = sa.select(checkpoints).where(checkpoints.c.job == job_id)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    return row["turn"], bytes(row["bundle"]), bytes(row["folder"]), bytes(row["holdouts"])


def read_turns(connection: Connection, job_id: str) -> list[RowMapping]:
    query = sa.select(turns).where(turns.c.job == job_id).order_by(turns.c.number, turns.c.fence)
    return list(connection.execute(query).mappings())


def append_lines(database: Database, job_id: str, lines: list[str]) -> None:
    """Write the lines, and drop the oldest ones beyond what is kept."""
    with database.writing() as connection:
        now = database.now(connection)
        rows = [{"job": job_id, "at": now, "text": line} for line in lines]
        connection.execute(sa.insert(logs), rows)
        newest_dropped = connection.execute(
            sa.select(logs.c.number)
            .where(logs.c.job == job_id)
            .order_by(logs.c.number.desc())
            .offset(KEPT_LINES)
            .limit(1)
        ).scalar_one_or_none()
        if newest_dropped is not None:
            is_old = sa.and_(logs.c.job == job_id, logs.c.number <= newest_dropped)
            connection.execute(sa.delete(logs).where(is_old))


def _job(row: RowMapping) -> Job:
    return Job(**dict(row))
