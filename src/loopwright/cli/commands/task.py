"""The loop as the task record of seed 001: a view of the journal. `update` is a claim like any other."""

from __future__ import annotations

import argparse
import json
import time

from ...core.loop import Step
from ...core.signals import Claimed, Claims
from ...drive.errors import UserError
from ...drive.step import step
from ...store.history import ended_loops
from ...views import task_record
from .. import exits, here, output

EXAMPLES = """  loop task get
  loop task list
  loop task update --completed-step "Fix the parser"
  loop task update --metadata '{"completedSteps": ["Fix the parser"]}'"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("get", "list", "update"))
    parser.add_argument(
        "--completed-step", metavar="STEP", action="append", default=[], help="a step that is done"
    )
    parser.add_argument(
        "--metadata",
        metavar="JSON",
        default="",
        help="the seeds' metadata; completedSteps are claimed",
    )


def run(args: argparse.Namespace) -> int:
    if args.what == "list":
        place = here.loop_folder()
        active = place.read_loop()
        output.show_json(
            [
                task_record.task_record(loop)
                for loop in ([active] if active else []) + ended_loops(place)
            ]
        )
        return exits.PROVEN
    place, loop = here.active_loop()
    if args.what == "update":
        steps = tuple(
            Step(name, True) for name in [*args.completed_step, *completed_steps(args.metadata)]
        )
        if not steps:
            raise UserError(
                "nothing to update: only completed steps can be claimed here. Numbers are ours to count"
            )
        step(place, Claimed(time.time(), Claims(steps=steps)))
        loop = place.read_loop() or loop
    output.show_json(task_record.task_record(loop))
    return exits.PROVEN


def completed_steps(text: str) -> list[str]:
    if not text:
        return []
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--metadata is not JSON: {error}") from error
    steps = given.get("completedSteps") if isinstance(given, dict) else None
    return (
        [name[:200] for name in steps if isinstance(name, str)] if isinstance(steps, list) else []
    )
