"""One turn of a runner: what the agent is told, its process, its log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ...agents import registry
from ...agents.base import About, TurnOutput
from ...agents.process import TurnCallbacks, child_environment, run_agent_process
from ...core.loop import Loop, run_of
from ...core.prompts.fresh_context import BriefContext, fresh_context_prompt
from ...core.record import Record
from ...core.signals import TurnOver
from ...disk.files import read_text
from ...repo import user_repo
from ...store import turn_logs
from ...store.folder import LoopFolder
from ...verify import process_groups
from ...verify.redact import StreamRedactor, redact_text
from .observer import RunObserver
from .run_config import RunConfig, TurnSlot
from .turn_result import to_signal

GUIDE_FILES = ("CLAUDE.md", "AGENTS.md")
MAX_TEXT = 1_000_000
ProcessGuard = Callable[[int], AbstractContextManager[None]]


class TurnObserver(Record):
    """Who looks on, who may stop the turn, and who ends it with us; `fence` is a file that says what it may write."""

    observer: RunObserver
    stop_reason: Callable[[], str]
    process_guard: ProcessGuard
    write_scope_file: str = ""


def run_turn(
    folder: LoopFolder, loop: Loop, crew: RunConfig, prompt: str, post: TurnSlot, look: TurnObserver
) -> TurnOver:
    """The turn that has just been begun, to its end."""
    agent = registry.load_agent(post.agent)
    call = crew.agent_call(loop, prompt, post).but(
        root=post.root,
        config_text=_agent_config_text(agent.about),
        write_scope_file=look.write_scope_file,
    )
    if not call.session:
        reads = GUIDE_FILES if crew.settings else agent.about.reads
        call = call.but(
            prompt=fresh_context_prompt(loop, prompt, brief_context(folder, loop, reads))
        )
    log = turn_logs.TurnLog(folder, post.number, post.agent)
    label, stream = f"{post.task} " if post.task else "", StreamRedactor()

    def seen(heard: TurnOutput, line: str) -> None:
        line = stream.redact_line(line)
        log.write(line if line.endswith("\n") else f"{line}\n")
        told = agent.tell(line)
        look.observer.on_output_line(heard, f"{label}{told}" if told else "")

    @contextmanager
    def lives(group: int) -> Iterator[None]:
        with look.process_guard(group), process_groups.record_group(folder.path, group):
            yield

    try:
        env, clocks = child_environment(loop.id), crew.turn_timeouts(loop)
        heard = run_agent_process(
            agent, call, post.root, env, clocks, TurnCallbacks(seen, look.stop_reason, lives)
        )
    finally:
        log.close()
    return to_signal(heard, loop, time.time(), post)


def brief_context(folder: LoopFolder, loop: Loop, reads: tuple[str, ...]) -> BriefContext:
    """`reads` are the guides that the agent reads by itself."""
    guides = tuple(
        name
        for name in GUIDE_FILES
        if name not in reads and os.path.isfile(os.path.join(folder.root, name))
    )
    return BriefContext(
        redact_text(read_text(folder.path_of("notes.md"), MAX_TEXT) or ""),
        redact_text(user_repo.log_since(folder.root, run_of(loop).base_commit)),
        guides,
    )


def _agent_config_text(about: About) -> str:
    if about.config is None:
        return ""
    variable, folder, name = about.config
    home = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), folder)
    return read_text(os.path.join(home, name), MAX_TEXT) or ""
