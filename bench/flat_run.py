"""Measure whether an iteration of `loop run` costs the same at the end of a long run.

python bench/flat_run.py [--iterations N]

A loop works so many iterations in ten runs, because no run takes more than 1,000; the agent does
nothing. Each run is measured in processor time from its first iteration on, with git and the agent.
Needs /proc. It asserts no time.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import suppress
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
    """For each run: its last iteration, milliseconds for each iteration, megabytes of memory."""
    world = World(SOURCES)
    try:
        runners, root = Runners(world), world.folder("long", git=True)
        each = iterations // PARTS
        runners.create_loop(root, runners.cases()[0], each)
        rows = [measure_run(runners, root, each)]
        while len(rows) < PARTS:
            rows.append(measure_run(runners, root, each, "--continue", f"--iterations={each}"))
    finally:
        world.remove()
    return rows


def measure_run(runners: Runners, root: Path, iterations: int, *more: str) -> list[str]:
    lines = root / ".loop/iterations.jsonl"
    start = lines.read_bytes().count(b"\n") if lines.exists() else 0
    process = runners.start(OURS, runners.cases()[0], root, iterations, *more, "--yes")
    samples: list[tuple[int, float, float]] = []
    while process.poll() is None:
        count = lines.read_bytes().count(b"\n") if lines.exists() else 0
        if count > start:
            with suppress(OSError, KeyError):  # it ends just now
                megabytes = memory_rollup(process.pid)["Pss"] / 1000
                samples.append((count, processor_seconds(process.pid), megabytes))
        time.sleep(POLL_SECONDS)
    first, last = samples[0], samples[-1]
    spent = (last[1] - first[1]) / (last[0] - first[0]) * 1000
    return [str(start + iterations), f"{spent:.2f}", f"{last[2]:.1f}"]


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
