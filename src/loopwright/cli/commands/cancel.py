"""End the loop now and report what was done. Its journal and evidence move to .loop/history."""

from __future__ import annotations

import argparse
import os

from ...core.prompts.phrases import count_phrase
from ...drive.orders.given_orders import give_cancel
from .. import exits, here, output
from ..argument_kinds import add_switch

EXAMPLES = """  loop cancel
  loop cancel --keep   # leave .loop/state.json where it is"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_switch(parser, "--keep", "keep .loop/state.json")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    output.show_text(give_cancel(folder, args.keep))
    if loop.plan and (left := [w for w in loop.plan.worktrees if os.path.isdir(w.path)]):
        number = count_phrase(len(left), "worktree")
        output.show_text(f"{number} of tasks left. Look: loop lanes. Remove: loop lanes --clear")
    return exits.PROVEN
