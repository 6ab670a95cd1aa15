"""One turn of a runner: what the agent is told, its process, its log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from ..agents import registry
from ..agents.base import About, Heard
from ..agents.process import Witness, child_environment, take_turn
from ..core.briefing import Known, brief
from ..core.loop import Loop
from ..core.record import Record
from ..core.running import run_of
from ..core.signals import TurnOver
from ..store import logs
from ..store.folder import LoopFolder
from ..verify import clone, groups
from ..verify.redact import Stream, redact
from .aftermath import over
from .crew import Crew, Post
from .watch import Watch

GUIDES = ("CLAUDE.md", "AGENTS.md")
MOST_TEXT = 1_000_000
Hold = Callable[[int], AbstractContextManager[None]]


class Look(Record):
    """Who looks on, who may stop the turn, and who ends it with us; `fence` is a file that says what it may write."""

    watch: Watch
    stop: Callable[[], str]
    hold: Hold
    fence: str = ""


def take(folder: LoopFolder, loop: Loop, crew: Crew, prompt: str, post: Post, look: Look) -> TurnOver:
    """The turn that has just been begun, to its end."""
    agent = registry.agent(post.agent)
    call = crew.call(loop, prompt, post).but(root=post.root, config=_config(agent.about), fence=look.fence)
    if not call.session:
        reads = GUIDES if crew.settings else agent.about.reads
        call = call.but(prompt=brief(loop, prompt, known(folder, loop, reads)))
    log = logs.Log(folder, post.number, post.agent)
    label, stream = f"{post.task} " if post.task else "", Stream()

    def seen(heard: Heard, line: str) -> None:
        line = stream.line(line)
        log.write(line if line.endswith("\n") else f"{line}\n")
        told = agent.tell(line)
        look.watch.line(heard, f"{label}{told}" if told else "")

    @contextmanager
    def lives(group: int) -> Iterator[None]:
        with look.hold(group), groups.recorded(folder.path, group):
            yield

    try:
        env, clocks = child_environment(loop.id), crew.clocks(loop)
        heard = take_turn(agent, call, post.root, env, clocks, Witness(seen, look.stop, lives))
    finally:
        log.close()
    return over(heard, loop, time.time(), post)


def known(folder: LoopFolder, loop: Loop, reads: tuple[str, ...]) -> Known:
    """`reads` are the guides that the agent reads by itself."""
    guides = tuple(name for name in GUIDES if name not in reads and os.path.isfile(os.path.join(folder.root, name)))
    return Known(redact(_text(folder.inside("notes.md"))), redact(clone.log_since(folder.root, run_of(loop).base)), guides)


def _config(about: About) -> str:
    if about.config is None:
        return ""
    variable, folder, name = about.config
    return _text(os.path.join(os.environ.get(variable) or os.path.join(os.path.expanduser("~"), folder), name))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_TEXT)
    except OSError:
        return ""
