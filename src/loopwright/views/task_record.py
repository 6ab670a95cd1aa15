"""The task record in the documented format, with all its fields, as a view of the loop."""

from __future__ import annotations

import time
from typing import Any

from ..core.loop import Loop
from ..core.prompts.parts import spec_summary

TASK_STATUS = {
    "finished": "completed",
    "cancelled": "completed",
    "asking": "in_progress",
    "running": "in_progress",
    "paused": "pending",
}


def task_record(loop: Loop) -> dict[str, Any]:
    criteria = "\n".join(f"- {c.name}" for c in loop.criteria)
    return {
        "id": loop.id,
        "subject": f"Complete: {spec_summary(loop, 60)}",
        "description": f"{loop.spec}\n\nSuccess criteria:\n{criteria}",
        "status": TASK_STATUS.get(loop.status, loop.status),
        "metadata": {
            "iteration": loop.spend.iterations + (loop.status in ("running", "asking")),
            "cost": round(loop.spend.dollars, 4),
            "shape": loop.shape.name,
            "budget": loop.limits.dollars,
            "maxIterations": loop.limits.iterations,
            "startedAt": utc_time(loop.clock.started_at),
            "lastCheckpoint": utc_time(loop.clock.checkpoint_at),
            "completedSteps": [step.name for step in loop.completed_steps],
            "remainingSteps": [step.name for step in loop.remaining_steps],
            "errors": list(loop.dialogue.errors),
        },
    }


def utc_time(at: float) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) if at else None
