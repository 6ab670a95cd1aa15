"""A loop that improves without an end: the agent finds and fixes, a guard steers it, a person edits its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.discovery import AGENT, PAGE, cycle, edit, page, section, start_discovery
from tests.support.hook import (
    OTHER,
    block,
    event,
    prompts,
    run_hook,
    stop,
    types,
)
from tests.support.project import Project

WHOLE, TORN = "<html><menu></menu></html>\n", "<html><menu>\n"
GUARD = "grep -q '</html>' settings.html || { echo the page has no end; exit 1; }"


@pytest.fixture
def guarded(project) -> Project:
    """With a guard that is green now, and two items."""
    here = project({"settings.html": WHOLE})
    return start_discovery(
        here, "--check", f"tests stay green={GUARD}", "--tasks", "the menu overlaps; no empty state"
    )


# --- the story of the issue ---


def test_from_the_start_over_findings_and_a_red_guard_to_the_next_item(project) -> None:
    here = project({"settings.html": WHOLE})
    flags = ("--max-iterations", "20", "--check", f"tests stay green={GUARD}")
    started = here.run("start", "--preset", "ui", "polish the settings page", *flags)
    assert started.code == 0, started.err

    told = prompts(here, "let us begin").prompt
    assert "🔄 Iteration 1 of 20\n📊 Progress: 0 found, 0 fixed, 0 open" in told
    assert "🔍 EXPLORATION: The backlog is empty" in told
    assert "- Scope: polish the settings page" in told

    told = stop(here, cycle(found="the menu overlaps; no empty state")).prompt
    assert "🔄 Iteration 2 of 20\n📊 Progress: 2 found, 0 fixed, 2 open" in told
    assert "🎯 Go on with: the menu overlaps" in told, (
        "findings are worked off; nobody is sent to explore once more"
    )
    assert section(here, "Backlog") == "- the menu overlaps\n- no empty state"

    here.write({"settings.html": TORN})
    told = stop(here, "The menu is mended, I think.").prompt
    assert "🛠️ Mend what is broken: tests stay green" in told
    assert "the page has no end" in told, "the agent sees what the guard printed"
    assert section(here, "Current Focus") == "Mend what is broken: tests stay green"
    assert (
        "focus: Mend what is broken: tests stay green\n  mode: repair since iteration 3"
        in here.run("status").out
    )

    here.write({"settings.html": WHOLE})
    told = stop(here, cycle(done="the menu overlaps")).prompt
    assert "🛠️" not in told
    assert "📊 Progress: 2 found, 1 fixed, 1 open" in told
    assert "🔍 EXPLORATION: A cycle is complete" in told
    assert section(here, "Completed") == "- the menu overlaps"
    assert "Mend" not in page(here) + here.run("status").out


# --- task mode ---


def test_in_task_mode_a_cycle_is_the_end_of_one_task_whatever_it_is_called(project) -> None:
    here = start_discovery(
        project({"settings.html": WHOLE}),
        "--task-mode",
        "--tasks",
        "rename the menu; sort the list; shrink the logo",
    )

    told = stop(here, "still at it").prompt
    assert "🎯 Your one task, since iteration 1: rename the menu\n(2 more wait behind it.)" in told
    assert "sort the list" not in told

    told = stop(here, cycle(done="gave it a better name")).prompt
    assert "🎯 Your one task, since iteration 3: sort the list" in told
    assert section(here, "Completed") == "- rename the menu"
    assert section(here, "Current Focus") == "sort the list"

    told = stop(here, cycle(done="shrink the logo")).prompt
    assert "Your one task, since iteration 3: sort the list" in told, (
        "another open item was named; this one is not done"
    )

    assert "🔍 EXPLORATION: The backlog is empty" in stop(here, cycle(done="sorted")).prompt


# --- sessions, questions, the end ---


def test_another_session_goes_on_where_the_first_one_ended(guarded: Project) -> None:
    stop(guarded, cycle(done="the menu overlaps"))
    run_hook(event("SessionEnd", guarded, reason="other"))

    types(guarded, "/loop:ui --resume", OTHER)
    said = guarded.run("start", "--preset", "ui", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=OTHER)

    assert said.code == 0, said.err
    assert "🔄 Iteration 2 of 50\n📊 Progress: 2 found, 1 fixed, 1 open" in said.out
    assert guarded.loop.lease.holder == OTHER
    assert "🔄 Iteration 3 of 50" in stop(guarded, "working", OTHER).prompt
    assert stop(guarded, "and I?").prompt == ""


def test_cancel_reports_archives_the_page_and_lets_go(guarded: Project) -> None:
    stop(guarded, cycle(done="the menu overlaps", found="a typo"))
    last = page(guarded)
    said = types(guarded, "/loop:cancel").reply

    assert said is not None
    assert said["reason"].splitlines() == [
        "Loop cancelled.",
        "Scope was: polish the settings page",
        "Final stats: 3 found, 1 fixed, 2 open | 1 iteration, $0.00",
        "Guards: tests stay green ✓",
    ]
    assert not (guarded.root / PAGE).exists()
    kept = next((guarded.root / ".claude/loop-history").iterdir()).read_text()
    assert kept.replace("iteration: 1\n", "iteration: 2\n") == last, (
        "only the count differs: no second iteration came"
    )
    assert stop(guarded, "anything else?").reply is None


@pytest.mark.parametrize("folder", ["my project", "it's (mine)", "ünï 🦊"])
def test_s29_a_path_with_spaces_and_a_stop_in_a_subfolder(tmp_path: Path, folder: str) -> None:
    here = Project(tmp_path / folder, {"settings.html": WHOLE, "src/deep down/a.css": "a {}\n"})
    start_discovery(here, "--check", f"green={GUARD}", at="src/deep down")

    told = stop(here, cycle(found="a typo"), cwd=str(here.root / "src/deep down")).prompt

    assert "🎯 Go on with: a typo" in told
    assert section(here, "Backlog") == "- a typo"


# --- the page, by hand ---


def test_s9_a_persons_item_in_brackets_is_named_next_and_their_comment_is_left_alone(
    guarded: Project,
) -> None:
    edit(
        guarded,
        "- no empty state",
        "- no empty state\n- fix menu (mobile)  <!-- Anna asked twice -->\n<!-- mine -->",
    )

    told = stop(guarded, "working").prompt

    assert "- fix menu (mobile)\n" in told
    assert "Anna" not in told, "comments are between people"
    assert "3 found" in told
    assert section(guarded, "Backlog").endswith(
        "- fix menu (mobile)  <!-- Anna asked twice -->\n<!-- mine -->"
    )


# --- guards ---


def test_a_focus_of_ones_own_comes_back_when_the_guard_is_mended(guarded: Project) -> None:
    guarded.run("backlog", "focus", "the dark theme", **AGENT)
    guarded.write({"settings.html": TORN})
    stop(guarded, "oops")
    assert section(guarded, "Current Focus") == "Mend what is broken: tests stay green"

    guarded.write({"settings.html": WHOLE})

    assert "🎯 Go on with: the dark theme" in stop(guarded, "mended").prompt
    assert section(guarded, "Current Focus") == "the dark theme"


def test_while_a_guard_runs_nobody_reads_that_it_is_broken(project) -> None:
    """A guard that has not run on this tree yet is unknown: the page says so while it runs."""
    here = start_discovery(
        project({"settings.html": WHOLE}),
        "--check",
        "green=cp .claude/loop-state.local.md .loop/seen || true",
    )
    here.write({"notes.md": "a change"})

    stop(here, "working")

    assert "Mend" not in (here.root / ".loop/seen").read_text()


def test_a_guard_that_has_not_run_since_a_question_is_not_called_broken(guarded: Project) -> None:
    guarded.write({"notes.md": "work in progress; the guard would be green"})
    stop(guarded, block({}, "ASK: Blue or green?"))

    assert "🎯 Go on with: the menu overlaps" in prompts(guarded, "green").prompt
    assert "Mend" not in page(guarded) + guarded.run("status").out
