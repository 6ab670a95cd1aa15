"""Play a spec or a plan with an agent that is only written down: nothing runs, nothing is written, no cent is spent.

What decides is the engine itself, on a clock that is only counted: a night takes a moment. The script is TOML.
"""

from __future__ import annotations

import argparse
import os
import sys

from ...drive.errors import UserError
from ...drive.start import TooVague
from ...importers import script_toml
from ...store.folder import LoopFolder
from ...views import simulation_report
from ...views.simulation import Script, Simulation
from .. import exits, here, output
from . import start

EXAMPLES = """  loop simulate "fix the parser" --check "tests pass=pytest -q" --agent liar.toml
  loop simulate PLAN.md --agent fails-twice.toml --retries 1 --yes
  loop simulate "make pytest green" --agent slow.toml --budget 5 --json

a script:
  [[turn]]
  say = "Looking around."
  seconds = 300
  dollars = 0.4
  times = 3
  [[turn]]
  done = true
  fails = ["tests pass"]"""
MAX_SCRIPT = 1_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "spec", metavar="SPEC|PLAN", help="what is to be done, or the file of a plan"
    )
    parser.add_argument(
        "--agent",
        metavar="FILE",
        required=True,
        help="the script that the agent plays, in TOML; - reads stdin",
    )
    start.add_options(parser)


def run(args: argparse.Namespace) -> int:
    script = read_script(args.agent)
    if os.path.isfile(args.spec):
        args.plan, args.spec = args.spec, ""
    place = LoopFolder(here.checkout_top(os.getcwd()))
    try:
        _, loop, _ = start.prepare_start(args, None, place)
    except TooVague as vague:
        return start.explain_vague_spec(vague)
    simulation = Simulation(loop, script)
    if args.json:
        for played in simulation.play_turns():
            output.show_json_line(simulation_report.turn_facts(played))
        output.show_json_line(
            {
                "event": "end",
                "code": exits.exit_code(simulation.loop),
                **simulation_report.outcome_facts(simulation.loop),
            }
        )
        return exits.exit_code(simulation.loop)
    output.show_text(
        f"{simulation_report.simulation_header(loop)}\n\n{simulation_report.shortened_rows([*map(simulation_report.turn_row, simulation.play_turns())])}"
    )
    output.show_text(
        f"\n{simulation_report.outcome_line(simulation.loop)}\n{simulation_report.spend_line(simulation.loop)}"
    )
    if simulation.loop.status == "asking":
        output.show_text('Nobody answers it. Add answers = ["yes"] to the script, or --yes')
    return exits.exit_code(simulation.loop)


def read_script(path: str) -> Script:
    try:
        if path == "-":
            return script_toml.read(sys.stdin.read(MAX_SCRIPT))
        with open(path, encoding="utf-8-sig") as file:
            return script_toml.read(file.read(MAX_SCRIPT))
    except (OSError, UnicodeDecodeError, script_toml.ScriptError) as error:
        raise UserError(f"{path}: {error}. See: loop simulate --help") from error
