"""The schedule of plans: how close to the bound that nobody beats it comes, eagerly and wave by wave.

python bench/plan.py [--plans N] [--tasks N] [--json]      the bound: the longest chain, or all work shared out evenly.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import mean
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src")]

from tests.support.schedules import ANY, WIDTHS, bound, makespan, random_plan  # noqa: E402

from loopwright.core.plan.schedule import ready_tasks  # noqa: E402

LANES = (2, 4, 8, 16, ANY)


def ratios(plans: int, tasks: int, lanes: int) -> dict[str, list[float]]:
    """Of the bound to what it took, plan by plan; each width is drawn equally often."""
    found: dict[str, list[float]] = {"eager": [], "waves": []}
    for seed in range(plans):
        plan, hours = random_plan(seed, tasks, WIDTHS[seed % len(WIDTHS)])
        least = bound(plan, hours, lanes)
        for kind, eager in (("eager", True), ("waves", False)):
            found[kind].append(least / makespan(plan.but(eager=eager), hours, lanes))
    return found


def ready_milliseconds(tasks: int) -> float:
    plan, _ = random_plan(0, tasks)
    began = time.perf_counter()
    for _ in range(100):
        ready_tasks(plan.but(eager=True))
    return (time.perf_counter() - began) * 10


def as_markdown(facts: dict[str, Any]) -> str:
    head = f"{facts['plans']} plans by chance of {facts['tasks']} tasks; `ready` takes {facts['ready_ms']:.2f} ms"
    lines = [
        head,
        "",
        "| lanes | eager: mean | worst | wave by wave: mean | worst |",
        "|--:|--:|--:|--:|--:|",
    ]
    for lanes, row in facts["lanes"].items():
        eager, waves = row["eager"], row["waves"]
        lines.append(
            f"| {lanes} | {eager['mean']:.3f} | {eager['worst']:.3f} | {waves['mean']:.3f} | {waves['worst']:.3f} |"
        )
    least = min(row["eager"]["mean"] for row in facts["lanes"].values())
    return "\n".join(
        [
            *lines,
            "",
            f"- the bound over the time it took, eagerly: {least:.3f} in the mean at the least; target 0.9",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plans", type=int, default=20, help="by chance, the same ones each time")
    parser.add_argument("--tasks", type=int, default=200, help="of a plan")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: dict[str, Any] = {}
    for lanes in LANES:
        found = ratios(args.plans, args.tasks, lanes)
        rows["any" if lanes == ANY else str(lanes)] = {
            k: {"mean": mean(r), "worst": min(r)} for k, r in found.items()
        }
    facts = {
        "plans": args.plans,
        "tasks": args.tasks,
        "lanes": rows,
        "ready_ms": ready_milliseconds(args.tasks),
    }
    print(json.dumps(facts, indent=2) if args.json else as_markdown(facts))


if __name__ == "__main__":
    main()
