"""The runner of `--attempts`: several agents try the same, and only what is proven best lands.

For the loop it is one turn: it reserves all the money, the attempts share it, and the loop then
proves on main what the winner claims.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import ExitStack
from typing import Any

from ...agents.process_guard import LeaseExpired, Process
from ...cleanroom.checkout_files import RoomError
from ...core.directives import Reply
from ...core.loop import Loop
from ...core.prompts.attempts import no_winner_reason, winner_text
from ...core.runner.run import Attempt, RunnerReport
from ...core.signals import TurnOver
from ...disk.own_python import OWN_COMMAND
from ...repo import user_repo
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ...views.attempts import attempt_line
from ..errors import UserError
from ..lane_checkout import save_lane_files
from .attempt_janitor import open_janitor
from .attempt_work import (
    AttemptPlace,
    attempt_place,
    begin_attempt,
    best_attempt,
    judge_attempt,
    land_attempt,
    remove_attempt,
    remove_earlier_attempts,
)
from .headless import Runner

POLL_SECONDS = 0.2
END_SECONDS = 30.0  # that an attempt has to pause after it is told to


class AttemptRunner(Runner):
    """Drives a spec by several attempts at once."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        left = self.loop.limits.dollars - self.loop.spend.dollars
        self.config = self.config.but(turn_dollars=left)
        self.outcome = ""  # why nothing landed

    def _stop_or_run_turn(self) -> Reply:
        if self.outcome:
            return self._pause_loop(self.outcome)
        return super()._stop_or_run_turn()

    def _run_agent(self, loop: Loop, prompt: str) -> TurnOver:
        root, base = self.folder.root, user_repo.current_commit(self.folder.root)
        remove_earlier_attempts(root, loop)
        places = [
            attempt_place(root, loop, number, call.agent, call.model)
            for number, call in enumerate(self.config.attempts, 1)
        ]
        with ExitStack() as stack:
            janitor = stack.enter_context(open_janitor(root, places))
            try:
                attempts = self._run_attempts(loop, places, base, janitor.tell)
                winner = best_attempt(attempts)
                problem = land_attempt(root, base, winner.commit) if winner else ""
            finally:
                for place in places:
                    remove_attempt(root, place)
        if winner is None or problem:
            self.outcome = problem or no_winner_reason(len(attempts))
        won = winner.number if winner and not problem else 0
        attempts = [attempt.but(won=attempt.number == won) for attempt in attempts]
        for attempt in attempts:
            self.observer.show_message(f"[LOOP] {attempt_line(attempt)}")
        return self._turn(loop, attempts, won)

    def _turn(self, loop: Loop, attempts: list[Attempt], won: int) -> TurnOver:
        report = RunnerReport(agent=self.config.agents[0], attempts=tuple(attempts))
        return TurnOver(
            at=time.time(),
            session=self.holder,
            text=winner_text(won) if won else self.outcome,
            dollars=sum(attempt.dollars for attempt in attempts),
            unpriced=tuple(sorted({name for attempt in attempts for name in attempt.unpriced})),
            tool_calls=1,
            runner_report=report,
        )

    def _run_attempts(
        self, loop: Loop, places: list[AttemptPlace], base: str, tell: Any
    ) -> list[Attempt]:
        dollars = (loop.limits.dollars - loop.spend.dollars) / len(places)
        try:
            options = save_lane_files(self.folder, loop)
            for place in places:
                begin_attempt(self.folder, loop, place, dollars, options)
        except RoomError as error:
            raise UserError(f"the attempts cannot be prepared: {error}") from error
        with ExitStack() as stack:
            running = {}
            for place, call in zip(places, self.config.attempts, strict=True):
                process = self._start_attempt(place, call.words)
                stack.callback(process.end, 0.0)
                tell(str(process.pid))
                running[place.number] = process
            stopped = self._wait_for_attempts(places, running)
        if any(process.is_expired for process in running.values()):
            raise LeaseExpired
        return [judge_attempt(self.folder.root, base, p, p.number in stopped) for p in places]

    def _start_attempt(self, place: AttemptPlace, words: tuple[str, ...]) -> Process:
        logs = self.folder.path_of("attempts")
        os.makedirs(logs, mode=0o700, exist_ok=True)
        self.observer.show_message(
            f"[LOOP] ▶ Attempt {place.number} | {place.agent} {place.model}".rstrip()
            + f" | {place.path}"
        )
        with open(os.path.join(logs, f"{place.number}.log"), "wb") as log:
            return self.process_guard.start(
                [*OWN_COMMAND, "run", *words, "--plain"],
                place.path,
                {**os.environ, "LOOP_ATTEMPT": str(place.number)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _wait_for_attempts(
        self, places: list[AttemptPlace], running: dict[int, Process]
    ) -> set[int]:
        """Wait until all have ended; with --first, until one is proven. Who was stopped?"""
        while not all(process.has_exited() for process in running.values()):
            has_winner = self.config.first and any(
                running[place.number].has_exited() and _is_proven(place) for place in places
            )
            if has_winner or self._stop_reason():
                return _pause_attempts(running)
            time.sleep(POLL_SECONDS)
        return set()


def _is_proven(place: AttemptPlace) -> bool:
    ended = last_ended_loop(LoopFolder(place.path))
    return bool(ended and ended.verdict and ended.verdict.proven)


def _pause_attempts(running: dict[int, Process]) -> set[int]:
    """Let the attempts pause that still work; which ones. The caller ends those that do not."""
    working = {number for number, process in running.items() if not process.has_exited()}
    for number in working:
        running[number].send_signal(signal.SIGTERM)
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline and not all(running[n].has_exited() for n in working):
        time.sleep(POLL_SECONDS)
    return working
