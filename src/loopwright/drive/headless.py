"""The runner: the same step as the hook, with us starting each turn instead of the client."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from ..agents.leash import leash
from ..core.loop import Loop
from ..core.running import HOLDER
from ..core.signals import Ask, Began, Came, Continue, Ordered, Reply, Stop, TurnOver, Wait
from ..core.wording import asking, paused
from ..store.folder import FileLock, FolderBusy, LoopFolder, NoLoop
from ..store.history import last
from ..verify import clone, groups
from . import artefacts, turns
from .aftermath import settle
from .commit import commit
from .crew import Crew, bounded, posts, worst_case
from .halting import Halting
from .notify import notify
from .orders import MOMENT, UserError, halt
from .step import Site, end_orphans, step
from .turns import Hold, Look
from .watch import Watch

PATIENCE = 120.0  # seconds for the folder's lock: a night must not end because a terminal hung with it in hand


class DriverBusy(Exception):
    """Another runner drives this loop."""


def run(folder: LoopFolder, crew: Crew, watch: Watch) -> Reply:
    """Drive the loop until it stops or asks. The lease is an OS lock, so it dies with us."""
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(folder.inside("driver.lock"), MOMENT))
        except FolderBusy as error:
            raise DriverBusy("another runner drives this loop; see `loop status`") from error
        halting, hold = held.enter_context(Halting().heeded()), held.enter_context(leash())
        patient = LoopFolder(folder.root, PATIENCE)
        kind: type[Runner] = Runner
        if (loop := patient.peek()) and loop.plan:
            from .tasks import TaskRunner
            from .waves import Waves

            kind = Waves if crew.lanes else TaskRunner
        return kind(patient, crew, watch, halting, hold).drive()


class Runner:
    def __init__(self, folder: LoopFolder, crew: Crew, watch: Watch, halting: Halting, hold: Hold) -> None:
        self.folder, self.crew, self.watch, self.halting, self.hold = folder, crew, watch, halting, hold
        self.holder = f"{HOLDER}{os.getpid()}"
        self.loop = self._look()

    def drive(self) -> Reply:
        bounded(self.loop)
        self._find_orphans()
        self.watch.plan(worst_case(self.loop, self.crew), self.loop)
        try:
            reply = self._come()
            while isinstance(reply, Continue | Wait):
                if isinstance(reply, Wait):
                    self._wait(reply)
                reply = self._next()
        except KeyboardInterrupt:
            reply = self._pause()
        except NoLoop:  # cancelled by a person, from elsewhere
            reply = Stop("cancelled")
        self._keep(lambda: artefacts.finish(self.folder, self._look()))
        if isinstance(reply, Stop | Ask):
            notify(self.crew.notify, self._look(), self.folder.root, self.watch.said)
        return reply

    def _keep(self, write: Callable[[], None]) -> None:
        """A file beside the journal; a full disk costs the file, not the night."""
        try:
            write()
        except OSError as error:
            self.watch.said(f"[LOOP] Not written: {error}")

    def _look(self) -> Loop:
        loop = self.folder.peek() or last(self.folder)
        if loop is None:
            raise UserError("no loop here any more. Start one: loop start SPEC")
        return loop

    def _find_orphans(self) -> None:
        for group in end_orphans(self.folder):
            self.watch.said(f"[LOOP] Ended process group {group}, left behind by an earlier runner.")
        for pid, command in groups.marked(f"LOOP_CHILD={self.loop.id}"):
            self.watch.said(f"[LOOP] Still there from an earlier turn: {command} (end it: kill {pid})")

    def _come(self) -> Reply:
        """Take the loop over; what an earlier runner died in is settled first, under its name."""
        for cut in settle(self.folder, self.loop):
            self.watch.said(f"[LOOP] An earlier runner died in its turn: ${cut.dollars:.2f} of it are known. It is begun again.")
        if self.loop.run is None:
            artefacts.begin(self.folder)
        base = clone.commit_of(self.folder.root)
        crew = self.crew
        return step(self.folder, Came(time.time(), self.holder, os.getpid(), crew.agents, base, crew.lanes, crew.strict))

    def _next(self) -> Reply:
        if self.halting.soon or self.halting.now:
            return self._pause()
        if os.path.exists(self.folder.inside("STOP")):
            return halt(self.folder, time.time())
        return self._turn()

    def _turn(self) -> Reply:
        reply = step(self.folder, Began(time.time(), self.holder, self.crew.turn_dollars))
        if not isinstance(reply, Continue):
            return reply
        before = self.loop = self._look()
        self.watch.began(before)
        with self.halting.polled():
            turn = self._take(before, reply.prompt)
        return self._over(before, turn)

    def _take(self, loop: Loop, prompt: str) -> TurnOver:
        post = posts(loop, self.folder.root)[0]
        return turns.take(self.folder, loop, self.crew, prompt, post, Look(self.watch, self._stop_now, self.hold))

    def _over(self, before: Loop, turn: TurnOver, site: Site | None = None) -> Reply:
        """The turn is over: what it came to is judged, written down and shown."""
        try:
            if self.halting.now:
                step(self.folder, Ordered(turn.at, "pause", reason="stopped by a person in mid-turn"))
            elif os.path.exists(self.folder.inside("STOP")):
                halt(self.folder, turn.at)
            self.watch.checks()
            reply = step(self.folder, turn, site=site)
        except NoLoop:  # cancelled meanwhile: the record is closed
            self.watch.said(f"[LOOP] The turn that was cut off cost ${turn.dollars:.2f}, beyond what the record says.")
            raise
        self.loop = self._look()
        self._keep(lambda: artefacts.add(self.folder, before, self.loop, turn))
        self.watch.ended(turn, before, self.loop, reply)
        self._commit(before, turn)
        return self._standing(reply)

    def _commit(self, before: Loop, turn: TurnOver) -> None:
        if self.crew.commit and (made := commit(self.folder.root, before, self.loop)):
            self.watch.said(made)

    def _standing(self, reply: Reply) -> Reply:
        """A turn that was only settled says nothing of the loop: it has paused or asks since, and says so itself."""
        if reply != Stop():
            return reply
        if self.loop.gate:
            return Ask(self.loop.gate.question, asking(self.loop))
        return Stop(self.loop.why, paused(self.loop)) if self.loop.status == "paused" else reply

    def _stop_now(self) -> str:
        """Asked a few times a second: has a person stopped the loop, here or from elsewhere?"""
        if self.halting.now:
            return "a person stopped it"
        if news := self.halting.news():
            self.watch.said(news)
        halted = any(os.path.exists(self.folder.inside(name)) for name in ("halt", "STOP"))
        return "a person stopped it" if halted or not os.path.exists(self.folder.journal) else ""

    def _wait(self, reply: Wait) -> None:
        with self.halting.polled():
            while (left := reply.until - time.time()) > 0 and not self.halting.soon and not self._stop_now():
                self.watch.waits(left, reply.why)
                time.sleep(min(left, 0.5))

    def _pause(self) -> Reply:
        with suppress(NoLoop):
            return step(self.folder, Ordered(time.time(), "pause", reason="Ctrl-C"))
        return Stop("ended")
