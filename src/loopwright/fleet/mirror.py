"""What is here of a loop that works elsewhere: the files of its last checkpoint, to be read only.

Each checkpoint is unpacked into a folder of its own. No folder in it is called .loop, so no command
takes it for a loop of this machine.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ..core.record import digest
from ..disk.files import make_folder, write_atomic
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..store.turn_logs import all_log_paths, turn_order
from . import archive
from .checkpoint_facts import FACTS_NAME, decode_facts
from .database import parse_address
from .tables import checkpoints, logs

OPEN_SECONDS = 15.0  # a page that nobody has asked for since then is not kept fresh
KEPT_JOBS = 50  # whose files stay here
KEPT_CHECKPOINTS = 2  # a reader may still be in the earlier one
LIVE_LINES = 200
LIVE = "live"  # in the place of the agent's name: lines that a worker told, turned into text


@dataclass(frozen=True)
class Mirror:
    """The files of one job. `changes` grows with each new file."""

    journal: str = ""
    written_at: float = 0.0
    live_number: int = 0
    changes: int = 0
    problem: str = ""  # why the last checkpoint could not be unpacked


class OpenPages:
    """The jobs whose pages are open. One thread reads them; others ask."""

    def __init__(self, address: str) -> None:
        self.folder = mirror_folder(address)
        self.mirrors: dict[str, Mirror] = {}
        self._asked_at: dict[str, float] = {}

    def ask_for(self, job_id: str) -> None:
        self._asked_at[job_id] = time.monotonic()

    def open_pages(self) -> list[str]:
        """The jobs whose page was looked at lately."""
        recent = time.monotonic() - OPEN_SECONDS
        return [job_id for job_id, asked in list(self._asked_at.items()) if asked > recent]

    def problem(self, wanted: list[str]) -> str:
        """What is wrong with one of these; "" if nothing is."""
        found = (self.mirrors[key].problem for key in wanted if key in self.mirrors)
        return next(filter(None, found), "")

    def read(self, connection: Connection, wanted: list[str], running: set[str]) -> bool:
        """Bring the files of these jobs here; True if any has changed."""
        if not wanted:
            return False
        query = sa.select(checkpoints.c.job, checkpoints.c.written_at)
        found = connection.execute(query.where(checkpoints.c.job.in_(wanted)))
        written = {row.job: row.written_at for row in found}
        has_changed = False
        for job_id in wanted:
            before = self.mirrors.get(job_id, Mirror())
            mirror = before
            if written.get(job_id, before.written_at) != before.written_at:
                mirror = self._unpack(connection, job_id, written[job_id], before)
            if mirror.journal:
                mirror = _read_live_lines(connection, job_id, mirror, job_id in running)
            self.mirrors[job_id] = mirror
            has_changed |= mirror != before
        return has_changed

    def _unpack(
        self, connection: Connection, job_id: str, written_at: float, before: Mirror
    ) -> Mirror:
        query = sa.select(checkpoints.c.folder).where(checkpoints.c.job == job_id)
        data = bytes(connection.execute(query).scalar_one_or_none() or b"")
        job_folder = os.path.join(self.folder, f"job-{quote(job_id, safe='')}")
        changes = before.changes + 1
        try:
            journal = unpack_mirror(job_folder, f"{written_at:.6f}", data)
            drop_oldest(job_folder, KEPT_CHECKPOINTS)
            drop_oldest(self.folder, KEPT_JOBS)
        except (UserError, OSError) as error:
            problem = f"job {job_id} cannot be shown: {error}"
            return replace(before, written_at=written_at, changes=changes, problem=problem)
        return Mirror(journal, written_at, 0, changes)


def mirror_folder(address: str) -> str:
    shown = parse_address(address).render_as_string(hide_password=True)
    name = digest(shown.encode("utf-8", "surrogateescape"))[:12]
    return os.path.join(state_home(), "fleet", "mirror", name)


def unpack_mirror(job_folder: str, name: str, data: bytes) -> str:
    """Unpack the folder of a checkpoint, unless that is done already; the path of its journal."""
    facts = decode_facts(archive.read_file(data, FACTS_NAME))
    target = os.path.join(job_folder, name)
    journal = os.path.join(target, facts.journal.removeprefix(".loop/"))
    if not os.path.exists(journal):
        make_folder(job_folder)
        with tempfile.TemporaryDirectory(prefix="draft-", dir=job_folder) as draft:
            archive.unpack_plain_files(data, draft, lambda entry: entry.startswith(".loop/"))
            try:
                os.rename(os.path.join(draft, ".loop"), target)
            except OSError:
                if not os.path.exists(journal):  # otherwise another dashboard was faster
                    raise
    os.utime(job_folder)  # it is in use
    return journal


def drop_oldest(folder: str, most: int) -> None:
    """Remove the folders in it that were not used for the longest time."""
    with os.scandir(folder) as entries:
        found = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    found.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime, reverse=True)
    for entry in found[most:]:
        shutil.rmtree(entry.path, ignore_errors=True)


def _read_live_lines(
    connection: Connection, job_id: str, mirror: Mirror, is_running: bool
) -> Mirror:
    """Keep what a worker tells of the turn that works now as a log; remove it after the turn."""
    folder = os.path.dirname(mirror.journal)
    if not is_running:
        return _drop_live_log(folder, mirror)
    query = sa.select(logs.c.number, logs.c.text).where(logs.c.job == job_id)
    rows = connection.execute(query.order_by(logs.c.number.desc()).limit(LIVE_LINES)).all()
    if not rows or rows[0].number == mirror.live_number:
        return mirror
    text = "".join(f"{row.text}\n" for row in reversed(rows))
    path = _live_path(folder)
    make_folder(os.path.dirname(path))
    write_atomic(path, text.encode("utf-8", "replace"), wait=False)
    return replace(mirror, live_number=rows[0].number, changes=mirror.changes + 1)


def _drop_live_log(folder: str, mirror: Mirror) -> Mirror:
    if not mirror.live_number:
        return mirror
    for path in all_log_paths(folder):
        if path.endswith(f"-{LIVE}.log"):
            os.remove(path)
    return replace(mirror, live_number=0, changes=mirror.changes + 1)


def _live_path(folder: str) -> str:
    """The log after the last one of a turn that is over."""
    ended = [path for path in all_log_paths(folder) if not path.endswith(f"-{LIVE}.log")]
    number = turn_order(ended[-1])[0] + 1 if ended else 1
    return os.path.join(folder, "logs", f"{number:04d}-{LIVE}.log")
