"""The reviewer's answer: one JSON object in a fixed form, wherever it stands in what was printed; anything else is none."""

from __future__ import annotations

import json

import pytest

from loopwright.core.criteria import Claim
from loopwright.verify.review import parse_answer, reviewer_input
from tests.support.builders import a_loop, proof, with_check, without_check

ANSWERS = {
    "approved": ('{"verdict": "approve", "objections": []}', (True, [])),
    "after other words": ('I have read it.\n{"verdict": "approve"}', (True, [])),
    "in a fence": ('```json\n{\n  "verdict": "approve"\n}\n```', (True, [])),
    "with objections": (
        '{"verdict": "object", "objections": [{"file": "a.py", "line": 3, "problem": "wrong"}, "and ugly"]}',
        (False, ["a.py:3: wrong", "and ugly"]),
    ),
    "approved, and yet": (
        '{"verdict": "approve", "objections": [{"problem": "wrong"}]}',
        (True, ["wrong"]),
    ),
    "without a reason": ('{"verdict": "object"}', (False, ["(without a reason)"])),
    "another word": ('{"verdict": "ship it"}', None),
    "another form": ('{"approve": true}', None),
    "no JSON": ("looks fine to me", None),
    "a list": ('["approve"]', None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("text", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_answered(text, answer):
    assert parse_answer(text) == answer


def test_the_question_has_what_we_saw_and_nothing_that_the_worker_thinks():
    claimed = without_check(
        "docs read well", claim=Claim("docs read well", True, "observation", "I find it splendid")
    )
    loop = a_loop(
        criteria=(with_check("tests pass", proof=proof("tests pass", detail="3 passed")), claimed),
        guidance="hurry",
        confidence=99,
        risk="none at all",
    )

    said = reviewer_input(loop, "+x").decode()

    asked = json.loads(said)
    assert asked["criteria"][0] == {
        "name": "tests pass",
        "command": "pytest -q",
        "exit": 0,
        "seconds": 0.0,
        "output": "3 passed",
    }
    assert asked["criteria"][1] == {"name": "docs read well", "evidence": None}
    assert asked["diff"] == "+x"
    assert not any(word in said for word in ("splendid", "hurry", "99", "none at all"))


def test_a_diff_without_end_is_cut():
    assert len(reviewer_input(a_loop(), "x" * 2_000_000)) < 500_000
