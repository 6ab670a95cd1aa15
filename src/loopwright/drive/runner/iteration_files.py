"""The seeds' two files of a headless run, in .loop/: iterations.jsonl, a line a turn, and summary.md at its end."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from typing import Any

from ...core.loop import Loop, run_of
from ...core.signals import TurnOver
from ...core.status import ENDED
from ...disk.files import open_private, write_atomic
from ...store.folder import LoopFolder
from ...views import plan_board, report
from .. import plan_files

ITERATIONS, SUMMARY = "iterations.jsonl", "summary.md"


def remove_earlier_files(folder: LoopFolder) -> None:
    """The files of an earlier loop lie in its archive."""
    for name in (ITERATIONS, SUMMARY):
        with suppress(FileNotFoundError):
            os.remove(folder.path_of(name))


def append_iteration(folder: LoopFolder, before: Loop, after: Loop, turn: TurnOver) -> None:
    with open(folder.path_of(ITERATIONS), "a", encoding="utf-8", opener=open_private) as file:
        file.write(json.dumps(iteration_record(before, after, turn), ensure_ascii=False) + "\n")


def iteration_record(before: Loop, after: Loop, turn: TurnOver) -> dict[str, Any]:
    told = turn.runner_report
    assert told is not None
    if told.usage_limited or turn.api_failure:
        status = "limited" if told.usage_limited else "failed"
    else:
        status = (
            "interrupted"
            if told.cut_reason
            else after.status
            if after.status != "running"
            else "continued"
        )
    seconds = (
        plan_board.lane_seconds(turn, before)
        if turn.lane_result
        else turn.at - run_of(before).turn_started_at
    )
    return {
        "iteration": before.spend.iterations + 1,
        "step": turn.lane_result.task if turn.lane_result else before.next_step[:200],
        "status": status,
        "cost": round(turn.dollars, 6),
        "total": round(after.spend.dollars, 6),
        "agent": told.agent,
        "seconds": round(seconds, 1),
        "criteria": {c.name: after.is_met(c) for c in after.criteria},
    }


def write_run_summary(folder: LoopFolder, loop: Loop) -> None:
    if loop.plan:
        plan_files.write_phase_summary(folder, loop)
    else:
        write_atomic(folder.path_of(SUMMARY), report.summary(loop).encode())
    archive = folder.path_of("history", loop.id)
    if loop.status in ENDED and os.path.isdir(archive):
        for name in (ITERATIONS, SUMMARY):
            if os.path.exists(folder.path_of(name)):
                shutil.copy(folder.path_of(name), os.path.join(archive, name))
