"""Decide a recorded loop again under other limits.

Shows where the loop would have stopped, and what that would have saved or cost. The actions of the
agent are taken from the record. A limit given here is final: later raises are ignored.
"""

from __future__ import annotations

import argparse
from typing import Any

from ...drive import simulation_report
from ...drive.errors import WrongValue
from ...store import config, journal_moves
from ...views.replay import BREAKER_OF_LIMIT, ReplayResult, replay_moves
from .. import exits, output
from ..argument_kinds import add_json, add_word
from .report import load_loop

EXAMPLES = """  loop replay --limits dollars=5
  loop replay 20261114-231500-a1b2c3 --limits iterations=20,stuck=3 --limits minutes=60
  loop replay --limits dollars=5 --json"""
WHY_NOT_REPLAYABLE = (
    "it changes what the agent is told or how long a runner waits, which no record can say"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "id", "an ended loop (default: the one here, or the last)", "RUN")
    parser.add_argument(
        "--limits",
        metavar="NAME=N,…",
        action="append",
        required=True,
        help=f"other limits: {', '.join(BREAKER_OF_LIMIT)}; repeat it for another row",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    limits = {text: parse_limits(text) for text in args.limits}
    _, path, loop = load_loop(args.id)
    recorded = replay_moves(journal_moves.events_by_move(path), {}).loop
    replays = {
        text: replay_moves(journal_moves.events_by_move(path), changed)
        for text, changed in limits.items()
    }
    if args.json:
        rows = [replay_facts(limits[text], replay) for text, replay in replays.items()]
        outcome = simulation_report.outcome_facts(recorded)
        output.show_json({"id": loop.id, "recorded": outcome, "replayed": rows})
        return exits.PROVEN
    output.show_text(
        f"Recorded: {simulation_report.spend_line(recorded)}\n"
        f"    {simulation_report.outcome_line(recorded)}"
    )
    for text, replay in replays.items():
        output.show_text(simulation_report.limits_comparison(recorded, text, replay))
    return exits.PROVEN


def replay_facts(limits: dict[str, float], replay: ReplayResult) -> dict[str, Any]:
    return {
        "limits": limits,
        "parted": replay.diverged_at or None,
        "known": replay.outcome_known,
        **simulation_report.outcome_facts(replay.loop),
    }


def parse_limits(text: str) -> dict[str, float]:
    """The limits of a text such as `dollars=5,stuck=3`."""
    limits: dict[str, float] = {}
    for part in text.split(","):
        if part.strip():
            name, _, value = part.partition("=")
            limits[name.strip()] = parse_limit(name.strip(), value.strip())
    if not limits:
        raise WrongValue("which limits? Such as: --limits dollars=5,stuck=3")
    return limits


def parse_limit(name: str, value: str) -> float:
    if name not in BREAKER_OF_LIMIT:
        if f"limits.{name}" in config.defaults():
            raise WrongValue(f"{name} cannot be replayed: {WHY_NOT_REPLAYABLE}")
        raise WrongValue(f"no limit {name!r}. Known: {', '.join(BREAKER_OF_LIMIT)}")
    try:
        number = float(value) if name in ("dollars", "minutes") else int(value)
    except ValueError:
        number = -1
    if not 0 <= number < 1e9:
        raise WrongValue(f"{name} takes a number, not {value!r}: --limits {name}=5")
    return number
