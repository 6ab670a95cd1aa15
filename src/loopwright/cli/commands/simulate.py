"""Play a spec or a plan with a scripted agent. Nothing runs, nothing is written, nothing is spent.

The real engine decides, on a simulated clock: hours take a moment. The script is a TOML file.
"""

from __future__ import annotations

import argparse
import os
import sys

from ...core.loop import Loop
from ...drive import simulation_report
from ...drive.errors import UserError
from ...drive.new_loop import TooVague
from ...drive.simulation import Script, Simulation
from ...importers import script_toml
from ...store.folder import LoopFolder
from .. import exits, here, output
from ..start.options import add_options
from ..start.typed_arguments import StartArguments
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
    parser.add_argument("spec", metavar="SPEC|PLAN", help="what to do, or the file of a plan")
    parser.add_argument(
        "--agent",
        metavar="FILE",
        required=True,
        help="the TOML script of the agent; - reads stdin",
    )
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    script = read_script(args.agent)
    if os.path.isfile(args.spec):
        args.plan, args.spec = args.spec, ""
    folder = LoopFolder(here.checkout_top(os.getcwd()))
    try:
        _, loop = start.prepare_start(StartArguments(person=args, agent=None), folder)
    except TooVague as vague:
        return start.explain_vague_spec(vague)
    simulation = Simulation(loop, script)
    if args.json:
        print_json_lines(simulation)
    else:
        show_turns(loop, simulation)
    return exits.exit_code(simulation.loop)


def print_json_lines(simulation: Simulation) -> None:
    for turn in simulation.play_turns():
        output.show_json_line(simulation_report.turn_facts(turn))
    code = exits.exit_code(simulation.loop)
    outcome = simulation_report.outcome_facts(simulation.loop)
    output.show_json_line({"event": "end", "code": code, **outcome})


def show_turns(start: Loop, simulation: Simulation) -> None:
    header = simulation_report.simulation_header(start)
    rows = [simulation_report.turn_row(turn) for turn in simulation.play_turns()]
    output.show_text(f"{header}\n\n{simulation_report.shortened_rows(rows)}")
    loop = simulation.loop
    output.show_text(
        f"\n{simulation_report.outcome_line(loop)}\n{simulation_report.spend_line(loop)}"
    )
    if loop.status == "asking":
        output.show_text('The script has no answer. Add answers = ["yes"] to it, or --yes')


def read_script(path: str) -> Script:
    try:
        if path == "-":
            return script_toml.read(sys.stdin.read(MAX_SCRIPT))
        with open(path, encoding="utf-8-sig") as file:
            return script_toml.read(file.read(MAX_SCRIPT))
    except (OSError, UnicodeDecodeError, script_toml.ScriptError) as error:
        raise UserError(f"{path}: {error}. See: loop simulate --help") from error
