"""What a person typed to start a loop: the hook stores it word for word until the loop starts.

The model then runs `loop start` for the person. The stored text has the rights of a person; any
other argument has those of the model.
"""

from __future__ import annotations

import os
import time

from ..core.json_text import dumps, json_object
from ..core.record import digest
from ..disk.files import make_folder, remove_file, write_atomic
from ..disk.user_folders import state_home

EXPIRY_SECONDS = 86_400


def pending_start_path(session: str) -> str:
    return os.path.join(state_home(), "typed", digest(session.encode("utf-8", "surrogatepass")))


def save_pending_start(session: str, text: str, now: float) -> None:
    """Store the text of this session; it replaces an earlier one."""
    path = pending_start_path(session)
    make_folder(os.path.dirname(path))
    write_atomic(path, dumps({"at": now, "text": text}).encode("utf-8", "surrogatepass"))


def read_pending_start(session: str) -> str:
    """What the person typed in this session within the last day; "" for nothing."""
    try:
        with open(pending_start_path(session), "rb") as file:
            entry = json_object(file.read()) or {}
    except OSError:
        return ""
    if not isinstance(entry.get("at"), int | float):
        return ""
    if time.time() - entry["at"] > EXPIRY_SECONDS:
        return ""
    return str(entry.get("text", ""))


def delete_pending_start(session: str) -> None:
    remove_file(pending_start_path(session))
