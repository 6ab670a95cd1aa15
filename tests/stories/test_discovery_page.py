"""The page of a loop that improves, edited beside it by a person; and its guards, which come before all else."""

from __future__ import annotations

import pytest

from tests.support.discovery import AGENT, edit, page, section, start_discovery
from tests.support.hook import block, prompts, stop
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
