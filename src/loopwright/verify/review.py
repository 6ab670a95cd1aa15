"""A reviewer: a command of the person that reads criteria, diff and evidence and answers in JSON.

The reviewer never sees what the agent says about its own work. Its answer is a code review and
proves nothing else.
"""

from __future__ import annotations

import os
from typing import Any

from ..core.criteria import CODE_REVIEW, Check, Evidence
from ..core.json_text import dumps, json_object
from ..core.loop import Loop
from ..core.prompts.review import ANSWER_FORM, REVIEW_REQUEST, request_fields
from ..disk.files import read_text
from .runner import TAIL_CHARACTERS, Launcher, run_check

MAX_OBJECTIONS = 50
MAX_LOG = 2_000_000
APPROVE, OBJECT = "approve", "object"


def reviewer_input(loop: Loop, diff: str) -> bytes:
    """What the reviewer reads on stdin."""
    return dumps({"asked": REVIEW_REQUEST, **request_fields(loop, diff)}).encode("utf-8", "replace")


def run_reviewer(
    check: Check,
    name: str,
    tree: str,
    root: str,
    loop_path: str,
    pass_env: tuple[str, ...],
    feed: bytes,
    launcher: Launcher | None = None,
) -> Evidence:
    """Run the reviewer; an answer in another form counts as missing, and the detail says so."""
    evidence = run_check(check, name, tree, root, loop_path, pass_env, feed=feed, launcher=launcher)
    evidence = evidence.but(kind=CODE_REVIEW, counts=(), failures=None)
    output = evidence.detail
    if len(output) >= TAIL_CHARACTERS:  # it may be cut
        output = read_text(os.path.join(loop_path, evidence.log), MAX_LOG) or ""
    answer = parse_answer(output)
    if evidence.code != 0:
        problem = f"the reviewer: {evidence.result_text}"
    elif answer is None:
        problem = f"no answer in the form {ANSWER_FORM}"
    else:
        approved, objections = answer
        return evidence.but(
            passed=approved and not objections, detail="\n".join(objections) or "no objection"
        )
    detail = f"{problem}\n{evidence.detail[-1_000:]}"
    return evidence.but(passed=False, outcome="missing", detail=detail)


def parse_answer(text: str) -> tuple[bool, list[str]] | None:
    """Whether the reviewer approves, and its objections; None without an answer in the form."""
    lines = text.strip().splitlines()
    outer_braces = text[text.find("{") : text.rfind("}") + 1]
    for attempt in (text, *reversed(lines[-20:]), outer_braces):
        answer = json_object(attempt)
        if answer and answer.get("verdict") in (APPROVE, OBJECT):
            return _read_answer(answer)
    return None


def _read_answer(answer: dict[str, Any]) -> tuple[bool, list[str]]:
    approved = answer["verdict"] == APPROVE
    listed = answer.get("objections")
    objections = []
    if isinstance(listed, list):
        objections = [_objection_text(objection) for objection in listed[:MAX_OBJECTIONS]]
    if not objections and not approved:
        objections = ["(without a reason)"]
    return approved, objections


def _objection_text(objection: Any) -> str:
    if not isinstance(objection, dict):
        return str(objection)[:500]
    location = str(objection.get("file", ""))
    if objection.get("line"):
        location += f":{objection['line']}"
    problem = str(objection.get("problem", ""))[:500]
    return f"{location[:200]}: {problem}".removeprefix(": ")
