"""Does this session of Claude Code offer its own task list? Its transcript names the tools that the model was given.

Which models get the tools is the client's to decide and changes from version to version, so it is looked up, not known.
"""

from __future__ import annotations

import glob
import os

from .paths import config_home

MAX_BYTES = 4 * 1024 * 1024  # the tools are named in the first lines
TOOL_LISTS = (b'"deferred_tools_delta"', b'"api-request-shape"')


def offers_task_list(session: str) -> bool:
    """Whether TaskCreate is among the tools. Unknown is no."""
    path = transcript_path(session)
    if not path:
        return False
    with open(path, "rb") as file:
        lines = file.read(MAX_BYTES).split(b"\n")
    return any(
        b'"TaskCreate"' in line and any(name in line for name in TOOL_LISTS) for line in lines
    )


def transcript_path(session: str) -> str:
    """Where the client keeps the session's transcript; "" when it is not there."""
    if not session:
        return ""
    found = glob.glob(
        os.path.join(glob.escape(config_home()), "projects", "*", f"{glob.escape(session)}.jsonl")
    )
    return found[0] if found else ""
