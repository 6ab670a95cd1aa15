"""What a person typed to start a loop in a session: the hook saw it typed, and keeps it word for word until the loop begins.

The model then runs `loop start` for them. What lies here is the person's, with all a person may ask for; the rest is the model's.
"""

from __future__ import annotations

import os
import time

from ..core.json_text import JSONError, dumps, loads
from ..core.record import digest
from ..disk.files import make_folder, write_atomic
from .folder import state_home

EXPIRY_SECONDS = 86_400


def pending_start_path(session: str) -> str:
    return os.path.join(state_home(), "typed", digest(session.encode("utf-8", "surrogatepass")))


def save_pending_start(session: str, text: str, now: float) -> None:
    """The latest words stand; what was typed before them is gone."""
    path = pending_start_path(session)
    make_folder(os.path.dirname(path))
    write_atomic(path, dumps({"at": now, "text": text}).encode("utf-8", "surrogatepass"))


def read_pending_start(session: str) -> str:
    """What this session's person typed lately, or nothing."""
    try:
        with open(pending_start_path(session), "rb") as file:
            kept = loads(file.read())
    except (OSError, JSONError):
        return ""
    if (
        not isinstance(kept, dict)
        or not isinstance(kept.get("at"), int | float)
        or time.time() - kept["at"] > EXPIRY_SECONDS
    ):
        return ""
    return str(kept.get("text", ""))


def delete_pending_start(session: str) -> None:
    if os.path.exists(pending_start_path(session)):
        os.remove(pending_start_path(session))
