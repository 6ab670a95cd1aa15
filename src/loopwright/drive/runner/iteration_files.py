"""The documented files of a headless run, in .loop/.

iterations.jsonl has a line for each turn; summary.md is written at the end.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

from ...core.loop import Loop, run_of
from ...core.runner.run import RunnerReport
from ...core.signals import TurnOver
from ...core.status import ENDED
from ...disk.files import open_private, remove_file, write_atomic
from ...store.folder import LoopFolder

ITERATIONS, SUMMARY = "iterations.jsonl", "summary.md"


def remove_earlier_files(folder: LoopFolder) -> None:
    """Remove the files of an earlier loop, which are in its archive."""
    for name in (ITERATIONS, SUMMARY):
        remove_file(folder.path_of(name))


def append_iteration(folder: LoopFolder, before: Loop, after: Loop, turn: TurnOver) -> None:
    with open(folder.path_of(ITERATIONS), "a", encoding="utf-8", opener=open_private) as file:
        file.write(json.dumps(iteration_record(before, after, turn), ensure_ascii=False) + "\n")


def iteration_record(before: Loop, after: Loop, turn: TurnOver) -> dict[str, Any]:
    report = turn.runner_report
    assert report is not None
    if turn.lane_result:
        from ...views.plan_board import lane_seconds

        seconds = lane_seconds(turn, before)
    else:
        seconds = turn.at - run_of(before).turn_started_at
    return {
        "iteration": before.spend.iterations + 1,
        "step": turn.lane_result.task if turn.lane_result else before.next_step[:200],
        "status": _iteration_status(report, turn, after),
        "cost": round(turn.dollars, 6),
        "total": round(after.spend.dollars, 6),
        "agent": report.agent,
        "seconds": round(seconds, 1),
        "criteria": {c.name: after.is_met(c) for c in after.criteria},
    }


def _iteration_status(report: RunnerReport, turn: TurnOver, after: Loop) -> str:
    if report.usage_limited:
        return "limited"
    if turn.api_failure:
        return "failed"
    if report.cut_reason:
        return "interrupted"
    return after.status if after.status != "running" else "continued"


def write_run_summary(folder: LoopFolder, loop: Loop) -> None:
    if loop.plan:
        from ..plans.plan_files import write_phase_summary

        write_phase_summary(folder, loop)
    else:
        from ...views.report import summary  # once, at the end of a run

        write_atomic(folder.path_of(SUMMARY), summary(loop).encode())
    archive = folder.path_of("history", loop.id)
    if loop.status in ENDED and os.path.isdir(archive):
        for name in (ITERATIONS, SUMMARY):
            if os.path.exists(folder.path_of(name)):
                shutil.copy(folder.path_of(name), os.path.join(archive, name))
