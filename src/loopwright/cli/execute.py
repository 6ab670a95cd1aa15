"""Execute a plan: start a loop on it; or, where one runs already, go on with its tasks."""

from __future__ import annotations

import argparse
import os

from ..core.loop import Loop
from ..core.plan import EXECUTE
from ..core.signals import Continue
from ..core.wording import asking, go_on, paused
from ..drive import orders
from ..drive.orders import UserError
from ..importers import plans
from ..store.folder import LoopFolder
from ..store.history import last
from . import exits, here, output, start

EXAMPLES = """  loop execute PLAN.md
  loop execute PLAN.md --mode yolo --eager    # all flags of `loop start`
  loop execute                                # the plan of this project; or go on with what was parked"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "spec", nargs="?", metavar="FILE", default="", help="the plan (default: PLAN.md, or that of the GSD phase)"
    )
    start.options(parser)


def run(args: argparse.Namespace) -> int:
    place = LoopFolder(here.checkout_top(os.getcwd()))
    active = place.peek()
    if active is not None and not args.replace:
        must_be_the_same(active, args.spec, place.root)
        return again(place, active, EXECUTE)
    args.plan, args.spec = args.spec or args.plan or plans.find(place.root), ""
    if not args.plan:
        raise UserError("no plan here. Write one: loop plan new GOAL; or name it: loop execute FILE")
    return start.run(args)


def must_be_the_same(active: Loop, file: str, root: str) -> None:
    """Another plan is not quietly taken for the one that runs."""
    if file and active.plan and not orders.is_plan(active.plan.file, file, root):
        raise UserError(f"the loop here is on {active.plan.file}. Go on with it: loop execute. Or start over: add --replace")


def again(place: LoopFolder, active: Loop, stage: str) -> int:
    """A loop is here. A person moves it; an agent is told where it stands."""
    if not active.plan:
        raise UserError(f"the loop here has no plan: {' '.join(active.spec.split())[:60]!r}. End it first: loop cancel")
    if here.marker():
        output.show(told(active))
        return exits.PROVEN
    said = orders.staged(place, stage)
    output.show(said.say or "Nothing to do.")
    if isinstance(said, Continue):
        output.show("Its driver hears of it: open your agent here, or: loop run")
    return exits.PROVEN if isinstance(said, Continue) else exits.code_of(place.peek() or last(place) or active)


def told(loop: Loop) -> str:
    if loop.status == "asking":
        return asking(loop)
    return paused(loop) if loop.status == "paused" else go_on(loop)
