"""Measure what the quick commands cost, as multiples of a bare interpreter.

It asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from pathlib import Path

from report import BASE, describe_machine, save_tables, summarize, table_text, times_table
from timing import Timing, time_program
from world import World

HERE = Path(__file__).resolve().parent
COMMANDS = (("--help",), ("--version",), ("status",), ("status", "--json"), ("why",))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30, help="number of rounds")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", action="store_true", help="write the table for docs/generate.py")
    parser.add_argument(
        "--src", type=Path, default=HERE.parent / "src", help="the sources to measure"
    )
    args = parser.parse_args()
    world = World(args.src)
    try:
        rows = summarize(measure_commands(world, args.runs))
    finally:
        world.remove()
    table, machine = times_table("command", rows), describe_machine(args.runs)
    if args.save:
        save_tables("cli", machine, {"times": table})
    print(json.dumps(rows, indent=2) if args.json else f"{machine}\n\n{table_text(table)}")


def measure_commands(world: World, runs: int) -> dict[str, list[Timing]]:
    """Run every command once per round, in random order, so that a busy machine slows all."""
    python = os.path.realpath(sys.executable)
    project = world.project(world.folder("plain"), world.transcript(10_000))
    # Without `site`: what it imports differs from one machine to the next.
    cache = f"pycache_prefix={world.base / 'cache'}"
    program = [python, "-I", "-S", "-X", cache, str(world.src / "loopwright/__main__.py")]
    argvs = {BASE: [python, "-I", "-S", "-c", "pass"]}
    argvs |= {f"loop {' '.join(words)}": [*program, *words] for words in COMMANDS}
    os.chdir(project.root)
    times: dict[str, list[Timing]] = {name: [] for name in argvs}
    names = list(argvs)
    for number in range(runs + 1):
        random.shuffle(names)
        for name in names:
            timing = time_program(argvs[name], world.env)
            if number:  # the first round writes bytecode
                times[name].append(timing)
    return times


if __name__ == "__main__":
    main()
