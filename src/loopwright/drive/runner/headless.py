"""The runner: it takes the same step as the hook, and starts each turn itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

from ...agents.process import child_environment
from ...agents.process_guard import ProcessGuard
from ...agents.registry import load_agent
from ...core.directives import Ask, Continue, Reply, Stop, Wait
from ...core.loop import Loop
from ...core.runner.events import EAGER, WAVES
from ...core.runner.run import RUNNER_PREFIX
from ...core.runner.sandbox import SandboxReport
from ...core.signals import Ordered, RunnerAttached, TurnOver, TurnStarting
from ...core.status import ENDED
from ...repo import user_repo
from ...repo.parsed_files import forget_parsed_files
from ...repo.submodules import submodule_settings
from ...sandbox.git_guard import GitGuard, keep_whole
from ...store.folder import LoopFolder, NoLoop
from ...store.history import last_ended_loop
from ...verify import process_groups
from ...verify.secret_patterns import remember_secrets
from ..errors import UserError
from ..inbox import read_inbox
from ..notify.person import notify_person
from ..step import end_orphans, pause_for_stop_file, step, step_with_loop
from ..turn_facts import TurnCheckout
from . import iteration_files, turns
from .agent_box import (
    agent_versions,
    mend_git,
    new_submodules_text,
    probe_agents,
    project_settings_text,
    sandbox_rows,
)
from .commit import commit_left_turn, commit_turn, loop_at_turn_start, switched_branch
from .observer import RunObserver
from .run_config import RunConfig, refuse_unbounded, turn_slots, worst_case
from .stop_signals import StopSignals
from .turn_result import reply_of_state, settle_lost_turns
from .turns import TurnObserver
from .until_and_leave import time_is_up

# For the lock of the folder. Long, because a hanging terminal must not end a run in the night.
LOCK_TIMEOUT_SECONDS = 120.0
ANSWER_POLL_SECONDS = 0.2  # with --stay, between two looks whether a question is answered
# A person cancelled it in another terminal.
CANCELLED = Stop("cancelled", "[LOOP] The loop was cancelled, and the turn was ended.")


class Runner:
    """Drives the loop of a folder, turn by turn, in place."""

    def __init__(
        self,
        folder: LoopFolder,
        config: RunConfig,
        observer: RunObserver,
        stop_signals: StopSignals,
        process_guard: ProcessGuard,
    ) -> None:
        self.folder = folder
        self.config = config
        self.observer = observer
        self.stop_signals = stop_signals
        self.process_guard = process_guard
        self.guard = GitGuard(folder.root, folder.path)
        self.holder = f"{RUNNER_PREFIX}{os.getpid()}"
        remember_secrets(config.environment)
        self.loop = self._load_loop()
        self._submodules: dict[str, str] = {}  # at the start of the run

    def drive_loop(self) -> Reply:
        """Drive the loop until it stops or asks."""
        try:
            reply = self.begin()
            while isinstance(reply, Continue | Wait) or self._stays_for(reply):
                reply = self.advance(reply)
        except KeyboardInterrupt:
            reply = self._pause_loop()
        self.write_result()
        if isinstance(reply, Stop | Ask):
            loop = self._load_loop()
            notify_person(self.config.notify, loop, self.folder.root, self.observer.show_message)
        return reply

    def begin(self) -> Reply:
        """Take the loop over, and finish the check round that a killed driver left."""
        refuse_unbounded(self.loop)
        self._end_orphans()
        if text := mend_git(self.config.sandbox, self.guard):
            self.observer.show_message(text)
        report = self._probe_sandbox()
        self._ask_versions()
        if self.config.sandbox.is_on:
            self._submodules = submodule_settings(self.folder.root)
        rows = worst_case(self.loop, self.config)
        rows += sandbox_rows(self.config.sandbox, report, self.folder)
        self.observer.on_run_starting(rows, self.loop)
        try:
            return self._attach_runner(report)
        except NoLoop:
            return CANCELLED

    def advance(self, reply: Reply) -> Reply:
        """Do the one thing that this reply asks for: wait, have it answered, or run a turn."""
        try:
            if isinstance(reply, Wait):
                self._wait_until_ready(reply)
            elif isinstance(reply, Ask):
                self._wait_for_answer(reply)
            return self._stop_or_run_turn()
        except NoLoop:
            return CANCELLED
        finally:
            forget_parsed_files()

    def close(self) -> None:
        """End what still works, however the run ends. `open_runner` calls it."""
        self._write_or_report(self.guard.leave)

    def write_result(self) -> None:
        """Write the files of the run that people read, once no further turn follows."""
        self._show_left_processes("this run")
        self._write_or_report(self.guard.leave)
        if self.config.sandbox.is_on:
            root = self.folder.root
            warnings = (new_submodules_text(root, self._submodules), project_settings_text(root))
            for warning in filter(None, warnings):
                self.observer.show_message(f"[LOOP] {warning}")
        self._write_or_report(
            lambda: iteration_files.write_run_summary(self.folder, self._load_loop())
        )

    def _write_or_report(self, write: Callable[[], None]) -> None:
        """Write a file beside the journal. When that fails, the run continues without the file."""
        try:
            write()
        except OSError as error:
            self.observer.show_message(f"[LOOP] Not written: {error}")

    def _load_loop(self) -> Loop:
        loop = self.folder.read_loop() or last_ended_loop(self.folder)
        if loop is None:
            raise UserError("no loop here any more. Start one: loop start SPEC")
        return loop

    def _end_orphans(self) -> None:
        for group in end_orphans(self.folder):
            self.observer.show_message(
                f"[LOOP] Ended process group {group}, left behind by an earlier runner."
            )
        self._show_left_processes("an earlier turn")

    def _show_left_processes(self, origin: str) -> None:
        """Name what an agent started that left its process group: it may be a server in use."""
        for pid, command in process_groups.processes_with_variable(f"LOOP_CHILD={self.loop.id}"):
            self.observer.show_message(
                f"[LOOP] Still there from {origin}: {command} (end it: kill {pid})"
            )

    def _probe_sandbox(self) -> SandboxReport:
        """What the agents of this run can reach; measured before a turn costs anything."""
        about = load_agent(self.config.agents[0]).about
        environment = child_environment(
            self.loop.id, about, self.loop.settings.pass_env, self.config.environment
        )
        return probe_agents(self.config.sandbox, self.folder, self.loop, environment)

    def _ask_versions(self) -> None:
        config = self.config
        versions = agent_versions(
            config.sandbox, self.folder, self.loop, config.agents, config.environment
        )
        self.config = config.but(versions=versions)

    def _attach_runner(self, report: SandboxReport) -> Reply:
        """Take the loop over, after the lost turns of an earlier runner are settled."""
        for lost in settle_lost_turns(self.folder, self.loop):
            self.observer.show_message(
                f"[LOOP] An earlier runner died in its turn: ${lost.dollars:.2f} of it are known. "
                "It is begun again."
            )
        if self.loop.run is None:
            iteration_files.remove_earlier_files(self.folder)
        attached = RunnerAttached(
            at=time.time(),
            session=self.holder,
            pid=os.getpid(),
            agents=self.config.agents,
            base_commit=user_repo.current_commit(self.folder.root),
            lanes=self.config.lanes,
            strict=self.config.strict,
            leave=self.config.leave,
            branch=user_repo.current_branch(self.folder.root),
            sandbox=report if self.config.sandbox.is_on or report.why else None,
            by_dependencies=bool(self.config.lanes) and not self.config.waves,
            order=EAGER if self.config.eager else WAVES if self.config.waves else "",
            keeps_crashes=self.config.keeps_crashes,
        )
        before = loop_at_turn_start(self.folder.journal_path)
        reply, self.loop = step_with_loop(self.folder, attached)
        if before:
            self._commit_left_turn(before)
        return reply

    def _stop_or_run_turn(self) -> Reply:
        if self.stop_signals.pause_requested or self.stop_signals.stop_requested:
            return self._pause_loop()
        if os.path.exists(self.folder.path_of("STOP")):
            return pause_for_stop_file(self.folder, time.time())
        if why := time_is_up(self.config.until):
            return self._pause_loop(why)
        self.loop = self._load_loop()
        if why := self._switched_branch():
            return self._pause_for_person(why)
        return self._run_turn()

    def _switched_branch(self) -> str:
        """Why this run cannot commit its work where it is now; "" if it can, or commits nothing."""
        return switched_branch(self.folder.root, self.loop) if self.config.commit else ""

    def _run_turn(self) -> Reply:
        starting = TurnStarting(time.time(), self.holder, self.config.turn_dollars)
        reply, self.loop = step_with_loop(self.folder, starting)
        if not isinstance(reply, Continue):
            return reply
        before = self.loop
        self.observer.on_turn_started(before)
        with self.stop_signals.suspend_interrupts():
            turn = self._run_agent(before, reply.prompt)
        return self._finish_turn(before, turn)

    def _run_agent(self, loop: Loop, prompt: str) -> TurnOver:
        slot = turn_slots(loop, self.folder.root)[0]
        return turns.run_turn(self.folder, loop, self.config, prompt, slot, self._turn_observer())

    def _turn_observer(
        self, write_scope_file: str = "", checkout: TurnCheckout | None = None
    ) -> TurnObserver:
        return TurnObserver(
            observer=self.observer,
            stop_reason=self._stop_reason,
            process_guard=self.process_guard,
            write_scope_file=write_scope_file,
            checkout=checkout or TurnCheckout(self.folder.root, self.folder.path),
        )

    def _finish_turn(
        self, before: Loop, turn: TurnOver, checkout: TurnCheckout | None = None
    ) -> Reply:
        """Judge the turn, record it and show the result."""
        try:
            if self.config.sandbox.is_on:
                read_inbox(self.folder, lambda signal: step(self.folder, signal))
            if self.stop_signals.stop_requested:
                reason = self.stop_signals.stop_reason("stopped by a person in mid-turn")
                step(self.folder, Ordered(turn.at, "pause", reason=reason))
            elif os.path.exists(self.folder.path_of("STOP")):
                pause_for_stop_file(self.folder, turn.at)
            if not turn.lane_result and (why := self._switched_branch()):
                turn = turn.but(tree_problem=why)  # what ends here could not be committed any more
            self.observer.on_checks_started()
            reply, self.loop = step_with_loop(self.folder, turn, checkout=checkout)
        except NoLoop:  # cancelled meanwhile, so the journal is closed
            if turn.dollars:
                self.observer.show_message(
                    f"[LOOP] The turn that was cut off cost ${turn.dollars:.2f}, "
                    "beyond what the record says."
                )
            raise
        after = self.loop
        self._write_or_report(
            lambda: iteration_files.append_iteration(self.folder, before, after, turn)
        )
        self.observer.on_turn_ended(turn, before, after, reply)
        if self.config.sandbox.is_on:
            keep_whole(self.folder.root)
        self._commit_turn(before, turn)
        return reply_of_state(reply, self.loop)

    def _commit_turn(self, before: Loop, turn: TurnOver) -> None:
        if self.config.commit and (message := commit_turn(self.folder.root, before, self.loop)):
            self.observer.show_message(message)

    def _commit_left_turn(self, before: Loop) -> None:
        """Commit what a killed runner proved, or left to be proven now."""
        if self.config.commit and (message := commit_left_turn(self.folder, before, self.loop)):
            self.observer.show_message(message)

    def _stop_reason(self) -> str:
        """Why the turn must stop now: a person stopped the loop, here or elsewhere; "" for none."""
        if self.stop_signals.stop_requested:
            return "a person stopped it"
        if notice := self.stop_signals.take_pause_notice():
            self.observer.show_message(notice)
        if why := time_is_up(self.config.until):
            return why
        has_halt_file = any(os.path.exists(self.folder.path_of(name)) for name in ("halt", "STOP"))
        self.folder.restore_if_missing()
        is_cancelled = not os.path.exists(self.folder.journal_path)
        return "a person stopped it" if has_halt_file or is_cancelled else ""

    def _wait_until_ready(self, reply: Wait) -> None:
        with self.stop_signals.suspend_interrupts():
            while (seconds_left := reply.until - time.time()) > 0:
                if self.stop_signals.pause_requested or self._stop_reason():
                    return
                self.observer.on_waiting(reply.until, reply.why)
                time.sleep(min(seconds_left, 0.5))

    def _stays_for(self, reply: Reply) -> bool:
        """Does this run wait for the answer? Only as long as the person has not stopped it."""
        return self.config.stay and isinstance(reply, Ask) and not self._stop_reason()

    def _wait_for_answer(self, reply: Ask) -> None:
        """Wait until the question is answered: in a terminal, a session or a page."""
        loop = self._load_loop()
        notify_person(self.config.notify, loop, self.folder.root, self.observer.show_message)
        self.observer.show_message(reply.message)
        self.observer.show_message("[LOOP] Waiting for the answer. Ctrl-C pauses instead.")
        with self.stop_signals.suspend_interrupts():
            while loop.gate and loop.status not in ENDED:
                if self.stop_signals.pause_requested or self._stop_reason():
                    return
                time.sleep(ANSWER_POLL_SECONDS)
                loop = self._load_loop()

    def _pause_for_person(self, why: str) -> Reply:
        """Pause because the work could not land before the person has done something."""
        return step(self.folder, Ordered(time.time(), "pause", "lanes", reason=why))

    def _pause_loop(self, why: str = "Ctrl-C") -> Reply:
        reason = self.stop_signals.stop_reason(why)
        with suppress(NoLoop):
            return step(self.folder, Ordered(time.time(), "pause", reason=reason))
        return Stop("ended")
