"""The page of a loop that improves, edited beside it by a person; and its guards, which come before all else."""

from __future__ import annotations

import pytest

from tests.support.discovery import AGENT, PAGE, cycle, edit, page, section, start_discovery
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


def test_what_a_person_puts_first_is_done_first_and_their_focus_leads(guarded: Project) -> None:
    edit(guarded, "- the menu overlaps\n- no empty state", "- no empty state\n- the menu overlaps")
    assert "🎯 Go on with: no empty state" in stop(guarded).prompt

    edit(guarded, "(What is worked on now.)", "the dark theme")
    assert "🎯 Go on with: the dark theme" in stop(guarded).prompt


def test_the_numbers_of_the_page_are_ours_and_a_raised_one_is_told(guarded: Project) -> None:
    edit(guarded, "max_iterations: 50", "max_iterations: 500")

    said = stop(guarded, "working")

    assert "max_iterations. Put back." in said.message
    assert "of 50" in said.prompt
    assert "max_iterations: 50\n" in page(guarded)


def test_the_backup_is_what_the_person_had_before_we_wrote(guarded: Project) -> None:
    edit(guarded, "- no empty state", "- no empty state <!-- mine -->")
    theirs = page(guarded)
    guarded.write({"notes.md": "the guard runs, for the tree has changed"})

    stop(guarded, cycle(done="no empty state"))

    assert (guarded.root / ".claude/loop-state.backup.md").read_text() == theirs


def test_a_deleted_page_pauses_and_continue_brings_it_back_comments_and_all(
    guarded: Project,
) -> None:
    edit(guarded, "- no empty state", "- no empty state <!-- mine -->")
    stop(guarded)
    before = page(guarded)
    (guarded.root / PAGE).unlink()

    assert "Paused: loop-state.local.md was deleted by hand" in stop(guarded).message
    assert stop(guarded).reply is None
    assert not (guarded.root / PAGE).exists()

    assert guarded.run("continue").code == 0
    assert page(guarded) == before


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


def test_a_guard_runs_when_the_tree_has_changed_and_a_red_one_at_every_stop(project) -> None:
    here = start_discovery(
        project({"settings.html": WHOLE}),
        "--tasks",
        "a; b",
        "--check",
        f"green=echo ran >> .loop/runs; {GUARD}",
    )

    def runs() -> int:
        return len((here.root / ".loop/runs").read_text().splitlines())

    stop(here)
    assert runs() == 1, "at the start; the tree is the same"
    here.write({"settings.html": TORN})
    stop(here)
    stop(here)
    assert runs() == 3, "red: it may depend on more than the files"
