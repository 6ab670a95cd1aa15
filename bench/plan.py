"""Measure how close plans come to the lower bound: their schedule, and a whole run in lanes.

python bench/plan.py [--plans N] [--tasks N] [--json]

The bound is the longest chain of tasks, all tasks of one file, or all work divided evenly among the
lanes. Families: plain; files that several tasks share; skewed durations, unknown and as learnt from
an earlier run; two hot files that one task in eight changes. The whole run is that of plan_run.py.
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

from tests.support.schedules import (  # noqa: E402
    ANY,
    WIDTHS,
    Hours,
    bound,
    makespan,
    random_plan,
    skewed_hours,
    with_hot_files,
    with_shared_files,
)

from bench import plan_run  # noqa: E402
from loopwright.core.plan.plan import Plan  # noqa: E402
from loopwright.core.plan.schedule import ready_tasks  # noqa: E402

LANES = (2, 4, 8, 16, ANY)


def make_plan(family: str, seed: int, tasks: int) -> tuple[Plan, Hours]:
    plan, hours = random_plan(seed, tasks, WIDTHS[seed % len(WIDTHS)])
    if family == "shared files":
        return with_shared_files(plan, seed), hours
    if family == "hot files":
        return with_hot_files(plan, seed), hours
    if family.startswith("skewed"):
        hours = skewed_hours(plan, seed)
        if family.endswith("learnt"):
            plan = plan.but(durations=tuple(hours.items()))
    return plan, hours


FAMILIES = ("plain", "shared files", "hot files", "skewed", "skewed, learnt")


def ratios(family: str, plans: int, tasks: int, lanes: int) -> dict[str, list[float]]:
    """The bound divided by the time it took, plan by plan; each width occurs equally often."""
    shares: dict[str, list[float]] = {"eager": [], "waves": []}
    for seed in range(plans):
        plan, hours = make_plan(family, seed, tasks)
        least = bound(plan, hours, lanes)
        for kind, eager in (("eager", True), ("waves", False)):
            shares[kind].append(least / makespan(plan.but(eager=eager), hours, lanes))
    return shares


def ready_milliseconds(tasks: int) -> float:
    plan, _ = random_plan(0, tasks)
    began = time.perf_counter()
    for _ in range(100):
        ready_tasks(plan.but(eager=True))
    return (time.perf_counter() - began) * 10


def as_markdown(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['plans']} random plans of {facts['tasks']} tasks; "
        f"`ready` takes {facts['ready_ms']:.2f} ms",
        "",
        "| plans | lanes | eager: mean | worst | wave by wave: mean | worst |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    for family, rows in facts["families"].items():
        for lanes, row in rows.items():
            eager, waves = row["eager"], row["waves"]
            lines.append(
                f"| {family} | {lanes} | {eager['mean']:.3f} | {eager['worst']:.3f} "
                f"| {waves['mean']:.3f} | {waves['worst']:.3f} |"
            )
    least = {
        family: min(row["eager"]["mean"] for row in rows.values())
        for family, rows in facts["families"].items()
    }
    verdict = ", ".join(f"{family} {value:.3f}" for family, value in least.items())
    summary = f"- bound / time, eager, lowest mean: {verdict}; target 0.9"
    return "\n".join([*lines, "", summary, plan_run.as_markdown(facts["run"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--plans", type=int, default=5, help="number of random plans, the same ones each time"
    )
    parser.add_argument("--tasks", type=int, default=200, help="number of tasks in a plan")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    families: dict[str, Any] = {}
    for family in FAMILIES:
        rows = families[family] = {}
        for lanes in LANES:
            shares = ratios(family, args.plans, args.tasks, lanes)
            rows["any" if lanes == ANY else str(lanes)] = {
                kind: {"mean": mean(values), "worst": min(values)}
                for kind, values in shares.items()
            }
    facts = {
        "plans": args.plans,
        "tasks": args.tasks,
        "families": families,
        "ready_ms": ready_milliseconds(args.tasks),
        "run": plan_run.measure_run(HERE.parent / "src"),
    }
    print(json.dumps(facts, indent=2) if args.json else as_markdown(facts))


if __name__ == "__main__":
    main()
