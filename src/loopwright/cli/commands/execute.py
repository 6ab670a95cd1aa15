"""Execute a plan: start a loop on it, or continue the tasks of the plan that is active here."""

from __future__ import annotations

import argparse
import os

from ...core.directives import Continue
from ...core.loop import Loop
from ...core.plan.plan import EXECUTE
from ...core.prompts.messages import continue_prompt, pause_text
from ...core.prompts.questions import question_text
from ...drive.errors import UserError
from ...drive.orders import loop_orders
from ...importers import plans
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from .. import exits, here, output
from ..argument_kinds import add_word
from ..start.options import add_options
from . import start

EXAMPLES = """  loop execute PLAN.md
  loop execute PLAN.md --mode yolo --eager   # takes the options of `loop start`
  loop execute                               # the plan of this project, or parked tasks"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "spec", "the plan (default: PLAN.md, or the plan of the GSD phase)", "FILE")
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    folder = LoopFolder(here.checkout_top(os.getcwd()))
    active = folder.read_loop()
    if active is not None and not args.replace:
        refuse_other_plan(active, args.spec, folder.root)
        return move_plan_to_stage(folder, active, EXECUTE)
    args.plan = args.spec or args.plan or plans.find_plan(folder.root)
    args.spec = ""
    if not args.plan:
        raise UserError(
            "no plan here. Write one: loop plan new GOAL; or name it: loop execute FILE"
        )
    return start.run(args)


def refuse_other_plan(active: Loop, file: str, root: str) -> None:
    """Refuse to continue the active plan when another plan is named."""
    if file and active.plan and not loop_orders.is_same_plan(active.plan.file, file, root):
        raise UserError(
            f"the loop here is on {active.plan.file}. Continue it: loop execute. "
            "Or start over: add --replace"
        )


def move_plan_to_stage(folder: LoopFolder, active: Loop, stage: str) -> int:
    """Move the active plan to a stage. An agent is only told what to do next."""
    if not active.plan:
        raise UserError(
            f"the loop here has no plan: {' '.join(active.spec.split())[:60]!r}. "
            "End it first: loop cancel"
        )
    if here.agent_variable():
        output.show_text(agent_instructions(active))
        return exits.PROVEN
    reply = loop_orders.enter_stage(folder, stage)
    output.show_text(reply.message or "Nothing to do.")
    if isinstance(reply, Continue):
        output.show_text("Its driver hears of it: open your agent here, or: loop run")
        return exits.PROVEN
    return exits.exit_code(folder.read_loop() or last_ended_loop(folder) or active)


def agent_instructions(loop: Loop) -> str:
    if loop.status == "asking":
        return question_text(loop)
    return pause_text(loop) if loop.status == "paused" else continue_prompt(loop)
