"""What an agent printed, turn by turn, under .loop/logs: for `loop logs`, and for a runner that finds a turn cut off."""

from __future__ import annotations

import os

from ..disk.files import NO_LINK_FLAGS
from .folder import LoopFolder

MAX_BYTES = 5_000_000  # bytes of one turn; what follows is dropped, and the last line says so


def log_path(place: LoopFolder, turn: int, agent: str) -> str:
    return place.path_of("logs", f"{turn:04d}-{agent}.log")


def all_log_paths(folder: str) -> list[str]:
    """The logs in a loop's folder, or in its archive, in the order of the turns."""
    logs = os.path.join(folder, "logs")
    try:
        return [
            os.path.join(logs, name) for name in sorted(os.listdir(logs)) if name.endswith(".log")
        ]
    except FileNotFoundError:
        return []


def agent_of_log(path: str) -> str:
    return os.path.basename(path).removesuffix(".log").partition("-")[2]


class TurnLog:
    """The log of one turn while it is written. A full or broken disk costs the log, not the turn."""

    def __init__(self, place: LoopFolder, turn: int, agent: str) -> None:
        self.bytes_left = MAX_BYTES
        path = log_path(place, turn, agent)
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK_FLAGS, 0o600)
            if os.fstat(self._fd).st_nlink > 1:  # a file that lies elsewhere too
                self.bytes_left = 0
        except OSError:
            self._fd = -1

    def write(self, line: str) -> None:
        data = line.encode("utf-8", "replace")
        if self._fd < 0 or self.bytes_left <= 0:
            return
        self.bytes_left -= len(data)
        try:
            os.write(
                self._fd, data if self.bytes_left > 0 else b"[the rest of this turn is not kept]\n"
            )
        except OSError:
            self.bytes_left = 0

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
