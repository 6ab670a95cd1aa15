"""What `loop run` shows: plain lines, or a live view on a terminal. `json_view.py` has the rest."""

from __future__ import annotations

import threading
import time
from typing import Any

from ..agents.base import TurnOutput
from ..agents.registry import load_agent
from ..core.directives import Continue, MergeLane, Reply, Wait
from ..core.loop import Loop, run_of
from ..core.prompts.messages import continue_reason
from ..core.prompts.parts import iteration_line
from ..core.prompts.phrases import LOOP_COMPLETE, strip_control_characters
from ..core.signals import TurnOver
from ..drive.runner.observer import RunObserver
from ..views import live, plan_board
from . import output
from .terminal_title import WAITING, TerminalTitle

COUNTDOWN_SECONDS = 60.0  # between two lines of a countdown
PROGRESS_SECONDS = 60.0  # between two lines about a turn that is under way
REDRAW_SECONDS = 0.25
STYLES = {"✓": "green", "✗": "red", "⏳": "yellow", "▶": "bold", "│": "dim"}


class LineView(RunObserver):
    """Plain lines, for pipes, files and terminals without rich."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._state = live.LiveState()
        self._turn_began = 0.0
        self._countdown_shown = 0.0
        self._title = TerminalTitle()
        self._ended = threading.Event()
        # A thread, because nothing calls us while a tool or a check is silent.
        self._ticker = threading.Thread(target=self._show_progress, daemon=True)

    def __enter__(self) -> LineView:
        self._title.start()
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._title.end()

    def _show_progress(self) -> None:
        while not self._ended.wait(PROGRESS_SECONDS):
            if self._turn_began:
                self.show_message(live.progress_line(self._loop, self._current_state()))

    def _current_state(self) -> live.LiveState:
        seconds = 0.0
        if self._turn_began and not self._state.wait:
            seconds = time.monotonic() - self._turn_began
        return self._state.but(turn_seconds=seconds)

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        for row in rows:
            self.show_message(f"[LOOP] {row}")

    def on_turn_started(self, loop: Loop) -> None:
        self._turn_began = time.monotonic()
        self._countdown_shown = 0.0
        self._loop = loop
        self._state = live.LiveState()
        self._title.show(loop)
        run = run_of(loop)
        is_told = load_agent(run.agent).about.dollars != "unknown"
        most = f" | at most ${run.reserved_dollars:.2f}" if is_told else ""
        self.show_message(f"{iteration_line(loop)} | {run.agent}{most}")

    def on_output_line(self, turn_output: TurnOutput, text: str) -> None:
        rows = [row for row in text.splitlines() if row.strip()]
        self._turn_began = self._turn_began or time.monotonic()  # a lane has started meanwhile
        self._state = self._state.but(
            tail=(*self._state.tail, *rows)[-live.TAIL_LINES :],
            tool_call=current_tool_call(turn_output),
            turn_dollars=turn_output.cost,
        )

    def on_checks_started(self) -> None:
        self._state = self._state.but(checking=True)

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """What the agent said, what our own run of the checks found, and what follows."""
        began, self._turn_began = self._turn_began, 0.0
        self._loop = loop
        if _will_be_retried(turn, reply):
            row = reply.message.removeprefix("[LOOP] ")
            if isinstance(reply, Wait):
                self._countdown_shown = time.monotonic()
                row = live.wait_line(reply.until, reply.why, time.time())
            self.show_message(f"    {row}")
            return
        seconds = time.monotonic() - began
        if turn.lane_result:
            seconds = plan_board.lane_seconds(turn, before)
        for row in live.turn_lines(turn, seconds):
            self.show_message(row)
        if turn.api_failure:
            self.show_message(f"    ✗ {turn.api_failure}")
        if loop.plan:
            self._show_plan_changes(before, loop, reply)
        elif isinstance(reply, Continue):
            self._show_criteria(turn, loop)

    def _show_plan_changes(self, before: Loop, loop: Loop, reply: Reply) -> None:
        rows = plan_board.turn_changes(before, loop)
        if not rows and not isinstance(reply, MergeLane):
            rows = ["… nothing was finished"]
        for row in rows:
            self.show_message(f"    {row}")

    def _show_criteria(self, turn: TurnOver, loop: Loop) -> None:
        for c in loop.criteria:
            mark, result = "✓" if loop.is_met(c) else "✗", "not run"
            if c.proof and c.proof.by == "agent":
                mark, result = "·", c.proof.result_text  # no command has shown it
            elif c.proof:
                result = f"{c.proof.result_text}, {c.proof.seconds:.1f} s"
            self.show_message(f"    {mark} {c.name} ({result})")
        claimed = LOOP_COMPLETE in turn.text or "EXIT_SIGNAL: true" in turn.text
        if claimed and not loop.exit_claimed:
            said = "sent back once" if loop.thin_files else "but it is not: the claim is taken back"
            self.show_message(f"    ✗ claimed done, {said}")
        if loop.streak.stuck:
            self.show_message(f"    … no progress, {loop.streak.stuck} of {loop.limits.stuck}")
        self.show_message(f"    → {continue_reason(loop)}")

    def on_waiting(self, until: float, why: str) -> None:
        self._title.show(self._loop, WAITING)
        now = time.monotonic()
        if not self._countdown_shown or now - self._countdown_shown >= COUNTDOWN_SECONDS:
            self._countdown_shown = now
            self.show_message(f"    {live.wait_line(until, why, time.time())}")

    def show_message(self, text: str) -> None:
        if text:
            with output.IgnoreGoneReader():
                output.show_text(text)


class ScreenView(LineView):
    """A live view below the plain lines, redrawn a few times a second."""

    def __init__(self, console: Any, loop: Loop) -> None:
        super().__init__(loop)
        from rich.live import Live

        self._picture = Live(
            console=console, get_renderable=self._render, auto_refresh=False, transient=True
        )
        # Of two threads that print at once, one would remove fewer rows than the other has drawn.
        # A signal handler may print while its own thread does.
        self._printing = threading.RLock()

    def __enter__(self) -> ScreenView:
        self._title.start()
        self._picture.start()
        self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._ticker.join()
        with output.IgnoreClosedTerminal():
            self._picture.stop()
        self._title.end()

    def _show_progress(self) -> None:
        while not self._ended.wait(REDRAW_SECONDS):
            with self._printing, output.IgnoreClosedTerminal():
                self._picture.refresh()

    def show_message(self, text: str) -> None:
        with self._printing:
            super().show_message(text)

    def _render(self) -> Any:
        from rich.text import Text

        picture = Text(no_wrap=True, overflow="ellipsis")
        for row in live.rows(self._loop, self._current_state()):
            picture.append(f"{strip_control_characters(row)}\n", STYLES.get(row.strip()[:1], ""))
        return picture

    def on_waiting(self, until: float, why: str) -> None:
        self._title.show(self._loop, WAITING)
        self._state = live.LiveState(wait=live.wait_line(until, why, time.time()))


def _will_be_retried(turn: TurnOver, reply: Reply) -> bool:
    """Did the turn fail, and the runner waits or switches to another agent?"""
    report = turn.runner_report
    failed = turn.api_failure or (report and report.usage_limited)
    return bool(failed) and isinstance(reply, Continue | Wait)


def current_tool_call(turn_output: TurnOutput) -> str:
    calls = turn_output.open_tool_calls
    return calls[-1][1] if calls else ""
