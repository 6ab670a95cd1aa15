"""The built-in reviewer: which of its objections count, and what becomes of the others."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.second_eyes.answers import ASKED
from tests.sandbox.user import needs_bwrap
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import script
from tests.torture.size import every

pytestmark = [needs_bwrap, pytest.mark.sandbox]
# A sandbox hides what is below /tmp, where this clone and its .venv may be.
PYTHON = f"{os.path.realpath(sys.executable)} -S"
CHECK = f"works={PYTHON} -m unittest -q test_cart"
FILES = {
    "cart.py": "def total(prices):\n    return 0\n",
    "test_cart.py": (
        "import unittest\nfrom cart import total\n\n\nclass Cart(unittest.TestCase):\n"
        "    def test_two(self):\n        self.assertEqual(total([1, 2]), 3)\n"
    ),
}
WRONG = "def total(prices):\n    return prices[0] + prices[1]\n"  # as the one test wants it
RIGHT = "def total(prices):\n    return sum(prices)\n"
ALL_WELL = dict.fromkeys(ASKED, "no")


def objection(problem: str, command: str = "", **more: Any) -> dict[str, Any]:
    return {"question": "missing", "problem": problem, "command": command, **more}


def asserts(text: str) -> str:
    return f'{PYTHON} -c "from cart import total; assert {text}"'


def answer(*objections: Any, **answers: str) -> str:
    said = {**ALL_WELL, **({"missing": "yes"} if objections else {}), **answers}
    return json.dumps({"answers": said, "objections": list(objections)})


@pytest.fixture
def reviewed(project, monkeypatch, tmp_path):
    """A project whose loop has a reviewer with this answer."""
    monkeypatch.delenv("LOOP_SANDBOX")  # the default

    def begin(text: str) -> Project:
        here: Project = project(FILES)
        path = tmp_path / "review.json"
        path.write_text(json.dumps({"turns": [{"say": text}]}))
        words = ("--check", CHECK, "--review", f"script:{path}", "--score", "9", "--yes")
        words += ("--iterations", "1")
        said = here.run("start", "make total of cart.py the sum of all prices", *words)
        assert said.code == 0, said.err
        return here

    return begin


def work(here: Project, text: str) -> Any:
    """Play a worker that writes this cart.py and claims the end."""
    claim = block({"works": True}, exit=True)
    turn = {"write": {"cart.py": text}, "say": claim}
    return here.run("run", "--script", script(here, turn))


def test_of_five_objections_exactly_the_two_with_a_red_command_go_back(reviewed):
    test_file = {
        "path": "test_more.py",
        "test": "from cart import total\nassert total([4]) == 4\n",
    }
    here = reviewed(
        answer(
            objection("three prices", asserts("total([1, 2, 3]) == 6"), file="cart.py", line=2),
            objection("one price", f"{PYTHON} test_more.py", **test_file),
            objection("two prices", asserts("total([2, 2]) == 4")),
            objection("badly named"),
            objection("a docstring is missing", file="cart.py", line=1),
        )
    )

    work(here, WRONG)

    loop = here.loop
    proof = loop.final_checks[0].proof
    assert not proof.passed
    assert "cart.py:2: three prices" in proof.detail
    assert "one price" in proof.detail
    assert "AssertionError" in proof.detail
    assert not any(word in proof.detail for word in ("two prices", "badly", "docstring"))
    assert proof.notes == (
        "two prices (not counted: its command passes)",
        "badly named (not counted: no command shows it)",
        "cart.py:1: a docstring is missing (not counted: no command shows it)",
    )


def test_an_honest_work_is_not_refused_and_the_notes_are_in_the_receipt(reviewed):
    here = reviewed(answer(objection("three prices", asserts("total([1, 2, 3]) == 6"))))

    said = work(here, RIGHT)

    assert said.code == 0, said.out
    assert here.ended.verdict.grade == "proven"
    assert "three prices (not counted: its command passes)" in here.run("receipt").out


UNCOUNTED = {
    "always red": ("exit 1", "it looks at nothing of it"),
    "always red in a test": (f'{PYTHON} -c "assert False"', "it looks at nothing of it"),
    "no such program": ("no-such-program --check", "it cannot run"),
    "against a test of the start": (
        asserts("total([1, 2]) == 4"),
        "contradicts a test of the start",
    ),
}


@pytest.mark.parametrize("name", every(2, [*UNCOUNTED]))
def test_what_does_not_count(reviewed, name):
    command, why = UNCOUNTED[name]
    here = reviewed(answer(objection("it is wrong", command)))

    work(here, RIGHT)

    (note,) = here.ended.final_checks[0].proof.notes
    assert why in note


def test_a_command_that_deletes_or_writes_outside_harms_nothing(reviewed):
    home = Path(os.environ["HOME"])
    (home / "kept").write_text("x")
    evil = f"rm -rf {home}/kept * .git; echo x > {home}/made; curl -s http://127.0.0.1:1; exit 1"
    here = reviewed(answer(objection("gone", evil)))

    work(here, RIGHT)

    assert (home / "kept").exists()
    assert not (home / "made").exists()
    assert (here.root / "cart.py").read_text() == RIGHT


NO_ANSWERS = {
    "no JSON": "looks fine to me",
    "approves without an answer": '{"answers": {}, "objections": []}',
    "one question is left out": json.dumps({"answers": {"missing": "no"}, "objections": []}),
    "ten megabytes": "x" * 10_000_000,
    "a list": "[]",
}


@pytest.mark.parametrize(
    "text",
    [
        # test_hostile_answers.py reads others without a loop.
        pytest.param(text, id=name, marks=() if name == "ten megabytes" else pytest.mark.long)
        for name, text in NO_ANSWERS.items()
    ],
)
def test_a_reviewer_without_a_complete_answer_is_the_persons_matter(reviewed, text):
    here = reviewed(text)

    said = work(here, RIGHT)

    assert "review cannot be run: the reviewer: " in said.out
    assert here.loop.status == "paused"


def test_without_a_sandbox_it_does_not_start(project, monkeypatch, tmp_path):
    (tmp_path / "r.json").write_text('{"turns": [{"say": "x"}]}')
    monkeypatch.setenv("LOOP_SANDBOX", "off")
    here = project(FILES)

    said = here.run(
        "start",
        "x",
        "--check",
        CHECK,
        "--review",
        f"script:{tmp_path}/r.json",
        "--yes",
        "--score",
        "9",
    )

    assert said.code == 1
    assert "a second agent works only in an enforced sandbox" in said.err
