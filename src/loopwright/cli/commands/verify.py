"""Verify the result of a plan: every check, artifact and link. What is missing is a gap to fix."""

from __future__ import annotations

import argparse
import os

from ...core.plan.plan import VERIFY
from ...drive.errors import UserError
from ...store.folder import LoopFolder
from .. import here
from .execute import move_plan_to_stage

EXAMPLES = "  loop verify   # after all tasks, or with some of them parked"


def run(args: argparse.Namespace) -> int:
    folder = LoopFolder(here.checkout_top(os.getcwd()))
    active = folder.read_loop()
    if active is None:
        raise UserError("no loop with a plan here. Start one: loop execute FILE")
    return move_plan_to_stage(folder, active, VERIFY)
