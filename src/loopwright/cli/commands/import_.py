"""Continue a GSD project: the plan of its phase, its config.md, the loop state in STATE.md."""

from __future__ import annotations

import argparse
import os

from ...drive.errors import UserError
from ...formats.gsd_roadmap import phase_status
from ...importers import gsd, plans
from .. import here, output
from ..argument_kinds import add_switch, add_value
from ..start.plan_options import gsd_loop_state
from . import start

EXAMPLES = """  loop import                # .gsd/ or .opti-gsd/ in this project
  loop import --phase 2"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser, "--phase N", "the phase (default: the phase in STATE.md, else the newest plan)"
    )
    add_switch(parser, "--yes", "ask no questions, now or later")


def run(args: argparse.Namespace) -> int:
    root = here.checkout_top(os.getcwd())
    gsd_folder = gsd.find_folder(root)
    if not gsd_folder:
        refuse_newer_gsd(root)
        raise UserError(
            f"neither {' nor '.join(gsd.FOLDERS)} in {root}. "
            "Start from a plan: loop start --plan FILE"
        )
    plan = gsd.find_plan_file(root, gsd_folder, args.phase)
    if not plan:
        refuse_newer_gsd(root)
        raise UserError(
            f"no plan of phase {args.phase or 'that STATE.md names'} in {gsd_folder}/plans"
        )
    state = gsd_loop_state(root, gsd_folder)
    status = roadmap_status(root, gsd_folder, state.phase)
    output.show_text(
        f"{gsd_folder}: {plan}; the loop was at {state.kind or 'nothing'}, "
        f"iteration {state.iteration}{status}"
    )
    from ..command_parser import command_parser

    words = ["--plan", os.path.join(root, plan), "--from-state"]
    if args.yes:
        words.append("--yes")
    return start.run(command_parser("start").parse_args(words))


def refuse_newer_gsd(root: str) -> None:
    """A project of GSD 1 or GSD 2 has plans that can be read, but no loop to continue."""
    if plan := plans.find_open_phase(root) or plans.find_open_slice(root):
        raise UserError(f"no loop to continue here. Execute the open plan: loop execute {plan}")


def roadmap_status(root: str, gsd_folder: str, phase: str) -> str:
    """What the roadmap says about the phase, as the end of a sentence; "" without a roadmap."""
    roadmap = gsd.find_file(root, gsd_folder, gsd.ROADMAP)
    if not roadmap:
        return ""
    text = plans.read_text(os.path.join(root, roadmap))
    return f", in the roadmap {phase_status(text, phase)}"
