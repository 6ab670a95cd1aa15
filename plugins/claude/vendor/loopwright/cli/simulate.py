"""Play a spec or a plan with an agent that is only written down: nothing runs, nothing is written, no cent is spent.

What decides is the engine itself, on a clock that is only counted: a night takes a moment. The script is TOML.
"""

from __future__ import annotations

import argparse
import os
import sys

from ..core.simulation import Script, Simulation
from ..drive.orders import UserError
from ..drive.start import TooVague
from ..importers import script_toml
from ..store.folder import LoopFolder
from ..views import simulated
from . import exits, here, output, start

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
MOST_SCRIPT = 1_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", metavar="SPEC|PLAN", help="what is to be done, or the file of a plan")
    parser.add_argument("--agent", metavar="FILE", required=True, help="the script that the agent plays, in TOML; - reads stdin")
    start.options(parser)


def run(args: argparse.Namespace) -> int:
    script = script_of(args.agent)
    if os.path.isfile(args.spec):
        args.plan, args.spec = args.spec, ""
    place = LoopFolder(here.checkout_top(os.getcwd()))
    try:
        _, loop, _ = start.worked_out(args, None, place)
    except TooVague as vague:
        return start.say_vague(vague)
    simulation = Simulation(loop, script)
    if args.json:
        for played in simulation.play():
            output.show_json_line(simulated.played_facts(played))
        output.show_json_line({"event": "end", "code": exits.code_of(simulation.loop), **simulated.facts(simulation.loop)})
        return exits.code_of(simulation.loop)
    output.show(f"{simulated.head(loop)}\n\n{simulated.night([*map(simulated.row, simulation.play())])}")
    output.show(f"\n{simulated.end(simulation.loop)}\n{simulated.spent(simulation.loop)}")
    if simulation.loop.status == "asking":
        output.show('Nobody answers it. Add answers = ["yes"] to the script, or --yes')
    return exits.code_of(simulation.loop)


def script_of(path: str) -> Script:
    try:
        if path == "-":
            return script_toml.read(sys.stdin.read(MOST_SCRIPT))
        with open(path, encoding="utf-8-sig") as file:
            return script_toml.read(file.read(MOST_SCRIPT))
    except (OSError, UnicodeDecodeError, script_toml.ScriptError) as error:
        raise UserError(f"{path}: {error}. See: loop simulate --help") from error
