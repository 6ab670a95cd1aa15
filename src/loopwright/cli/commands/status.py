"""Show the loop of this folder: criteria with their proof, steps, counters and the next command."""

from __future__ import annotations

import os
import time

from ...agents.shell_variables import agent_session
from ...core.loop import Loop
from ...core.status import ENDED
from ...store.history import folder_with_history, last_ended_loop
from ...views import board
from .. import exits, here, output
from ..argument_kinds import add_json, add_switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ...core.plan.plan import Plan

EXAMPLES = """  loop status
  loop status --json | jq .criteria
  loop status --exit-code   # for scripts"""
DEFAULTS = {"json": False, "exit_code": False}


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_switch(parser, "--exit-code", "exit with the code for the status of the loop")


def active_or_last_loop() -> Loop:
    """The active loop, else the last one that ended here."""
    folder = here.find_loop_folder() or folder_with_history(os.getcwd()) or here.loop_folder()
    if loop := folder.read_loop():
        return loop
    here.refuse_lost_loop()
    loop = last_ended_loop(folder)
    if not loop:
        return here.active_loop()[1]
    from ...drive.records.loop_records import lost_record_lines

    for line in lost_record_lines(folder, loop.id):
        output.show_warning(line)
    return loop


def run(args: argparse.Namespace) -> int:
    loop = active_or_last_loop()
    if args.json:
        from ...views import facts

        output.show_json(facts.loop_facts(loop))
    else:
        session = agent_session()
        output.show_text(board.text(loop, session, time.time()))
        if loop.plan and loop.status not in ENDED:
            show_edited_plan(loop.plan)
        show_lost_runner(loop)
    return exits.exit_code(loop) if args.exit_code else exits.PROVEN


def show_edited_plan(plan: Plan) -> None:
    from ...drive.plans.plan_files import is_edited

    if is_edited(here.loop_folder().root, plan):
        output.show_text("  its file was edited after the start. Look: `loop plan reload`")


def show_lost_runner(loop: Loop) -> None:
    from ...store.runner_lock import is_runner_gone

    if is_runner_gone(here.loop_folder(), loop):
        output.show_text(f"  {board.RUNNER_GONE}")
