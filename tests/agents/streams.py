"""The streams that the real clients printed (tests/e2e/record.py records them), and how an agent hears them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loopwright.agents.base import ProcessExit, TurnOutput, TurnRequest
from loopwright.agents.registry import load_agent
from loopwright.core.prices import PRICES

HERE = Path(__file__).parent
CALL = TurnRequest(1, prices=PRICES)
EIGHT = (
    1_800_000_000.0  # the recorded streams are of this day; it is eight o'clock in the morning, UTC
)
SESSION = "00000000-0000-4000-8000-000000000001"


def cases(name: str) -> dict[str, list[str]]:
    """The lines of every recorded case of an agent, by its name without the version."""
    found = sorted((HERE / name / "cases").glob("headless-*.jsonl"))
    return {
        path.stem.split("-", 2)[2]: path.read_text(encoding="utf-8").splitlines(keepends=True)
        for path in found
    }


def read_turn(
    name: str,
    lines: Iterable[str],
    call: TurnRequest = CALL,
    code: int = 0,
    stderr: str = "",
    cut: str = "",
) -> TurnOutput:
    """What a turn came to, an hour before eight. Dollars are rounded, and what is only for counting is left out."""
    heard = TurnOutput()
    for line in lines:
        heard = load_agent(name).read(heard, line, call)
    heard = load_agent(name).judge(heard, call, ProcessExit(code, stderr, cut, EIGHT - 3600))
    outcomes = tuple(outcome.but(result="") for outcome in heard.outcomes)
    return heard.but(
        dollars=round(heard.dollars, 6), counted_messages=(), finished_calls=0, outcomes=outcomes
    )


def visible_lines(name: str, lines: Iterable[str]) -> list[str]:
    """What people see of it."""
    return [words for line in lines if (words := load_agent(name).tell(line))]


def line(**event: Any) -> str:
    return json.dumps(event) + "\n"


def change_line(text: str, **changes: Any) -> str:
    """A recorded line with some keys changed; None leaves one out."""
    event = {**json.loads(text), **changes}
    return line(**{key: value for key, value in event.items() if value is not None})
