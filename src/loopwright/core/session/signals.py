"""Signals of the client whose session drives the loop."""

from __future__ import annotations

from ..record import Record


class ClientEvent(Record):
    """The client reports a prompt, the start or end of a session, or a compaction."""

    at: float
    event: str  # start, prompt, end or compact
    session: str
    pid: int = 0
    source: str = ""
    text: str = ""  # the prompt
    tree: str = ""
    attended: bool = True  # False: a one-shot run, which takes no free lease
    holder_gone: bool = False  # the client that holds the lease is dead
    # The client's id of the turn. A prompt that is typed while the agent works has that turn's id.
    prompt_id: str = ""
