"""The eyes of `loop run`: plain lines, a live picture on a terminal (rich), or one JSON object for each thing that happens."""

from __future__ import annotations

import time
from typing import Any

from ..agents.base import TurnOutput
from ..core.directives import Continue, MergeLane, Reply, Wait
from ..core.loop import Loop, run_of
from ..core.prompts.messages import continue_reason
from ..core.prompts.parts import iteration_line
from ..core.prompts.phrases import LOOP_COMPLETE, strip_control_characters
from ..core.signals import TurnOver
from ..drive.runner.observer import RunObserver
from ..views import facts, live, plan_board
from . import output

COUNTDOWN_SECONDS = 60.0  # seconds between two lines of a countdown
STYLES = {"✓": "green", "✗": "red", "⏳": "yellow", "▶": "bold", "│": "dim"}


class LineView(RunObserver):
    """For pipes, files and terminals without rich."""

    def __init__(self) -> None:
        self._began, self._counted = 0.0, 0.0

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        for row in rows:
            self.show_message(f"[LOOP] {row}")

    def on_turn_started(self, loop: Loop) -> None:
        self._began, self._counted = time.monotonic(), 0.0
        self.show_message(f"{iteration_line(loop)} | {run_of(loop).agent}")

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """Live lines: what the agent said, what our own run of the checks found, and what follows."""
        told = turn.runner_report
        if isinstance(reply, Continue | Wait) and (
            turn.api_failure or (told and told.usage_limited)
        ):  # waited for, or another goes on
            return self.show_message(f"    {reply.message.removeprefix('[LOOP] ')}")
        seconds = (
            plan_board.lane_seconds(turn, before)
            if turn.lane_result
            else time.monotonic() - self._began
        )
        for row in live.turn_lines(turn, seconds):
            self.show_message(row)
        if turn.api_failure:
            self.show_message(f"    ✗ {turn.api_failure}")
        if loop.plan:
            for row in plan_board.turn_changes(before, loop) or (
                [] if isinstance(reply, MergeLane) else ["… nothing was finished"]
            ):
                self.show_message(f"    {row}")
            return None
        if not isinstance(reply, Continue):
            return None
        for c in loop.criteria:
            found = (
                f"{c.proof.outcome} {c.proof.code}, {c.proof.seconds:.1f} s"
                if c.proof
                else "not run"
            )
            self.show_message(f"    {'✓' if loop.is_met(c) else '✗'} {c.name} ({found})")
        if not loop.exit_claimed and (
            LOOP_COMPLETE in turn.text or "EXIT_SIGNAL: true" in turn.text
        ):
            self.show_message("    ✗ claimed done, but it is not: the claim is taken back")
        if loop.streak.stuck:
            self.show_message(f"    … no progress, {loop.streak.stuck} of {loop.limits.stuck}")
        return self.show_message(f"    → {continue_reason(loop)}")

    def on_waiting(self, seconds: float, why: str) -> None:
        if not self._counted or time.monotonic() - self._counted >= COUNTDOWN_SECONDS:
            self._counted = time.monotonic()
            self.show_message(f"    ⏳ {live.clock_text(seconds)} left | {why}")

    def show_message(self, text: str) -> None:
        if text:
            output.show_text(text)


class ScreenView(LineView):
    """A picture that is drawn anew a few times a second, below the lines that stay."""

    def __init__(self, console: Any, loop: Loop) -> None:
        super().__init__()
        from rich.live import Live

        self._loop, self._scene = loop, live.LiveState()
        self._picture = Live(
            console=console, get_renderable=self._render, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> ScreenView:
        self._picture.start()
        return self

    def __exit__(self, *_: object) -> None:
        with output.ignore_closed_terminal():
            self._picture.stop()

    def _render(self) -> Any:
        from rich.text import Text

        seconds = time.monotonic() - self._began if self._began else 0.0
        rows = live.rows(
            self._loop, self._scene.but(turn_seconds=0.0 if self._scene.wait_seconds else seconds)
        )
        picture = Text(no_wrap=True, overflow="ellipsis")
        for row in rows:
            picture.append(f"{strip_control_characters(row)}\n", STYLES.get(row.strip()[:1], ""))
        return picture

    def on_turn_started(self, loop: Loop) -> None:
        super().on_turn_started(loop)
        self._loop, self._scene = loop, live.LiveState()

    def on_output_line(self, heard: TurnOutput, told: str) -> None:
        tail = (*self._scene.tail, *(row for row in told.splitlines() if row.strip()))[
            -live.TAIL_LINES :
        ]
        self._scene = self._scene.but(
            tail=tail, tool_call=heard.open_tool_calls[-1][1] if heard.open_tool_calls else ""
        )

    def on_checks_started(self) -> None:
        self._scene = self._scene.but(checking=True)

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        super().on_turn_ended(turn, before, loop, reply)
        self._loop, self._began = loop, 0.0

    def on_waiting(self, seconds: float, why: str) -> None:
        self._scene = live.LiveState(wait_seconds=seconds, wait_reason=why)


class JsonView(RunObserver):
    """--json: a line for each thing that happens, under stable names."""

    def _print_event(self, event: str, **more: Any) -> None:
        output.show_json_line({"event": event, "at": round(time.time(), 3), **more})

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        self._print_event("plan", worst_case=rows, loop=facts.loop_facts(loop))

    def on_turn_started(self, loop: Loop) -> None:
        run = run_of(loop)
        self._print_event(
            "turn",
            iteration=loop.spend.iterations + 1,
            turn=run.turns_started,
            agent=run.agent,
            reserve=run.reserved_dollars,
        )

    def on_output_line(self, heard: TurnOutput, told: str) -> None:
        if told:
            self._print_event(
                "line",
                text=told,
                doing=heard.open_tool_calls[-1][1] if heard.open_tool_calls else "",
            )

    def on_checks_started(self) -> None:
        self._print_event("checks")

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        told = turn.runner_report
        assert told is not None
        more = {
            "cut": told.cut_reason,
            "denied": list(told.denied_calls),
            "limited": told.usage_limited,
            "failure": turn.api_failure,
        }
        self._print_event(
            "ended",
            text=turn.text,
            dollars=turn.dollars,
            **more,
            reply=type(reply).__name__.lower(),
            loop=facts.loop_facts(loop),
        )

    def on_waiting(self, seconds: float, why: str) -> None:
        self._print_event("waits", seconds=round(seconds, 1), why=why)

    def show_message(self, text: str) -> None:
        self._print_event("said", text=text)
