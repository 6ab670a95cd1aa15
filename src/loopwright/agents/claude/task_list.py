"""Does this session of Claude Code offer its own task list?

Its transcript names the tools that the model was given. Which models get the task list changes from
version to version of the client, so we look it up.
"""

from __future__ import annotations

import glob
import os

from .paths import config_home

MAX_BYTES = 4 * 1024 * 1024  # the tools are named in the first lines
TOOL_LISTS = (b'"deferred_tools_delta"', b'"api-request-shape"')


def offers_task_list(session: str) -> bool:
    """Is TaskCreate among the tools? False when we cannot know."""
    path = transcript_path(session)
    if not path:
        return False
    with open(path, "rb") as file:
        lines = file.read(MAX_BYTES).split(b"\n")
    tool_lists = [line for line in lines if any(name in line for name in TOOL_LISTS)]
    return any(b'"TaskCreate"' in line for line in tool_lists)


def transcript_path(session: str) -> str:
    """Where the client keeps the session's transcript; "" when there is none."""
    if not session:
        return ""
    projects = os.path.join(glob.escape(config_home()), "projects")
    paths = glob.glob(os.path.join(projects, "*", f"{glob.escape(session)}.jsonl"))
    return paths[0] if paths else ""
