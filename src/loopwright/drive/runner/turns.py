"""One turn of a runner: the prompt, the process of the agent and the log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from ...agents import registry
from ...agents.base import About, TurnOutput
from ...agents.process import TurnCallbacks, child_environment, run_agent_process
from ...agents.process_guard import ProcessGuard
from ...core.loop import Loop, run_of
from ...core.prompts.fresh_context import BriefContext, fresh_context_prompt
from ...core.prompts.phrases import strip_control_characters
from ...core.record import Record
from ...core.signals import TurnOver
from ...disk.files import read_text
from ...repo import user_repo
from ...sandbox.git_guard import keep_whole
from ...store import turn_logs
from ...store.folder import LoopFolder
from ...verify import process_groups
from ...verify.redact import StreamRedactor, redact_text
from ..turn_facts import TurnCheckout
from .agent_box import name_inbox, open_box, removed_links_text
from .observer import RunObserver
from .run_config import MAX_TEXT, RunConfig, TurnSlot, agent_config_text
from .turn_result import to_signal
from .turn_watcher import TurnWatcher

GUIDE_FILES = ("CLAUDE.md", "AGENTS.md")


class TurnObserver(Record):
    """What a turn needs of its runner: callbacks, and the file with its write scope ("": none)."""

    observer: RunObserver
    stop_reason: Callable[[], str]
    process_guard: ProcessGuard
    write_scope_file: str = ""
    checkout: TurnCheckout | None = None  # the files of the turn; None: they are not read


def run_turn(
    folder: LoopFolder,
    loop: Loop,
    config: RunConfig,
    prompt: str,
    slot: TurnSlot,
    turn_observer: TurnObserver,
) -> TurnOver:
    """Run the turn in this slot to its end."""
    agent = registry.load_agent(slot.agent)
    request = config.agent_call(loop, prompt, slot).but(
        root=slot.root,
        config_text=agent_config_text(agent.about, dict(config.environment)),
        write_scope_file=turn_observer.write_scope_file,
    )
    if not request.session:
        reads = GUIDE_FILES if config.settings else agent.about.reads
        context = brief_context(folder, loop, reads)
        request = request.but(prompt=fresh_context_prompt(loop, prompt, context))
    request = request.but(prompt=strip_control_characters(request.prompt))
    if config.sandbox.is_on:
        report = run_of(loop).sandbox
        is_held = bool(report and report.is_enforced)
        request = request.but(prompt=name_inbox(request.prompt), boxed=is_held)
    log = turn_logs.TurnLog(folder, slot.number, slot.agent)
    redactor = StreamRedactor()
    watcher = TurnWatcher(loop, slot.reserve, agent.about.capped, turn_observer.checkout)
    label = f"{slot.task} " if slot.task else ""

    def on_line(output: TurnOutput, line: str) -> None:
        line = redactor.redact_line(line)
        log.write(line if line.endswith("\n") else f"{line}\n")
        words = agent.tell(line)
        turn_observer.observer.on_output_line(output, f"{label}{words}" if words else "")

    def stop_reason() -> str:
        log.flush()
        return turn_observer.stop_reason()

    def hold_group(group: int) -> AbstractContextManager[None]:
        return process_groups.record_group(folder.path, group)

    environment = _environment(folder, loop, config, agent.about, slot)
    environment |= agent.environment(request)
    words = agent.command(request)
    boxed = open_box(config.sandbox, folder, loop, slot.root, words, environment)
    try:
        output = run_agent_process(
            agent,
            request,
            slot.root,
            boxed.environment,
            config.turn_timeouts(loop, agent.about),
            TurnCallbacks(on_line, stop_reason, hold_group, watcher.end_reason),
            turn_observer.process_guard,
            boxed.launcher,
        )
    finally:
        log.close()
        if config.sandbox.is_on and (removed := keep_whole(slot.root)):
            turn_observer.observer.show_message(removed_links_text(removed))
    return to_signal(output, loop, time.time(), slot, breaker=watcher.breaker)


def _environment(
    folder: LoopFolder, loop: Loop, config: RunConfig, about: About, slot: TurnSlot
) -> dict[str, str]:
    """The variables of the agent. In a lane, the project's own folders are those of the lane."""
    variables = child_environment(loop.id, about, loop.settings.pass_env, config.environment)
    if slot.root == folder.root:
        return variables
    from ..lane_checkout import lane_environment  # a run in place needs nothing of it

    return lane_environment(variables, folder.root, slot.root)


def brief_context(folder: LoopFolder, loop: Loop, reads: tuple[str, ...]) -> BriefContext:
    """What an agent with a fresh context must know; `reads` are the guides that it reads itself."""
    unread = [name for name in GUIDE_FILES if name not in reads]
    guides = [name for name in unread if os.path.isfile(os.path.join(folder.root, name))]
    return BriefContext(
        redact_text(read_text(folder.path_of("notes.md"), MAX_TEXT) or ""),
        redact_text(user_repo.log_since(folder.root, run_of(loop).base_commit)),
        tuple(guides),
    )
