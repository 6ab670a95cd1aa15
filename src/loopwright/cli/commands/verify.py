"""Verify what a plan has come to: every check, artifact and link on this tree; what is missing becomes gaps to fix."""

from __future__ import annotations

import argparse
import os

from ...core.plan.plan import VERIFY
from ...drive.errors import UserError
from ...store.folder import LoopFolder
from .. import here
from .execute import move_plan_to_stage

EXAMPLES = """  loop verify        # after all tasks, or with some of them parked"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace) -> int:
    place = LoopFolder(here.checkout_top(os.getcwd()))
    active = place.read_loop()
    if active is None:
        raise UserError("no loop with a plan here. Start one: loop execute FILE")
    return move_plan_to_stage(place, active, VERIFY)
