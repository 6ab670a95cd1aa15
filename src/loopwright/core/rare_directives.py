"""Directives that an ordinary Stop does not end with. Use them through `directives.py`."""

from __future__ import annotations

from .criteria import Check
from .record import Record


class Ask(Record):
    """Let the agent stop and wait for a person."""

    question: str
    message: str = ""
    answers_prompt: bool = True  # after a prompt: the person answers, the agent has nothing to do


class Wait(Record):
    """Let the agent stop until then: it cannot work before."""

    until: float
    why: str
    message: str = ""


class RunCheck(Record):
    """Run this check and send its evidence back with the same round and fence."""

    check: Check
    criterion: str
    round: int
    fence: int
    tree: str
    message: str = ""


class CompareWithBaseline(Record):
    """Every criterion is met: compare the tree with the baseline."""

    round: int
    fence: int
    tree: str
    message: str = ""


class HashTree(Record):
    """Everything supports the claim: hash the files once more, as the last act of the proof."""

    round: int
    fence: int
    tree: str
    message: str = ""


class RunInRoom(Record):
    """Run every check in a clean checkout: one of the runs of `room.RUN_ORDER`."""

    kind: str
    round: int
    fence: int
    tree: str
    message: str = ""


class MergeLane(Record):
    """The task's checks pass on the lane's commit: merge it into the main checkout."""

    task: str
    commit: str
    message: str = ""
