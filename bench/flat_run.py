"""Measure whether an iteration of `loop run` costs the same at the end of a long run.

python bench/flat_run.py [--iterations N]

One `loop run` works so many iterations; the agent does nothing. Each tenth of the run is measured
in processor time, with git and the agent. Needs /proc. It asserts no time.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from statistics import median

from report import OURS, describe_machine, table_text
from runner import Runners, memory_rollup
from world import World

SOURCES = Path(__file__).resolve().parent.parent / "src"
PARTS = 10
POLL_SECONDS = 0.1


def processor_seconds(pid: int) -> float:
    """What the process and its ended children have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure_parts(iterations: int) -> list[list[str]]:
    """For each part of the run: its last iteration, milliseconds for each of them, memory."""
    world = World(SOURCES)
    try:
        runners, root = Runners(world), world.folder("long", git=True)
        case = runners.cases()[0]
        runners.create_loop(root, case, iterations)
        process = runners.start(OURS, case, root, iterations)
        lines = root / ".loop/iterations.jsonl"
        rows: list[list[str]] = []
        before = (0, 0.0)
        while process.poll() is None:
            count = lines.read_bytes().count(b"\n") if lines.exists() else 0
            # The first iteration includes the start, so it belongs to no part.
            if count and (not before[0] or count >= (len(rows) + 1) * iterations // PARTS):
                now = (count, processor_seconds(process.pid))
                if before[0]:
                    spent = (now[1] - before[1]) / (now[0] - before[0]) * 1000
                    megabytes = memory_rollup(process.pid)["Pss"] / 1000
                    rows.append([str(count), f"{spent:.2f}", f"{megabytes:.1f}"])
                before = now
            time.sleep(POLL_SECONDS)
    finally:
        world.remove()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=10_000)
    options = parser.parse_args()
    machine = describe_machine(1)
    rows = measure_parts(options.iterations)
    head = ["until iteration", "processor ms for each", "MB of memory"]
    print(f"{machine}\n\n{table_text({'head': head, 'rows': rows})}\n")
    costs = [float(row[1]) for row in rows]
    middle = median(costs)
    print(f"- from {min(costs) / middle - 1:+.0%} to {max(costs) / middle - 1:+.0%} of the median")


if __name__ == "__main__":
    main()
