"""Go on from a GSD project: the plan of its phase, the settings of config.md, and what STATE.md knows of the loop."""

from __future__ import annotations

import argparse
import os

from ...drive.errors import UserError
from ...formats.gsd_roadmap import phase_status
from ...importers import gsd, plans
from .. import here, output
from ..start.plan_options import gsd_loop_state
from . import start

EXAMPLES = """  loop import                # .gsd/ or .opti-gsd/ in this project
  loop import --phase 2"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--phase",
        metavar="N",
        default="",
        help="the phase (default: that of STATE.md, else the newest plan)",
    )
    parser.add_argument("--yes", action="store_true", help="no questions, now or later")


def run(args: argparse.Namespace) -> int:
    root = here.checkout_top(os.getcwd())
    folder = gsd.find_folder(root)
    if not folder:
        raise UserError(
            f"neither {' nor '.join(gsd.FOLDERS)} in {root}. Start from a plan: loop start --plan FILE"
        )
    plan = gsd.find_plan_file(root, folder, args.phase)
    if not plan:
        raise UserError(f"no plan of phase {args.phase or 'that STATE.md names'} in {folder}/plans")
    state = gsd_loop_state(root, folder)
    roadmap = gsd.find_file(root, folder, gsd.ROADMAP)
    phase = (
        f", in the roadmap {phase_status(plans.read_text(os.path.join(root, roadmap)), state.phase)}"
        if roadmap
        else ""
    )
    output.show_text(
        f"{folder}: {plan}; the loop was at {state.kind or 'nothing'}, iteration {state.iteration}{phase}"
    )
    from ..main import command_parser

    return start.run(
        command_parser("start").parse_args(
            ["--plan", os.path.join(root, plan), "--from-state", *(["--yes"] * args.yes)]
        )
    )
