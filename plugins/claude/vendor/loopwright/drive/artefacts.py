"""The seeds' two files of a headless run, in .loop/: iterations.jsonl, a line a turn, and summary.md at its end."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from typing import Any

from ..core.loop import ENDED, Loop
from ..core.running import run_of
from ..core.signals import TurnOver
from ..store.folder import LoopFolder
from ..store.journal import write_atomic
from ..verify.plumbing import private
from ..views import executing, report
from . import papers

ITERATIONS, SUMMARY = "iterations.jsonl", "summary.md"


def begin(folder: LoopFolder) -> None:
    """The files of an earlier loop lie in its archive."""
    for name in (ITERATIONS, SUMMARY):
        with suppress(FileNotFoundError):
            os.remove(folder.inside(name))


def add(folder: LoopFolder, before: Loop, after: Loop, turn: TurnOver) -> None:
    with open(folder.inside(ITERATIONS), "a", encoding="utf-8", opener=private) as file:
        file.write(json.dumps(line(before, after, turn), ensure_ascii=False) + "\n")


def line(before: Loop, after: Loop, turn: TurnOver) -> dict[str, Any]:
    told = turn.told
    assert told is not None
    if told.limited or turn.failure:
        status = "limited" if told.limited else "failed"
    else:
        status = "interrupted" if told.cut else after.status if after.status != "running" else "continued"
    seconds = executing.seconds(turn, before) if turn.lane else turn.at - run_of(before).begun
    return {
        "iteration": before.spend.iterations + 1,
        "step": turn.lane.task if turn.lane else before.next_step[:200],
        "status": status,
        "cost": round(turn.dollars, 6),
        "total": round(after.spend.dollars, 6),
        "agent": told.agent,
        "seconds": round(seconds, 1),
        "criteria": {c.name: after.is_met(c) for c in after.criteria},
    }


def finish(folder: LoopFolder, loop: Loop) -> None:
    if loop.plan:
        papers.summarise(folder, loop)
    else:
        write_atomic(folder.inside(SUMMARY), report.summary(loop).encode())
    archive = folder.inside("history", loop.id)
    if loop.status in ENDED and os.path.isdir(archive):
        for name in (ITERATIONS, SUMMARY):
            if os.path.exists(folder.inside(name)):
                shutil.copy(folder.inside(name), os.path.join(archive, name))
