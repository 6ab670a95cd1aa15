"""One job on this worker: its checkout, its loop, its runner, and what its agent shows."""

from __future__ import annotations

import os
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn

from ..agents.base import TurnOutput
from ..agents.process import Pairs
from ..core.directives import Reply
from ..core.limits import turn_dollars
from ..core.loop import Loop
from ..core.prompts.parts import iteration_line
from ..core.prompts.phrases import strip_control_characters
from ..core.signals import TurnOver
from ..disk.files import write_private
from ..disk.own_python import OWN_COMMAND
from ..disk.problems import is_disk_full
from ..drive.errors import UserError
from ..drive.runner.headless import Runner
from ..drive.runner.observer import RunObserver
from ..drive.runner.run import open_runner
from ..drive.runner.run_config import RunConfig
from ..drive.runner.stop_signals import StopSignals
from ..store.folder import LoopFolder
from ..store.history import last_ended_loop
from ..verify.redact import redact_text
from ..views import live
from . import checkouts
from .checkpoint import Checkpoint, pack_checkpoint, unpack_checkpoint
from .fleet_git import TransferFailed
from .jobs import FILES_WORD, Job
from .ledger import TurnWish

MAX_LOG_LINE = 300  # characters
MAX_LOG_LINES = 500  # that wait to be written; older ones are dropped
START_SECONDS = 3600.0  # for `loop start`, which runs every check once
MAX_REASON = 2_000  # characters of what a failed start printed

ConfigParser = Callable[[list[str], LoopFolder], RunConfig]


class NotPrepared(UserError):
    """The job cannot begin: its repository, its commit or its words are wrong."""


class JobWork:
    """The work of this process on one claimed job. Only the thread of its segment uses the runner.

    `fence` and the folder belong together: two claims of a job never share files.
    """

    def __init__(self, job: Job, root: Path, parse_config: ConfigParser, account: Pairs) -> None:
        self.job = job
        self.log = TurnLog()
        self.stop_signals = StopSignals()
        self.runner: Runner | None = None
        self.reply: Reply | None = None
        self.turn_number = 0  # of the latest turn; 0: none
        self.starts = 0  # attempts to begin a segment; the database may fail in one
        self.workflow = ""  # of the segment of this process that works on it
        self.has_step = False  # a step of the segment is under way
        self.idle_since = 0.0  # monotonic; when the last step ended, or the segment was started
        self.is_lost = False  # another worker holds the job now
        self.is_closing = False
        self.is_closed = False
        self.last_state = self.last_reason = ""
        self._root = root
        self._parse_config, self._account = parse_config, account
        self._stack = ExitStack()
        self._checkout: Path | None = None
        self._agents_end = 0.0  # by the clock of leases

    @property
    def folder(self) -> LoopFolder:
        return LoopFolder(str(self.checkout))

    @property
    def checkout(self) -> Path:
        assert self._checkout is not None, "BUG: the job is not open"
        return self._checkout

    @property
    def is_prepared(self) -> bool:
        return self._checkout is not None

    @property
    def is_running(self) -> bool:
        """Is its loop open here, so that orders can be applied to it?"""
        return self.runner is not None and not self.is_closing and not self.is_lost

    @contextmanager
    def step_under_way(self) -> Iterator[None]:
        """The engine runs a step of the segment."""
        self.has_step = True
        try:
            yield
        finally:
            self.start_waiting()
            self.has_step = False

    def start_waiting(self) -> None:
        """The engine has to take the next step from now on."""
        self.idle_since = time.monotonic()

    def is_stalled(self, seconds: float) -> bool:
        """Has the engine taken no step for so long?"""
        waits = bool(self.workflow) and not (self.has_step or self.is_closed or self.is_lost)
        return waits and time.monotonic() - self.idle_since > seconds

    def prepare_checkout(self, bundle: bytes, checkpoint: Checkpoint | None) -> None:
        """Bring the files and the loop of the job here: from its checkpoint, or from the start.

        `bundle` has the base commit; it is empty when the job has an address.
        """
        job = self.job
        try:
            checkout = checkouts.checkout(
                self._root, job.id, job.fence, job.address or bundle, job.base_commit
            )
            self._write_files()
            if checkpoint:
                self.log.show_message(unpack_checkpoint(checkout, checkpoint))
            else:
                self._start_loop(checkout)
        except UserError as error:
            _explain_failure(error)
        self._checkout = checkout

    def begin_run(self) -> Reply:
        """Take the loop over; what it wants first."""
        folder = self.folder
        try:
            config = self._parse_config(self._words(self.job.run_words), folder)
        except UserError as error:
            raise NotPrepared(str(error)) from error
        config = config.but(environment=self._account, stay=False, keeps_crashes=True)
        self.runner = self._stack.enter_context(
            open_runner(folder, config, self.log, self.stop_signals)
        )
        self.runner.process_guard.renew(self._agents_end)
        self.reply = self.runner.begin()
        return self.reply

    def turn_wish(self, number: int) -> TurnWish:
        """What the next turn may cost and take at most."""
        assert self.runner is not None
        loop, config = self.read_loop(), self.runner.config
        left = max(0.0, loop.limits.dollars - loop.spend.dollars)
        return TurnWish(
            number=number,
            dollars=config.turn_dollars or turn_dollars(loop.limits, left),
            job_budget=loop.limits.dollars,
            seconds=config.timeouts.turn,
        )

    def run_turn(self, number: int, dollars: float) -> Reply:
        """One turn with at most so many dollars, and the proof that follows it."""
        assert self.runner is not None
        assert self.reply is not None
        config = self.runner.config
        self.runner.config = config.but(turn_dollars=dollars)
        self.log.known_dollars = 0.0
        self.turn_number = number
        try:
            self.reply = self.runner.advance(self.reply)
        finally:
            self.runner.config = config
        return self.reply

    def read_loop(self) -> Loop:
        loop = self.folder.read_loop() or last_ended_loop(self.folder)
        assert loop is not None, "BUG: the job's loop is gone"
        return loop

    def pack(self) -> Checkpoint:
        return pack_checkpoint(self.checkout, self.job.base_commit)

    def let_agents_live(self, until: float) -> None:
        """The agents of this job may work until then, by the clock of leases."""
        self._agents_end = until
        if self.runner is not None:
            self.runner.process_guard.renew(until)

    def lose(self) -> None:
        """Another worker holds the job now, or will: end its agents, and start no other."""
        self.is_lost = True
        self.stop_signals.stop_requested = True
        self.let_agents_live(0.0)
        if self.runner is not None:
            self.runner.process_guard.end_all()

    def close(self, state: str, reason: str = "") -> None:
        """Release the loop and remove the files: the checkpoint has everything."""
        if self.runner is not None:  # what an agent left running works in files that go now
            self.runner.process_guard.end_all()
        self._stack.close()
        checkouts.remove_checkout(self._root, self.job.id, self.job.fence)
        self.last_state, self.last_reason = state, reason
        self.is_closed = True

    def _words(self, words: list[str]) -> list[str]:
        files = str(checkouts.files_folder(self._root, self.job.id, self.job.fence))
        return [
            files + word.removeprefix(FILES_WORD) if word.startswith(FILES_WORD) else word
            for word in words
        ]

    def _write_files(self) -> None:
        folder = checkouts.files_folder(self._root, self.job.id, self.job.fence)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in self.job.files.items():
            write_private(str(folder / os.path.basename(name)), text.encode())

    def _start_loop(self, checkout: Path) -> None:
        """`loop start` with the words that the person submitted, who thereby approved them."""
        words = [*self._words(self.job.start_words), "--yes"]
        argv = [*OWN_COMMAND, "start", *words]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("LOOP_")
        }
        started = subprocess.run(
            argv,
            cwd=checkout,
            env={**environment, "LOOP_HEADLESS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=START_SECONDS,
            check=False,
            start_new_session=True,  # Ctrl-C drains the worker; it must not end this
        )
        if started.returncode:
            text = (started.stderr or started.stdout).decode("utf-8", "replace").strip()
            reason = redact_text(strip_control_characters(text))[-MAX_REASON:]
            raise NotPrepared(f"`loop start` refused it: {reason.removeprefix('loop: ')}")


def _explain_failure(error: UserError) -> NoReturn:
    """Raise what says whether another attempt makes sense: a full disk, a silent host, or no."""
    if isinstance(error.__cause__, OSError) and is_disk_full(error.__cause__):
        raise error.__cause__
    if isinstance(error, TransferFailed | NotPrepared):
        raise error
    raise NotPrepared(str(error)) from error


class TurnLog(RunObserver):
    """What is to be shown of a job: lines for `loop fleet logs JOB`, and the cost of its turn."""

    def __init__(self) -> None:
        self.known_dollars = 0.0
        self._lines: deque[str] = deque(maxlen=MAX_LOG_LINES)
        self._turn_began = 0.0

    def take_lines(self) -> list[str]:
        """The lines since the last call."""
        taken = []
        while self._lines:
            taken.append(self._lines.popleft())
        return taken

    def show_message(self, text: str) -> None:
        for line in text.splitlines():
            if line.strip():
                clean = redact_text(strip_control_characters(line))
                self._lines.append(clean[:MAX_LOG_LINE])

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        for row in rows:
            self.show_message(f"[LOOP] {row}")

    def on_turn_started(self, loop: Loop) -> None:
        self.known_dollars = 0.0
        self._turn_began = time.monotonic()
        self.show_message(iteration_line(loop))

    def on_output_line(self, heard: TurnOutput, told: str) -> None:
        self.known_dollars = heard.cost
        self.show_message(told)

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        for row in live.turn_lines(turn, time.monotonic() - self._turn_began):
            self.show_message(row)
        for criterion in loop.criteria:
            mark = "✓" if loop.is_met(criterion) else "✗"
            self.show_message(f"    {mark} {criterion.name}")
