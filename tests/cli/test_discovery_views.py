"""How a loop that improves is seen: status, why, the status line, facts, history, journal, task, doctor; and the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.limits import Limits, Spend, Streak
from loopwright.views import discovery_board, status_line
from tests.support.builders import a_discovery_loop
from tests.support.discovery import AGENT, PAGE, cycle, start_discovery
from tests.support.hook import stop
from tests.support.project import Project

GUARD = "tests stay green=test ! -e broken"


@pytest.fixture
def explored_project(project) -> Project:
    """Three items were found, one is done; the guard is green."""
    made = start_discovery(project(), "--check", GUARD, "--max-iterations", "20")
    stop(made, cycle(found="the menu overlaps; no empty state; a typo"))
    made.write({"title.md": "no typo\n"})
    stop(made, cycle(done="a typo"))
    return made


def broken(here: Project) -> Project:
    here.write({"broken": "x"})
    stop(here, "oops")
    return here


# --- status and why ---


def test_the_board_shows_what_was_found_the_focus_the_streaks_and_the_guards(
    explored_project: Project,
) -> None:
    lines = explored_project.run("status").out.splitlines()

    assert lines[:9] == [
        "▶ running  polish the settings page",
        "  Iteration 3/20 | Cost: $0.00/$25 | 0/480 min",
        "  3 found, 1 fixed, 2 open | preset ui",
        "  focus: explore",
        "  mode: exploration since iteration 3",
        "  backlog: █▅ (3 to 2 open)",
        "    · the menu overlaps",
        "    · no empty state",
        "  idle 0/5 · dry 0/3",
    ]
    assert lines[9] == "  guards 1/1:"
    assert lines[10].startswith("    ✓ tests stay green  ← test ! -e broken  (passed in ")
    assert lines[-1] == "  next: `loop pause`, `loop cancel`"


def test_a_broken_guard_leads_everywhere(explored_project: Project) -> None:
    broken(explored_project)
    board, why = explored_project.run("status").out, explored_project.run("why").out

    assert (
        "  focus: Mend what is broken: tests stay green\n  mode: repair since iteration 4\n"
        in board
    )
    assert "    ✗ tests stay green" in board
    assert why.startswith("running: a guard is broken: tests stay green\n")
    assert "tests stay green: exit 1, output in .loop/evidence/" in why


def test_why_has_every_counter_with_its_limit(explored_project: Project) -> None:
    said = explored_project.run("why").out

    assert said.startswith("running: 3 found, 1 fixed, 2 open\n")
    for row in (
        "stuck       0/5",
        "idle        0/5",
        "dry         0/3",
        "iteration   3/20",
        "dollars     0/25",
    ):
        assert f"  {row}\n" in said
    assert "3 found, 1 fixed, 2 open | preset ui\n" in said


def test_a_guard_that_may_not_run_is_nowhere_said_to_hold(project) -> None:
    """Nobody said yes to it: it holds nothing up, and it proves nothing."""
    here = project()
    here.run("start", "polish it", "--preset", "ui", "--check", "stays green=false", **AGENT)
    here.run("continue", "--unproven")

    shown = here.run("status").out
    while (said := stop(here, "Nothing.")).prompt:
        pass

    assert "waits for `loop allow`" in shown
    assert "✓ stays green" not in shown
    assert "stays green ✓" not in said.message
    assert here.run("status", "--exit-code").code == 10


def test_without_guards_none_are_listed_and_task_mode_is_named(project) -> None:
    said = start_discovery(project(), "--task-mode", "--tasks", "a; b").run("status").out

    assert "guards" not in said
    assert "  2 found, 0 fixed, 2 open | preset ui, task mode\n  focus: a\n" in said


def test_a_pause_says_why_and_how_to_go_on(explored_project: Project) -> None:
    explored_project.run("pause", "lunch")

    said = explored_project.run("status").out
    assert said.startswith("⏸ paused: lunch\n  polish the settings page\n")
    assert "next: `loop continue`" in said
    assert explored_project.run("why").out.startswith("paused: lunch\n")


@pytest.mark.parametrize(
    ("sizes", "bars"),
    [
        pytest.param((0,), "▁", id="nothing yet"),
        pytest.param((0, 1), "▁█", id="the most is a full bar"),
        pytest.param((7, 6, 5, 4, 3, 2, 1, 0), "█▇▆▅▄▃▂▁", id="eight steps"),
        pytest.param((500, 1), "█▁", id="little beside much"),
    ],
)
def test_how_the_backlog_grew_is_a_line_of_bars(sizes: tuple[int, ...], bars: str) -> None:
    assert discovery_board.sparkline(sizes) == bars


def test_a_long_backlog_is_cut_on_the_board(project) -> None:
    here = project()
    here.create(a_discovery_loop(*(f"item {number}" for number in range(1, 15))))

    said = here.run("status").out

    assert "    · item 10\n    … and 4 more\n" in said
    assert "item 11" not in said


# --- the status line ---

LINES: list[tuple[dict[str, Any], str]] = [
    ({}, "loop ▶ running · 1/50 · 0 found, 0 fixed · $0.00/$25"),
    (
        {"backlog": {"found_count": 7, "fixed_count": 4}, "spend": Spend(11, 1.5)},
        "loop ▶ running · 12/50 · 7 found, 4 fixed · $1.50/$25",
    ),
    (
        {
            "status": "paused",
            "why": "5 idle turns",
            "streak": Streak(idle=5),
            "limits": Limits(iterations=20),
        },
        "loop ⏸ paused · 0/20 · 0 found, 0 fixed · $0.00/$25 · 5 idle turns",
    ),
]


@pytest.mark.parametrize(("changes", "shown"), LINES, ids=["at the start", "on the way", "paused"])
def test_the_line(changes: dict[str, Any], shown: str) -> None:
    assert status_line.text(a_discovery_loop("a", **changes)) == shown


def test_the_status_line_of_a_session(explored_project: Project) -> None:
    assert (
        explored_project.run("statusline").out
        == "loop ▶ running · 3/20 · 3 found, 1 fixed · $0.00/$25\n"
    )


# --- facts, history, journal, task ---


def test_facts_have_the_backlog_and_a_spec_loop_has_none(
    explored_project: Project, project
) -> None:
    facts = explored_project.run("status", "--json").json

    assert facts["policy"] == "discovery"
    assert facts["backlog"] == {
        "preset": "ui", "mode": "exploration", "task_mode": False, "focus": "",
        "items": ["the menu overlaps", "no empty state"], "done": ["a typo"], "found": 3, "fixed": 1,
        "idle": 0, "dry": 0, "sizes": [3, 2],
    }  # fmt: skip
    assert explored_project.run("why", "--json").json["backlog"] == facts["backlog"]

    other = project()
    other.start()
    assert "backlog" not in other.run("status", "--json").json


def test_history_tells_how_it_ended_and_what_it_cost(project) -> None:
    here = start_discovery(project(), "--check", GUARD)
    while stop(here, "Nothing.").prompt:
        pass

    said = here.run("history").out.split()
    assert said[1:6] == ["proven", "3", "iterations,", "$0.00", "polish"]
    assert here.run("history", "--json").json[0]["backlog"]["dry"] == 3
    assert here.run("status").out.startswith(
        "✓ finished, proven. The checks pass here and in a clean checkout. You can keep it.\n  polish the settings page\n"
    )


def test_the_journal_names_what_happened_to_the_backlog(explored_project: Project) -> None:
    said = explored_project.run("journal").out

    for told in (
        "ItemsFound items=['the menu overlaps',",
        "CycleCompleted",
        "ItemsDone items=['a typo']",
    ):
        assert told in said
    assert "ModeChosen mode=exploitation" in said
    assert said.index("ItemsFound") < said.index("ItemsDone")


def test_it_is_a_task_record_as_well(explored_project: Project) -> None:
    task = explored_project.run("task", "get").json

    assert (task["subject"], task["status"]) == (
        "Complete: polish the settings page",
        "in_progress",
    )
    assert (task["metadata"]["iteration"], task["metadata"]["maxIterations"]) == (3, 20)


# --- doctor ---


def test_doctor_misses_the_page_before_the_loop_does(explored_project: Project) -> None:
    assert PAGE not in explored_project.run("doctor").out
    (explored_project.root / PAGE).unlink()

    said = explored_project.run("doctor").out
    assert (
        f"! {PAGE} is missing; that pauses the loop\n    fix: loop continue   (rebuilds it)\n"
        in said
    )

    stop(explored_project)
    assert explored_project.run("continue").code == 0
    assert PAGE not in explored_project.run("doctor").out


def test_doctor_knows_the_guards(explored_project: Project) -> None:
    assert "✓ tests stay green: passes" in explored_project.run("doctor").out
    assert "✓ tests stay green: fails" in broken(explored_project).run("doctor").out


def test_what_lies_in_the_aside_is_named(explored_project: Project) -> None:
    (explored_project.root / PAGE).write_bytes(b"\xff\xfe\x00 no text")

    assert (
        "loop-state.local.md could not be read. It is kept as .loop/aside/loop-state.local.md"
        in stop(explored_project).message
    )
    assert (
        "files that could not be read were set aside in .loop/aside"
        in explored_project.run("doctor").out
    )
    assert "- the menu overlaps" in (explored_project.root / PAGE).read_text()


# --- the demo ---


@pytest.mark.long
def test_the_demo_breaks_a_guard_mends_it_and_runs_out_of_things_to_find(tmp_path: Path) -> None:
    """As a stranger sees it: no agent, no network, no configuration."""
    words = [
        sys.executable,
        "-m",
        "loopwright.cli.main",
        "demo",
        "discovery",
        "--folder",
        str(tmp_path / "a shop"),
    ]
    done = subprocess.run(
        words,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    told = [
        "Backlog: empty, so the first turn explores",
        "→ 2 found, 0 fixed, 2 open",
        "✗ tests stay green (exit 1",
        "→ a guard is broken: tests stay green",
        "Focus: mend tests stay green",
        "✓ tests stay green (exit 0",
        "→ 2 found, 2 fixed, exploring",
        "[LOOP] ✓ Finished: 3 explorations in a row found nothing more to do.",
        "Final stats: 2 found, 2 fixed, 0 open | 7 iterations, $0.39",
        "Guards: tests stay green ✓",
        "Journal:",
        "Page:",
        "Evidence:",
    ]
    at = 0
    for words_told in told:  # in this order
        assert words_told in done.stdout[at:], done.stdout
        at = done.stdout.index(words_told, at)
    kept = next((tmp_path / "a shop/.claude/loop-history").iterdir()).read_text()
    assert "## Completed\n\n- total() adds up by hand\n- old_total() is never called\n" in kept
    assert not (tmp_path / "a shop" / PAGE).exists()
