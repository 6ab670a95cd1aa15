"""Decide a recorded loop once more, under other limits: where it would have stopped, and what that would have saved or cost.

What the agent did is taken as it was. A limit that is named is final: where the record has a pause and a raise, nobody raises it.
"""

from __future__ import annotations

import argparse

from ...drive.errors import UserError
from ...store import config, journal
from ...views import simulation_report
from ...views.replay import BREAKER_OF_LIMIT, replay_moves
from .. import exits, output
from .report import load_loop

EXAMPLES = """  loop replay --limits dollars=5
  loop replay 20261114-231500-a1b2c3 --limits iterations=20,stuck=3 --limits minutes=60
  loop replay --limits dollars=5 --json"""
WHY_NOT_REPLAYABLE = (
    "it changes what the agent is told or how long a runner waits, which no record can say"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        metavar="RUN",
        default="",
        help="a loop that has ended (default: the one here, or the last)",
    )
    parser.add_argument(
        "--limits",
        metavar="NAME=N,…",
        action="append",
        required=True,
        help=f"other limits: {', '.join(BREAKER_OF_LIMIT)}; again: one more row",
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    wanted = {text: parse_limits(text) for text in args.limits}
    _, path, loop = load_loop(args.id)
    recorded = replay_moves(journal.events_by_move(path), {}).loop
    others = {
        name: replay_moves(journal.events_by_move(path), limits) for name, limits in wanted.items()
    }
    if args.json:
        rows = [
            {
                "limits": wanted[name],
                "parted": other.diverged_at or None,
                "known": other.outcome_known,
                **simulation_report.outcome_facts(other.loop),
            }
            for name, other in others.items()
        ]
        output.show_json(
            {"id": loop.id, "recorded": simulation_report.outcome_facts(recorded), "replayed": rows}
        )
        return exits.PROVEN
    output.show_text(
        f"Recorded: {simulation_report.spend_line(recorded)}\n    {simulation_report.outcome_line(recorded)}"
    )
    for name, other in others.items():
        output.show_text(simulation_report.limits_comparison(recorded, name, other))
    return exits.PROVEN


def parse_limits(text: str) -> dict[str, float]:
    """dollars=5,stuck=3"""
    found: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in BREAKER_OF_LIMIT:
            known = f"limits.{name}" in config.defaults()
            raise UserError(
                f"{name} cannot be replayed: {WHY_NOT_REPLAYABLE}"
                if known
                else f"no limit {name!r}. Known: {', '.join(BREAKER_OF_LIMIT)}"
            )
        try:
            number = float(value) if name in ("dollars", "minutes") else int(value)
        except ValueError:
            number = -1
        if not 0 <= number < 1e9:
            raise UserError(f"{name} takes a number, not {value!r}: --limits {name}=5")
        found[name] = number
    if not found:
        raise UserError("which limits? Such as: --limits dollars=5,stuck=3")
    return found
