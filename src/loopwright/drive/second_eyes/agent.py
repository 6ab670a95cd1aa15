"""Runs a second agent: once, in an enforced sandbox, in a checkout that is thrown away."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from ...agents.base import ALL, EDITS, TurnOutput, TurnRequest
from ...agents.process import TurnCallbacks, TurnTimeouts, child_environment, run_agent_process
from ...agents.process_guard import ProcessGuard
from ...agents.registry import ACP, AGENT_NAMES, load_agent, unknown_agent
from ...cleanroom.checkout import PreparedRoom
from ...core.loop import Loop
from ...core.record import Record
from ...core.runner.sandbox import SandboxReport, sandbox_text
from ...disk.files import make_folder
from ...sandbox.choose import Sandbox, launcher_words
from ...sandbox.mounts import Box
from ...sandbox.places import agent_homes
from ...sandbox.probe import probe_sandbox
from ...sandbox.profiles import AGENT, CHECK, REVIEWER
from ...store.chosen_sandbox import (
    BINDING_BACKENDS,
    box_of_profile,
    chosen_bounds,
    sandbox_of_checks,
)
from ...store.config import settings
from ...store.folder import LoopFolder
from ...store.state_folder import room_store
from ...verify import process_groups
from ...verify.halting import is_halted
from ..errors import UserError
from ..runner.agent_box import agent_programs, keep_agent_folder
from ..runner.run_config import agent_config_text, program_path

COMMAND, SCRIPT = "command", "script"
# What a client loads from a project by itself: instructions and programs, and the worker may have
# written them. A second agent reads the project as data.
LOADED_BY_CLIENTS = {
    *("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md", ".goosehints"),
    *("copilot-instructions.md", ".mcp.json", "opencode.json", ".claude", ".codex", ".gemini"),
    *(".qwen", ".opencode", ".cursor", ".copilot"),
}
WITH_WORDS = (ACP, COMMAND, SCRIPT)
DOLLARS, MINUTES = "eyes.dollars", "eyes.minutes"


class SecondAgent(Record):
    """Who is asked: a known agent, and the words of its command line if it needs some."""

    name: str
    words: tuple[str, ...] = ()


class Budget(Record):
    """What one question to a second agent may cost."""

    dollars: float
    seconds: float


class Answer(Record):
    """What it said, or why there is no answer."""

    text: str = ""
    dollars: float = 0.0
    problem: str = ""


def names_agent(text: str) -> bool:
    """Does this name a known agent? Anything else is a command line."""
    name, mark, words = text.partition(":")
    return name in AGENT_NAMES and (name in WITH_WORDS) == bool(mark and words.strip())


def parse_agent(text: str) -> SecondAgent:
    """The agent of this name; a UserError if it is unknown or not installed."""
    name, _, words = text.strip().partition(":")
    if not names_agent(text.strip()):
        hint = f"write {name}:WORDS" if name in WITH_WORDS else unknown_agent(name)
        raise UserError(f"{text!r}: {hint}")
    if name == SCRIPT:
        return SecondAgent(name, (os.path.abspath(words),))
    if name in WITH_WORDS:
        return SecondAgent(name, tuple(shlex.split(words)))
    if not program_path(name):
        raise UserError(f"{name} is not installed here. See: loop agents")
    return SecondAgent(name)


def own_budget() -> Budget:
    """As the person set it; a project, which the worker may write, has no say."""
    values = settings()
    return Budget(float(values[DOLLARS]), 60.0 * float(values[MINUTES]))


def require_sandbox(folder: LoopFolder, loop: Loop) -> None:
    """A UserError where no sandbox holds what a second agent writes: it is run nowhere else."""
    report = SandboxReport("off", why="no sandbox works here, or it is switched off")
    if loop.check_box.backend in BINDING_BACKENDS:
        sandbox = sandbox_of_checks(loop.check_box)
        box = box_of_profile(CHECK, folder.root).but(bounds=chosen_bounds(folder.root))
        report = probe_sandbox(sandbox, box, dict(os.environ))
    if not report.is_enforced:
        raise UserError(
            "a second agent works only in an enforced sandbox, and what it writes runs only there. "
            f"Here: {sandbox_text(report)}. See: loop sandbox show"
        )


def ask_agent(
    agent: SecondAgent,
    folder: LoopFolder,
    loop: Loop,
    room: PreparedRoom,
    prompt: str,
    budget: Budget,
    may_write: bool = False,
) -> Answer:
    """Ask once, in this checkout, which it can only read unless it `may_write`."""
    known = load_agent(agent.name)
    if not may_write:
        _remove_instructions(room.path)
    request = TurnRequest(
        number=1,
        budget=budget.dollars,
        permissions=ALL if may_write and agent.name == "codex" else EDITS,
        agent_command=agent.words,
        root=_place(room),
        boxed=True,
        prompt=prompt,
        prices=loop.settings.prices,
        config_text=agent_config_text(known.about, {}),
    )
    environment = child_environment(loop.id, known.about, loop.settings.pass_env)
    environment |= known.environment(request)
    timeouts = TurnTimeouts(start=budget.seconds, idle=budget.seconds, turn=budget.seconds)

    def end_reason(output: TurnOutput) -> str:
        is_used_up = output.cost > budget.dollars
        return f"its budget of ${budget.dollars:g} is used up" if is_used_up else ""

    def hold_group(group: int) -> AbstractContextManager[None]:
        return process_groups.record_group(folder.path, group)

    callbacks = TurnCallbacks(
        on_line=lambda output, line: None,
        stop_reason=lambda: "a person halted the loop" if is_halted() else "",
        hold_group=hold_group,
        end_reason=end_reason,
    )
    guard = ProcessGuard()
    words = known.command(request)
    with _open_box(room, loop, words, environment, may_write) as (boxed, launcher):
        try:
            output = run_agent_process(
                known, request, room.path, boxed, timeouts, callbacks, guard, launcher
            )
        finally:
            guard.end_all()
    return Answer(output.text, output.cost, output.cut or output.failure)


def _remove_instructions(folder: str) -> None:
    for path, folders, files in os.walk(folder):
        for name in LOADED_BY_CLIENTS.intersection(folders):
            shutil.rmtree(os.path.join(path, name), ignore_errors=True)
        for name in LOADED_BY_CLIENTS.intersection(files):
            os.remove(os.path.join(path, name))
        folders[:] = [name for name in folders if name not in (".git", "node_modules")]


def _place(room: PreparedRoom) -> str:
    """The path at which the agent sees the checkout."""
    return room.view.real_root if room.view.binding else os.path.realpath(room.path)


@contextmanager
def _open_box(
    room: PreparedRoom,
    loop: Loop,
    words: tuple[str, ...],
    environment: dict[str, str],
    may_write: bool,
) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
    """Variables and launcher. Its own folder begins empty: it remembers no other session."""
    sandbox: Sandbox = sandbox_of_checks(loop.check_box)
    place = _place(room)
    programs, names = agent_programs(words, environment, os.path.realpath(room.path))
    make_folder(room_store(loop))
    store = tempfile.mkdtemp(prefix="eyes-", dir=room_store(loop))
    box = Box(
        profile=AGENT if may_write else REVIEWER,
        root=place,
        source=os.path.realpath(room.path) if room.view.binding else "",
        allow_read=loop.check_box.allow_read,
        programs=programs,
        agents=tuple(agent_homes(names, environment)),
        agent_store=store,
        bounds=chosen_bounds(room.view.root),
    )
    try:
        environment = {**environment, "IS_SANDBOX": "1"}
        for name, path in box.agents:
            if variable := keep_agent_folder(box, name):
                environment[variable] = path
        yield environment, launcher_words(sandbox, box, environment)
    finally:
        shutil.rmtree(store, ignore_errors=True)
