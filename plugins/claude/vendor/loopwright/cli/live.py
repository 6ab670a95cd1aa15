"""The eyes of `loop run`: plain lines, a live picture on a terminal (rich), or one JSON object for each thing that happens."""

from __future__ import annotations

import time
from typing import Any

from ..agents.base import Heard
from ..core.loop import Loop
from ..core.running import run_of
from ..core.signals import Continue, Land, Reply, TurnOver, Wait
from ..core.wording import COMPLETE, iteration, plain, reason
from ..drive.watch import Watch
from ..views import executing, facts, live
from . import output

EVERY = 60.0  # seconds between two lines of a countdown
STYLES = {"✓": "green", "✗": "red", "⏳": "yellow", "▶": "bold", "│": "dim"}


class Lines(Watch):
    """For pipes, files and terminals without rich."""

    def __init__(self) -> None:
        self._began, self._counted = 0.0, 0.0

    def plan(self, rows: list[str], loop: Loop) -> None:
        for row in rows:
            self.said(f"[LOOP] {row}")

    def began(self, loop: Loop) -> None:
        self._began, self._counted = time.monotonic(), 0.0
        self.said(f"{iteration(loop)} | {run_of(loop).agent}")

    def ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        """Live lines: what the agent said, what our own run of the checks found, and what follows."""
        told = turn.told
        if isinstance(reply, Continue | Wait) and (turn.failure or (told and told.limited)):  # waited for, or another goes on
            return self.said(f"    {reply.say.removeprefix('[LOOP] ')}")
        seconds = executing.seconds(turn, before) if turn.lane else time.monotonic() - self._began
        for row in live.turn_lines(turn, seconds):
            self.said(row)
        if turn.failure:
            self.said(f"    ✗ {turn.failure}")
        if loop.plan:
            for row in executing.turn(before, loop) or ([] if isinstance(reply, Land) else ["… nothing was finished"]):
                self.said(f"    {row}")
            return None
        if not isinstance(reply, Continue):
            return None
        for c in loop.criteria:
            found = f"{c.proof.outcome} {c.proof.code}, {c.proof.seconds:.1f} s" if c.proof else "not run"
            self.said(f"    {'✓' if loop.is_met(c) else '✗'} {c.name} ({found})")
        if not loop.exit_claimed and (COMPLETE in turn.text or "EXIT_SIGNAL: true" in turn.text):
            self.said("    ✗ claimed done, but it is not: the claim is taken back")
        if loop.streak.stuck:
            self.said(f"    … no progress, {loop.streak.stuck} of {loop.limits.stuck}")
        return self.said(f"    → {reason(loop)}")

    def waits(self, seconds: float, why: str) -> None:
        if not self._counted or time.monotonic() - self._counted >= EVERY:
            self._counted = time.monotonic()
            self.said(f"    ⏳ {live.clock(seconds)} left | {why}")

    def said(self, text: str) -> None:
        if text:
            output.show(text)


class Screen(Lines):
    """A picture that is drawn anew a few times a second, below the lines that stay."""

    def __init__(self, console: Any, loop: Loop) -> None:
        super().__init__()
        from rich.live import Live

        self._loop, self._scene = loop, live.Scene()
        self._picture = Live(console=console, get_renderable=self._drawn, refresh_per_second=4, transient=True)

    def __enter__(self) -> Screen:
        self._picture.start()
        return self

    def __exit__(self, *_: object) -> None:
        with output.terminal_may_go():
            self._picture.stop()

    def _drawn(self) -> Any:
        from rich.text import Text

        seconds = time.monotonic() - self._began if self._began else 0.0
        rows = live.rows(self._loop, self._scene.but(seconds=0.0 if self._scene.waits else seconds))
        picture = Text(no_wrap=True, overflow="ellipsis")
        for row in rows:
            picture.append(f"{plain(row)}\n", STYLES.get(row.strip()[:1], ""))
        return picture

    def began(self, loop: Loop) -> None:
        super().began(loop)
        self._loop, self._scene = loop, live.Scene()

    def line(self, heard: Heard, told: str) -> None:
        tail = (*self._scene.tail, *(row for row in told.splitlines() if row.strip()))[-live.TAIL :]
        self._scene = self._scene.but(tail=tail, doing=heard.calls[-1][1] if heard.calls else "")

    def checks(self) -> None:
        self._scene = self._scene.but(checking=True)

    def ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        super().ended(turn, before, loop, reply)
        self._loop, self._began = loop, 0.0

    def waits(self, seconds: float, why: str) -> None:
        self._scene = live.Scene(waits=seconds, why=why)


class Events(Watch):
    """--json: a line for each thing that happens, under stable names."""

    def _tell(self, event: str, **more: Any) -> None:
        output.show_json_line({"event": event, "at": round(time.time(), 3), **more})

    def plan(self, rows: list[str], loop: Loop) -> None:
        self._tell("plan", worst_case=rows, loop=facts.of(loop))

    def began(self, loop: Loop) -> None:
        run = run_of(loop)
        self._tell("turn", iteration=loop.spend.iterations + 1, turn=run.turns, agent=run.agent, reserve=run.reserve)

    def line(self, heard: Heard, told: str) -> None:
        if told:
            self._tell("line", text=told, doing=heard.calls[-1][1] if heard.calls else "")

    def checks(self) -> None:
        self._tell("checks")

    def ended(self, turn: TurnOver, before: Loop, loop: Loop, reply: Reply) -> None:
        told = turn.told
        assert told is not None
        more = {"cut": told.cut, "denied": list(told.denied), "limited": told.limited, "failure": turn.failure}
        self._tell("ended", text=turn.text, dollars=turn.dollars, **more, reply=type(reply).__name__.lower(), loop=facts.of(loop))

    def waits(self, seconds: float, why: str) -> None:
        self._tell("waits", seconds=round(seconds, 1), why=why)

    def said(self, text: str) -> None:
        self._tell("said", text=text)
