"""The page of a discovery loop, written: what the loop knows is in it, and nobody else's line is touched."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from loopwright.core.limits import Limits, Spend, Streak
from loopwright.core.loop import Loop
from loopwright.formats.markdown_page import BacklogPage
from loopwright.formats.markdown_page_edit import render_page
from tests.support.builders import a_discovery_loop

A, B = "fix the menu", "name the buttons"

THEIRS = """---
title: My own page
mode: discovery
preset: ui  # was docs
iteration: 1
max_iterations: 50
scope: "polish the settings page"
idle_streak: 0
tags: [a, "b"]   # mine
exploration_streak: 0
task_started_at: 1
issues_found: 0
issues_fixed: 0
---
# Settings

Prose before all sections.

## Scope
polish the settings page

## Ideas of mine

* not an item of the loop
<!-- private: ask Ann -->

## Current Focus

(What is worked on now.)

## Backlog
Found by hand:

- fix the menu
  because it overlaps <!-- on phones -->

  > a quote that stands alone
- [ ] name the buttons <!-- Tim said so -->

## Completed

<!-- the old ones are in
CHANGELOG.md -->
(What is done.)

## Notes

iteration: 3 of the parser had the bug
\ttabs, `code` and  spaces
---
# The end

text after the last section, without an end of line"""


def improving(*items: str, done: tuple[str, ...] = (), **more: Any) -> Loop:
    changes = {
        name: more.pop(name)
        for name in ("criteria", "limits", "spec", "spend", "streak", "status")
        if name in more
    }
    return a_discovery_loop(*items, backlog={"done": done, **more}, **changes)


def delta(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went, and those that came."""
    rows = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [row[2:] for row in rows if row.startswith("- ")], [
        row[2:] for row in rows if row.startswith("+ ")
    ]


# --- the first page ---


def test_a_new_page_has_the_seeds_fields_and_sections_in_their_order() -> None:
    found = BacklogPage(render_page(improving(A, B), ""))

    keys = [found.lines[n].partition(":")[0] for n in found.front_matter]
    assert " ".join(keys) == (
        "mode preset iteration max_iterations scope idle_streak exploration_streak "
        "task_started_at issues_found issues_fixed"
    )
    assert list(found.spans) == ["scope", "current focus", "backlog", "completed", "notes"]
    assert (found.section_text("scope"), found.section_text("current focus")) == (
        "polish the settings page",
        "",
    )
    assert (found.open_items, found.done_items) == ([A, B], [])


def test_the_numbers_are_those_of_the_loop() -> None:
    counted = improving(
        found_count=7,
        fixed_count=3,
        task_since=4,
        spend=Spend(iterations=5),
        limits=Limits(iterations=20),
        streak=Streak(idle=1, dry=2),
    )
    found = BacklogPage(render_page(counted, ""))

    names = "iteration max_iterations idle_streak exploration_streak task_started_at"
    assert [found.number_field(name) for name in names.split()] == [6, 20, 1, 2, 4]
    assert [found.number_field(f"issues_{name}") for name in ("found", "fixed")] == [7, 3]
    ended = counted.but(status="finished")
    assert BacklogPage(render_page(ended, "")).number_field("iteration") == 5, (
        "no further one begins"
    )


@pytest.mark.parametrize(("context", "sections"), [("", 5), ("React only\n\nno new packages", 6)])
def test_there_is_a_section_for_context_only_where_context_was_given(
    context: str, sections: int
) -> None:
    found = BacklogPage(render_page(improving(A, context=context), ""))

    assert len(found.spans) == sections
    assert (found.section_text("context") or "") == context
    order = ["scope", "context", "current focus", "backlog", "completed", "notes"]
    assert list(found.spans) == [name for name in order if context or name != "context"]


def test_a_context_is_added_to_a_page_without_one_and_its_own_is_left_where_none_was_given() -> (
    None
):
    page = render_page(improving(A), "")

    assert (
        BacklogPage(render_page(improving(A, context="React only"), page)).section_text("context")
        == "React only"
    )
    mine = f"{page}\n## Context\n\nmine\n"
    assert render_page(improving(A), mine) == mine


# --- nobody else's lines ---


def test_what_says_it_already_is_left_byte_for_byte() -> None:
    assert render_page(improving(A, B), THEIRS) == THEIRS
    crlf = THEIRS.replace("\n", "\r\n")
    assert render_page(improving(A, B), crlf) == crlf


def test_s20_a_new_iteration_changes_one_line_and_not_the_one_in_the_notes() -> None:
    after = render_page(improving(A, B, spend=Spend(iterations=3)), THEIRS)

    assert delta(THEIRS, after) == (["iteration: 1"], ["iteration: 4"])


CHANGES: dict[str, tuple[Loop, list[str], list[str]]] = {
    "an item is found": (improving(A, B, "third"), [], ["- [ ] third"]),
    "a focus": (improving(A, B, focus=B), ["(What is worked on now.)"], [B]),
    "a number with a comment": (
        improving(A, B, preset="docs"),
        ["preset: ui  # was docs"],
        ["preset: docs # was docs"],
    ),
    "the scope": (
        improving(A, B, spec="polish"),
        ['scope: "polish the settings page"', "polish the settings page"],
        ['scope: "polish"', "", "polish"],
    ),
    "a note by command": (
        improving(A, B, added_notes=("mind the tests",)),
        [],
        ["- mind the tests"],
    ),
    "an item is done": (
        improving(A, done=(B,)),
        ["- [ ] name the buttons <!-- Tim said so -->", "(What is done.)"],
        ["- [x] name the buttons <!-- Tim said so -->"],
    ),
}


@pytest.mark.parametrize(("loop", "went", "came"), CHANGES.values(), ids=CHANGES)
def test_as_few_lines_as_possible_are_changed(loop: Loop, went: list[str], came: list[str]) -> None:
    assert delta(THEIRS, render_page(loop, THEIRS)) == (went, came)


def test_s11_a_field_that_is_missing_is_added_and_everything_else_stays() -> None:
    old = THEIRS.replace("exploration_streak: 0\n", "")
    after = render_page(improving(A, B, streak=Streak(dry=2)), old)

    assert delta(old, after) == ([], ["exploration_streak: 2"])
    assert BacklogPage(after).number_field("exploration_streak") == 2


def test_s23_crlf_stays_crlf_in_every_line_that_comes() -> None:
    after = render_page(
        improving(
            B,
            "third",
            done=(A,),
            focus="the menu",
            context="React",
            added_notes=("a note",),
            spec="polish",
        ),
        THEIRS.replace("\n", "\r\n"),
    )

    assert after.count("\n") == after.count("\r\n") > 50
    assert after.count("\r") == after.count("\r\n")


def test_s24_a_quoted_number_is_written_as_a_number_with_its_comment() -> None:
    old = THEIRS.replace("max_iterations: 50", 'max_iterations: "10" # enough')
    after = BacklogPage(render_page(improving(A, B), old))

    assert after.number_field("max_iterations") == 50
    assert "max_iterations: 50 # enough\n" in after.lines


@pytest.mark.parametrize(
    "old",
    [
        "## Backlog\n- mine\n",
        "prose only",
        "---\nmode: discovery\n",
        "---\n---\n",
        "\ufeff# Title\n",
    ],
)
def test_a_page_without_a_frontmatter_gets_one_and_keeps_its_lines(old: str) -> None:
    after = render_page(improving(A), old)

    assert BacklogPage(after).number_field("iteration") == 1
    assert A in (BacklogPage(after).open_items or [])
    assert old in after
