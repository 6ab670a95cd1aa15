"""The latest words and tool calls of the agent that a runner drives, from the end of its log."""

from __future__ import annotations

import os

from ..agents.registry import AGENT_NAMES, load_agent
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.record import Record
from ..disk.files import open_at_once
from ..store import turn_logs

MAX_BYTES = 64 * 1024
MAX_COLUMNS = 400


class AgentWords(Record):
    """The end of the log of the last turn; `size` tells whether the log has grown."""

    turn: int = 0
    agent: str = ""
    size: int = 0
    lines: tuple[str, ...] = ()


def read_agent_words(folder: str, most: int) -> AgentWords:
    """The last lines of the last turn. `folder` is the loop's folder or its archive."""
    paths = turn_logs.all_log_paths(folder)
    if not paths:
        return AgentWords()
    path = paths[-1]
    agent = turn_logs.agent_of_log(path)
    try:
        with open(path, "rb", opener=open_at_once) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - MAX_BYTES))
            data = file.read(MAX_BYTES)
    except OSError:  # it is being moved to the archive
        return AgentWords(agent=agent)
    rows = data.decode("utf-8", "replace").split("\n")
    # The first row may lack its beginning.
    words = _tell_rows(agent, rows[1:] if size > MAX_BYTES else rows)
    number = os.path.basename(path).partition("-")[0]
    return AgentWords(
        turn=int(number) if number.isdecimal() else 0,
        agent=agent,
        size=size,
        lines=tuple(clip_text(line, MAX_COLUMNS) for line in words[-most:]),
    )


def _tell_rows(agent: str, rows: list[str]) -> list[str]:
    tell = load_agent(agent).tell if agent in AGENT_NAMES else str
    text = "\n".join(filter(None, map(tell, rows)))
    return [line for line in strip_control_characters(text).split("\n") if line.strip()]
