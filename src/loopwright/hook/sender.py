"""Who sent an order: the client, for the person who types there, or a process of the agent.

The client gives each hook a socket as its stdin. The system knows which process made that socket,
so an order counts only if that process is the client that holds the loop. What an agent pipes into
the hook is no socket, and a socket that it makes shows its own process.
"""

from __future__ import annotations

import sys
import time

from ..agents.claude.hooks import parse_number
from ..core.directives import Stop
from ..core.json_text import JSONError, loads
from ..disk.light_os import os
from ..store import journal
from ..store.moment import boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.directives import Reply
    from ..core.loop import Loop
    from ..store.folder import LoopFolder

NOT_A_SOCKET = 0
MACOS_SOL_LOCAL, MACOS_LOCAL_PEERPID = 0, 2
PID_BYTES, CREDENTIAL_BYTES = 4, 12  # struct ucred: pid, uid and gid
NO_USER = b"\xff" * 4  # the uid of a socket whose other end is no process of this machine
TRANSCRIPT_BYTES = 256_000
TURN_ENDED = b'"stop_reason":"end_turn"'
FROM_SHELL = "it came from a shell of the agent"
FROM_PIPE = "it did not come from the client but through a pipe or a file"
FROM_QUEUE = "it reached the session through its queue, where other programs write too"


def sender_problem(folder: LoopFolder | None, loop: Loop | None, takes_over: bool = False) -> str:
    """Why the event on stdin is not an order of the person; "" if it may be one.

    `takes_over`: the order is to move the loop to another client. Where nothing can be known, for
    example with a client that tells us no pid, the person is believed.
    """
    sent_by = os.environ.get("AI_AGENT", "")
    if sent_by.endswith("_agent"):
        return FROM_SHELL
    holder, client = loop.lease.pid if loop else 0, parse_number(os.environ.get("CLAUDE_PID", ""))
    if loop and loop.headless_run:  # its pid is that of `loop run`
        holder = 0
    sender = peer_of_stdin() if holder or client else None
    if sender is None or (sender and sender == holder):
        return ""
    if sender == NOT_A_SOCKET:
        return FROM_PIPE
    if sys.platform == "darwin" and sent_by.endswith("_harness"):
        return ""  # which process macOS names for a pair of sockets is not certain
    if client and sender != client:
        return f"process {sender} sent it, which is not the client"
    if not holder or folder is None or not _is_same_process(folder, holder):
        return ""
    if takes_over and not _is_below(sender, holder):
        return ""
    return f"process {sender} sent it, and the client that holds this loop is process {holder}"


def refuse_order(folder: LoopFolder | None, order: str, why: str) -> Reply:
    """Record the order in the journal of the loop, if there is one, and say that it is refused.

    The person reads of it at the next Stop, unless the order reached the session itself.
    """
    if folder is None:
        from ..core.prompts.order_replies import order_refused_text

        return Stop(message=order_refused_text(order, why))
    from ..core.signals import Ordered
    from ..drive.step import step

    refused = Ordered(
        at=time.time(),
        order="refused",
        by="agent",
        reason=order,
        arguments=(why,),
        agent_informed=why == FROM_QUEUE,
    )
    return step(folder, refused)


def peer_of_stdin() -> int | None:
    """The process that made the socket on stdin; NOT_A_SOCKET, or None if nobody can know."""
    if sys.platform not in ("linux", "darwin"):
        return None
    from _socket import socket

    try:
        stdin = socket(fileno=os.dup(0))
    except OSError:
        return NOT_A_SOCKET if sys.platform == "linux" else None
    try:
        if sys.platform == "darwin":
            pid = stdin.getsockopt(MACOS_SOL_LOCAL, MACOS_LOCAL_PEERPID, PID_BYTES)
            return int.from_bytes(pid, sys.byteorder) or None
        from _socket import SO_PEERCRED, SOL_SOCKET

        credentials = stdin.getsockopt(SOL_SOCKET, SO_PEERCRED, CREDENTIAL_BYTES)
        if credentials[PID_BYTES : 2 * PID_BYTES] == NO_USER:
            return NOT_A_SOCKET
        # 0: a process outside of our container
        return int.from_bytes(credentials[:PID_BYTES], sys.byteorder) or None
    except OSError:
        return None
    finally:
        stdin.close()


def answers_for_ended_client(folder: LoopFolder, loop: Loop) -> bool:
    """Is it the first prompt of a client that a person started after the one with the lease ended?

    `claude -p PROMPT --resume ID` puts its own prompt into its queue. A client that an agent's
    process started has the markers of that agent; without /proc nobody can know, so it has not.
    """
    client, holder = parse_number(os.environ.get("CLAUDE_PID", "")), loop.lease.pid
    if not client or not holder or client == holder or _is_same_process(folder, holder):
        return False
    try:
        with open(f"/proc/{client}/environ", "rb") as file:
            variables = file.read(1_000_000).split(b"\0")
    except OSError:
        return False
    from ..agents.shell_variables import AGENT_VARIABLES

    names = {variable.partition(b"=")[0].decode("ascii", "replace") for variable in variables}
    return names.isdisjoint(AGENT_VARIABLES)


def _is_same_process(folder: LoopFolder, pid: int) -> bool:
    """Does the client with this pid still run? After a reboot another process may have the pid."""
    from ..disk.processes import is_process_alive, process_started_at

    if not is_process_alive(pid):
        return False
    moment = journal.read(folder.journal_path).moment
    if moment is None:
        return True
    started_at = process_started_at(pid)
    return moment.boot == boot_id() and (not started_at or started_at <= moment.at)


def _is_below(pid: int, ancestor: int) -> bool:
    """Is the process a child of the other one, or a child of its children?"""
    from ..disk.processes import parent_of

    while pid > 1 and pid != ancestor:
        pid = parent_of(pid)
    return pid == ancestor


def was_queued(transcript: str, prompt: str) -> bool:
    """Did the prompt wait in the client's queue, since the agent last ended its turn?

    What a person types while the agent works waits there. So does what another program sends to
    the client's messaging socket, which every child of the client can reach.
    """
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - TRANSCRIPT_BYTES))
            lines = file.read().rpartition(TURN_ENDED)[2].split(b"\n")
    except (OSError, ValueError):
        return False
    return any(b'"enqueue"' in line and _queued_text(line) == prompt for line in lines)


def _queued_text(line: bytes) -> str:
    try:
        entry = loads(line)
    except JSONError:
        return ""
    is_queued = isinstance(entry, dict) and entry.get("operation") == "enqueue"
    return str(entry.get("content", "")) if is_queued else ""
