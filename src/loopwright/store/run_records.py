"""What was typed for each run that works now or was cut off, in the user's state folder.

`loop run --resume-all` starts those again that the machine cut off. The log beside a record is what
a detached runner prints.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record
from ..disk.files import make_folder, read_text, write_atomic
from ..disk.user_folders import state_home

MAX_CHARACTERS = 1_000_000
LOG_DAYS = 30


class RunRecord(Record):
    """One run: its loop and project, the options of `loop run`, and the PATH that it found."""

    loop_id: str
    root: str
    words: tuple[str, ...]
    path: str


def record_path(loop_id: str) -> str:
    return os.path.join(state_home(), "runs", f"{os.path.basename(loop_id)}.json")


def run_log_path(loop_id: str) -> str:
    return os.path.join(state_home(), "runs", f"{os.path.basename(loop_id)}.log")


def write_record(record: RunRecord) -> None:
    """Keep the record. Without it the run works too, so a disk error is ignored."""
    values = {**record.__dict__, "words": list(record.words)}
    with suppress(OSError):
        make_folder(os.path.dirname(record_path(record.loop_id)))
        write_atomic(record_path(record.loop_id), dumps(values).encode(), wait=False)


def remove_record(loop_id: str) -> None:
    with suppress(OSError):
        os.remove(record_path(loop_id))


def find_record(loop_id: str) -> RunRecord | None:
    """The record of this loop's run, if there is one that can be read."""
    return _read_record(record_path(loop_id))


def all_records() -> list[RunRecord]:
    """Every record that can be read, the oldest loop first."""
    folder = os.path.join(state_home(), "runs")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = (_read_record(os.path.join(folder, name)) for name in names)
    return [record for record in found if record]


def _read_record(path: str) -> RunRecord | None:
    try:
        values = loads(read_text(path, MAX_CHARACTERS, exact=True) or "")
        return RunRecord(
            str(values["loop_id"]),
            str(values["root"]),
            tuple(map(str, values["words"])),
            str(values["path"]),
        )
    except (JSONError, KeyError, TypeError, OSError):
        return None


def open_run_log(loop_id: str) -> int:
    """A descriptor that appends to the log of a detached run. Logs of long ago are deleted."""
    path = run_log_path(loop_id)
    make_folder(os.path.dirname(path))
    _delete_old_logs(os.path.dirname(path))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _delete_old_logs(folder: str) -> None:
    oldest = time.time() - LOG_DAYS * 86_400
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with suppress(OSError):
            if name.endswith(".log") and os.stat(path).st_mtime < oldest:
                os.remove(path)
