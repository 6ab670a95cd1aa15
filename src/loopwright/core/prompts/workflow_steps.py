"""Step 0 and the usual steps of each workflow."""

from __future__ import annotations

STEP_ZERO = {
    "A": "compare at least two libraries, or say why none fits",
    "B": "name the root cause before any workaround",
    "C": "delete what is not needed before redesigning; say what was deleted",
}
USUAL_STEPS = {
    "A": (
        "Read what exists around the change",
        "Build the smallest version that works",
        "Cover it with tests",
        "Verify every criterion",
    ),
    "B": (
        "Reproduce the failure",
        "Fix the root cause",
        "Run everything that could be affected",
        "Verify every criterion",
    ),
    "C": (
        "Pin the behaviour down with tests",
        "Remove what is dead",
        "Reshape what is left",
        "Verify every criterion",
    ),
}
