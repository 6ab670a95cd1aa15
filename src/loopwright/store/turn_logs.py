"""The output of an agent, turn by turn, under .loop/logs.

`loop logs` shows it, and a runner reads the log of a turn that was cut off. Logs of earlier turns
are packed with gzip.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress

from ..disk.files import NO_LINK_FLAGS
from .folder import LoopFolder

MOMENT_SECONDS = 0.05
MAX_BYTES = 5_000_000  # of one turn; the rest is dropped, and the last line says so
PLAIN_LOGS = 20  # the latest, which are not packed; up to twice as many until the next packing
SMALL_BYTES = 4096  # a file of one block takes as much room when it is packed
PACKED = ".gz"


def log_path(folder: LoopFolder, turn: int, agent: str) -> str:
    return folder.path_of("logs", f"{turn:04d}-{agent}.log")


def all_log_paths(folder: str) -> list[str]:
    """The logs in a loop's folder, or in its archive, in the order of the turns."""
    logs = os.path.join(folder, "logs")
    try:
        names = os.listdir(logs)
    except FileNotFoundError:
        return []
    names = sorted((name for name in names if name.endswith((".log", ".log.gz"))), key=turn_order)
    return [os.path.join(logs, name) for name in names]


def turn_order(path: str) -> tuple[int, str]:
    """The place of a log: by the number of its turn, of which four digits are not enough."""
    number, _, rest = os.path.basename(path).removesuffix(PACKED).partition("-")
    return int(number) if number.isdecimal() else 0, rest


def agent_of_log(path: str) -> str:
    return os.path.basename(path).removesuffix(PACKED).removesuffix(".log").partition("-")[2]


def read_log(path: str, position: int = 0) -> bytes:
    """The bytes of a log from this position on. FileNotFoundError: it was packed or moved."""
    if path.endswith(PACKED):
        import gzip

        with gzip.open(path) as packed:
            packed.seek(position)
            return packed.read()
    with open(path, "rb") as file:
        file.seek(position)
        return file.read()


def pack_old_logs(folder: LoopFolder, turn: int) -> None:
    """Pack the logs before the latest, once in so many turns: a loop may have thousands of logs.

    Small ones stay as they are, and all do where there is no room.
    """
    if turn % PLAIN_LOGS:
        return
    import gzip

    try:
        names = os.listdir(folder.path_of("logs"))
    except FileNotFoundError:
        return
    plain_logs = sorted((name for name in names if name.endswith(".log")), key=turn_order)
    # Older ones were small when they were looked at.
    recent = [name for name in plain_logs if turn_order(name)[0] > turn - 3 * PLAIN_LOGS]
    for name in recent[:-PLAIN_LOGS]:
        path = folder.path_of("logs", name)
        draft = f"{path}.tmp"
        with suppress(OSError):
            if os.path.getsize(path) <= SMALL_BYTES:
                continue
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK_FLAGS
            with (
                open(path, "rb") as plain,
                open(os.open(draft, flags, 0o600), "wb") as file,
                gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6) as packed,
            ):
                shutil.copyfileobj(plain, packed)
            os.replace(draft, path + PACKED)
            os.remove(path)


class TurnLog:
    """The log of one turn while it is written. After a disk error the turn continues without it.

    A line is written at once, unless many come in one moment: those are written together.
    """

    def __init__(self, folder: LoopFolder, turn: int, agent: str) -> None:
        self.bytes_left = MAX_BYTES
        pack_old_logs(folder, turn)
        self._waiting: list[bytes] = []
        self._written_at = 0.0
        path = log_path(folder, turn, agent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK_FLAGS
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            self._fd = os.open(path, flags, 0o600)
            if os.fstat(self._fd).st_nlink > 1:  # a hard link: the file belongs elsewhere too
                self.bytes_left = 0
        except OSError:
            self._fd = -1

    def write(self, line: str) -> None:
        data = line.encode("utf-8", "replace")
        if self._fd < 0 or self.bytes_left <= 0:
            return
        self.bytes_left -= len(data)
        if self.bytes_left <= 0:
            data = b"[the rest of this turn is not kept]\n"
        self._waiting.append(data)
        if time.monotonic() - self._written_at > MOMENT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the lines that wait."""
        if not self._waiting:
            return
        data, self._waiting = b"".join(self._waiting), []
        try:
            os.write(self._fd, data)
        except OSError:
            self.bytes_left = 0
        self._written_at = time.monotonic()

    def close(self) -> None:
        if self._fd >= 0:
            self.flush()
            os.close(self._fd)
