"""Workflow: build, debug or refactor, by the words of the spec, each with a gate that comes before step 1."""

from __future__ import annotations

import re

from .loop import Workflow

WORKFLOW_WORDS = {
    "A": ("add", "implement", "create", "new feature", "build", "write", "support"),
    "B": ("fix", "debug", "broken", "error", "fail", "bug", "crash", "regression", "green"),
    "C": (
        "refactor",
        "clean up",
        "cleanup",
        "reorganize",
        "reorganise",
        "migrate",
        "rename",
        "simplify",
        "restructure",
    ),
}
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
# What is slow or hard to take back. 2A (seconds) is what remains.
TYPE_1 = (
    "schema",
    "public api",
    "database",
    "production",
    "drop table",
    "delete data",
    "breaking change",
    "release",
)
TYPE_2B = ("dependenc", "upgrade", "refactor", "migrate", "restructure")
ADVERSARIAL = (
    "scope creep: could the spec be read as asking for more?",
    "another reading: what else could its words mean?",
    "an edge case: which input breaks the obvious solution?",
    "false completion: how could every criterion pass and the work still be wrong?",
    "a constraint in conflict: which two demands cannot both hold?",
    "an invented solution: what would be built that nobody asked for?",
    "the wrong audience: who else is affected?",
)


def detect_workflow(spec: str) -> Workflow:
    """Most hits win; a tie goes to B, then C, then A. No hit at all is A, and marked unsure."""
    low = spec.lower()
    hits = {
        letter: sum(len(re.findall(rf"\b{word}", low)) for word in words)
        for letter, words in WORKFLOW_WORDS.items()
    }
    most = max(hits.values())
    letter = next(letter for letter in "BCA" if hits[letter] == most) if most else "A"
    return Workflow(letter, STEP_ZERO[letter], sure=most > 0)


def reversibility(spec: str) -> str:
    """2A: back in a minute. 2B: in five, so each step wants a checkpoint. 1: hours, so the spec wants an attack first."""
    low = re.sub(
        r"\b(no|without|not|never)( \w+){1,2}", "", spec.lower()
    )  # «no new dependencies» touches none
    if any(word in low for word in TYPE_1):
        return "1"
    return "2B" if any(word in low for word in TYPE_2B) else "2A"
