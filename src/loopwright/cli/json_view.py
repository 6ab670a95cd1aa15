"""What `loop run --json` prints."""

from __future__ import annotations

import time
from typing import Any

from ..agents.base import TurnOutput
from ..core.directives import Reply
from ..core.loop import Loop, run_of
from ..core.signals import TurnOver
from ..drive.runner.observer import RunObserver
from ..views.facts import loop_facts
from . import output
from .live_view import current_tool_call


class JsonView(RunObserver):
    """The output of --json: one line per event; the names of events and fields are stable."""

    def _print_event(self, event: str, **more: Any) -> None:
        with output.IgnoreGoneReader():
            output.show_json_line({"event": event, "at": round(time.time(), 3), **more})

    def on_run_starting(self, rows: list[str], loop: Loop) -> None:
        self._print_event("plan", worst_case=rows, loop=loop_facts(loop))

    def on_turn_started(self, loop: Loop) -> None:
        run = run_of(loop)
        self._print_event(
            "turn",
            iteration=loop.spend.iterations + 1,
            turn=run.turns_started,
            agent=run.agent,
            reserve=run.reserved_dollars,
        )

    def on_output_line(self, turn_output: TurnOutput, text: str) -> None:
        if text:
            self._print_event("line", text=text, doing=current_tool_call(turn_output))

    def on_checks_started(self) -> None:
        self._print_event("checks")

    def on_turn_ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        report = turn.runner_report
        assert report is not None
        self._print_event(
            "ended",
            text=turn.text,
            dollars=turn.dollars,
            cut=report.cut_reason,
            denied=list(report.denied_calls),
            limited=report.usage_limited,
            failure=turn.api_failure,
            reply=type(reply).__name__.lower(),
            loop=loop_facts(loop),
        )

    def on_waiting(self, until: float, why: str) -> None:
        seconds = round(max(0.0, until - time.time()), 1)
        self._print_event("waits", seconds=seconds, until=until, why=why)

    def show_message(self, text: str) -> None:
        self._print_event("said", text=text)

    def on_end(self, code: int, loop: Loop) -> None:
        output.show_json_line({"event": "end", "code": code, "loop": loop_facts(loop)})
