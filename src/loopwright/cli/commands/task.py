"""Show or update the loop as a task record, a view of the journal. An update is a claim."""

from __future__ import annotations

import argparse
import json
import time

from ...core.loop import Step
from ...core.signals import Claimed, Claims
from ...drive.errors import UserError
from ...drive.inbox import post_signal
from ...drive.step import step
from ...store.history import ended_loops
from ...views import task_record
from .. import exits, here, output
from ..argument_kinds import add_value, add_values

EXAMPLES = """  loop task get
  loop task list
  loop task update --completed-step "Fix the parser"
  loop task update --metadata '{"completedSteps": ["Fix the parser"]}'"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("get", "list", "update"),
        help="get the active loop, list all loops, or update the active one",
    )
    add_values(parser, "--completed-step STEP", "claim that a step is done")
    add_value(
        parser, "--metadata JSON", "metadata of the task record; its completedSteps are claimed"
    )


def run(args: argparse.Namespace) -> int:
    if args.what == "list":
        folder = here.loop_folder()
        active = folder.read_loop()
        loops = [active, *ended_loops(folder)] if active else ended_loops(folder)
        output.show_json([task_record.task_record(loop) for loop in loops])
        return exits.PROVEN
    folder, loop = here.active_loop()
    if args.what == "update":
        names = [*args.completed_step, *completed_steps(args.metadata)]
        if not names:
            raise UserError(
                "nothing to update: only completed steps can be claimed here. "
                "Numbers are ours to count"
            )
        steps = tuple(Step(name, True) for name in names)
        signal = Claimed(time.time(), Claims(steps=steps))
        if not post_signal(signal):
            step(folder, signal)
        loop = folder.read_loop() or loop
    output.show_json(task_record.task_record(loop))
    return exits.PROVEN


def completed_steps(text: str) -> list[str]:
    """The names in `completedSteps` of a task record's metadata."""
    if not text:
        return []
    try:
        metadata = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--metadata is not JSON: {error}") from error
    steps = metadata.get("completedSteps") if isinstance(metadata, dict) else None
    if not isinstance(steps, list):
        return []
    return [name[:200] for name in steps if isinstance(name, str)]
