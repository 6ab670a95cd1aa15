"""The folder of one loop in our record, outside the project."""

from __future__ import annotations

import os

from ..core.loop import Loop
from ..disk.user_folders import state_home


def room_store(loop: Loop, *names: str) -> str:
    return os.path.join(state_home(), "rooms", loop.id, *names)
