"""loop statusline: one line about the loop of the session's folder, and silence where there is none."""

from __future__ import annotations

import json

import pytest

from loopwright.core.limits import Limits, Spend
from loopwright.core.loop import Gate
from loopwright.views import status_line
from tests.support.builders import a_loop


def test_it_says_iteration_criteria_cost_and_state(project) -> None:
    here = project({"sub/a.txt": "a"})
    here.start()
    said = json.dumps(
        {"session_id": "s", "cwd": "/", "workspace": {"current_dir": str(here.root / "sub")}}
    )

    shown = here.run("statusline", stdin=said, at="sub").out

    assert shown == "loop ▶ running · 1/10 · ▱ 0/1 · $0.00/$25\n"


@pytest.mark.parametrize("said", ["", "{}", "[]", "not json", '{"workspace": 5}', '{"cwd": 7}'])
def test_without_a_folder_named_it_is_the_one_we_are_in(project, said: str) -> None:
    here = project()
    assert here.run("statusline", stdin=said).out == ""
    here.start()
    assert here.run("statusline", stdin=said).out.startswith("loop ▶ running")


def test_another_folder_than_ours_is_meant_where_it_is_named(project) -> None:
    here, other = project(), project()
    here.start()

    assert here.run("statusline", stdin=json.dumps({"cwd": str(other.root)})).out == ""


def test_trouble_is_no_matter_for_a_status_line(project) -> None:
    here = project()
    here.start()
    (here.root / ".loop/journal.jsonl").write_text("garbage\n" * 3)

    said = here.run("statusline")

    assert (said.code, said.out, said.err) == (0, "", "")


@pytest.mark.parametrize(
    ("loop", "shown"),
    [
        (
            a_loop(spend=Spend(iterations=3, dollars=1.234)),
            "loop ▶ running · 4/10 · ▱ 0/1 · $1.23/$25",
        ),
        (
            a_loop(
                status="paused",
                why="budget of $25 reached",
                spend=Spend(iterations=3, dollars=25.5),
            ),
            "loop ⏸ paused · 3/10 · ▱ 0/1 · $25.50/$25 · budget of $25 reached",
        ),
        (
            a_loop(status="asking", gate=Gate("G1", "Here are 2 steps. Proceed?")),
            "loop ? asking · 0/10 · ▱ 0/1 · $0.00/$25 · Here are 2 steps. Proceed?",
        ),
        (a_loop(spend=Spend(unpriced=("m",))), "loop ▶ running · 1/10 · ▱ 0/1 · $?/$25"),
        (
            a_loop(spend=Spend(iterations=10), limits=Limits(iterations=10)),
            "loop ▶ running · 10/10 · ▱ 0/1 · $0.00/$25",
        ),
        (a_loop(criteria=()), "loop ▶ running · 1/10 ·  0/0 · $0.00/$25"),
    ],
)
def test_the_line(loop, shown: str) -> None:
    assert status_line.text(loop) == shown


@pytest.mark.parametrize(
    ("part", "whole", "bar"),
    [
        (0, 0, ""),
        (0, 3, "▱▱▱"),
        (2, 3, "▰▰▱"),
        (3, 3, "▰▰▰"),
        (10, 20, "▰▰▰▰▰▱▱▱▱▱"),
        (1, 100, "▱▱▱▱▱▱▱▱▱▱"),
        (99, 100, "▰▰▰▰▰▰▰▰▰▱"),
    ],
)
def test_the_bar_is_full_only_when_all_is(part: int, whole: int, bar: str) -> None:
    assert status_line.progress_bar(part, whole) == bar
