"""The page of a discovery loop, read: fields, sections and items in whatever style they are written."""

from __future__ import annotations

import pytest

from loopwright.core.signals import BacklogEdited
from loopwright.formats.markdown_page import BacklogPage, backlog_edits

README = """---
mode: discovery
preset: ui
iteration: 3
max_iterations: 50
scope: polish the settings page
idle_streak: 0
task_started_at: 1
issues_found: 4
issues_fixed: 2
---

## Scope
polish the settings page

## Context
React, no new dependencies

## Current Focus
the menu

## Backlog
- one
- two

## Completed
- three

## Notes
tokens.css holds the colours
"""


def page(backlog: str = "", completed: str = "", focus: str = "", notes: str = "") -> BacklogPage:
    return BacklogPage(
        f"## Current Focus\n{focus}\n## Backlog\n{backlog}\n## Completed\n{completed}\n## Notes\n{notes}\n"
    )


# --- what a page says ---


def test_b8_the_readmes_own_page_is_read_whole() -> None:
    found = BacklogPage(README)

    assert (found.field("mode"), found.field("preset"), found.field("scope")) == (
        "discovery",
        "ui",
        "polish the settings page",
    )
    assert (found.number_field("iteration"), found.number_field("max_iterations")) == (3, 50)
    assert (found.number_field("issues_found"), found.number_field("issues_fixed")) == (4, 2)
    assert found.section_text("scope") == "polish the settings page"
    assert found.section_text("context") == "React, no new dependencies"
    assert found.section_text("current focus") == "the menu"
    assert found.section_text("notes") == "tokens.css holds the colours"
    assert (found.open_items, found.done_items) == (["one", "two"], ["three"])


@pytest.mark.parametrize("mark", ["\r\n", "\n"], ids=["s23 crlf", "lf"])
@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["no mark", "byte order mark"])
def test_s23_ends_of_lines_and_a_byte_order_mark_change_nothing(mark: str, start: str) -> None:
    found, plain = BacklogPage(start + README.replace("\n", mark)), BacklogPage(README)

    assert {name: found.section_text(name) for name in found.spans} == {
        name: plain.section_text(name) for name in plain.spans
    }
    assert (found.open_items, found.done_items) == (plain.open_items, plain.done_items)
    assert (found.number_field("iteration"), found.number_field("max_iterations")) == (3, 50)
    assert backlog_edits(plain, found, 7.0) == BacklogEdited(7.0)


NUMBERS = {
    "s24 in double quotes": ('"10"', 10),
    "s24 in single quotes": ("'10'", 10),
    "bare": ("10", 10),
    "with a comment behind it": ("10  # my own bound", 10),
    "in quotes, with a comment": ('"10" # mine', 10),
    "without a space before it": ("10", 10),
    "nought": ("0", 0),
    "negative": ("-1", None),
    "a word": ("many", None),
    "nothing": ("", None),
    "half a number": ("1.5", None),
    "more than any counter": ("9" * 40, None),
}


@pytest.mark.parametrize(("value", "number"), NUMBERS.values(), ids=NUMBERS)
def test_s24_a_number_of_the_frontmatter(value: str, number: int | None) -> None:
    assert (
        BacklogPage(f"---\nmax_iterations: {value}\n---\n").number_field("max_iterations") == number
    )


def test_s20_a_line_of_the_body_is_no_field() -> None:
    found = BacklogPage(
        "---\nmode: discovery\n---\n\n## Notes\niteration: 3 of the parser had the bug\n"
    )

    assert found.number_field("iteration") is None
    assert found.section_text("notes") == "iteration: 3 of the parser had the bug"


@pytest.mark.parametrize(
    "text", ["", "\n\n", "no heading at all", "---\nmode: discovery\n", "# Title\n\nprose\n"]
)
def test_a_page_that_has_no_sections_says_nothing(text: str) -> None:
    found = BacklogPage(text)

    assert (
        found.open_items,
        found.done_items,
        found.section_text("notes"),
        found.field("mode"),
    ) == (None, None, None, None)
    assert backlog_edits(BacklogPage(README), found, 7.0) == BacklogEdited(7.0)


# --- items ---

ITEMS = {
    "s8 the last section": (BacklogPage("## Backlog\n- the only one"), ["the only one"]),
    "s9 a placeholder above it": (
        page("(Tasks discovered but not yet addressed)\n- fix menu (mobile)"),
        ["fix menu (mobile)"],
    ),
    "only a placeholder": (page("(Tasks discovered but not yet addressed)"), []),
    "boxes": (page("- [ ] one\n- [x] two\n- [X] three\n- [ ] four"), ["one", "four"]),
    "both styles": (page("- one\n- [ ] two"), ["one", "two"]),
    "other bullets": (page("* one\n+ two\n*   three"), ["one", "two", "three"]),
    "a space too many": (page(" - one\n-   two  "), ["one", "two"]),
    "set in further is no item": (
        page("- one\n  - detail\n\t- detail\n    more\n- two"),
        ["one", "two"],
    ),
    "prose and rules between": (page("Found by hand:\n- one\n\n***\n\n- two"), ["one", "two"]),
    "under a smaller heading": (page("- one\n\n### Later\n\n- two"), ["one", "two"]),
    "a bullet without words": (page("- \n-\n- [ ] \n- one"), ["one"]),
    "in a fence": (page("- one\n```\n- not me\n```\n~~~md\n- nor me\n~~~\n- two"), ["one", "two"]),
    "in a fence with a heading": (
        page("- one\n```\n## Example\n- not me\n```\n- two"),
        ["one", "two"],
    ),
    "a fence that is never closed": (page("- one\n```\n- two"), ["one", "two"]),
    "a comment in the line": (
        page("- one <!-- why --> more\n- <!-- not now --> two"),
        ["one more", "two"],
    ),
    "a comment around an item": (page("- one\n<!-- - not me -->\n- two"), ["one", "two"]),
    "a comment over several lines": (
        page("- one\n<!-- until\n- not me\nlater -->\n- two"),
        ["one", "two"],
    ),
    "two comments in one line": (page("- one <!-- a --> or <!-- b --> two"), ["one or two"]),
    "a comment that is never closed": (page("- one\n<!-- forgotten\n- two"), ["one", "two"]),
    "twice the same": (page("- one\n- one"), ["one", "one"]),
}


@pytest.mark.parametrize(("found", "items"), ITEMS.values(), ids=ITEMS)
def test_open_items(found: BacklogPage, items: list[str]) -> None:
    assert found.open_items == items


def test_a_comment_that_is_never_closed_hides_no_section() -> None:
    found = page("- one <!-- forgotten", completed="- two -->")

    assert (len(found.open_items or []), len(found.done_items or [])) == (1, 1)


def test_done_are_the_completed_and_what_is_ticked_in_the_backlog() -> None:
    assert page("- [x] one\n- [ ] two", "- three\n- [x] four").done_items == [
        "one",
        "three",
        "four",
    ]


def test_the_lines_of_an_item_are_those_set_in_below_it() -> None:
    found = page("- one\n  because\n\n  - far away\n- two")

    assert [(entry.text, entry.end - entry.start) for entry in found.section_items("backlog")] == [
        ("one", 2),
        ("two", 1),
    ]


def test_a_comment_that_an_item_opens_belongs_to_it() -> None:
    """Whatever is put after the item would else be hidden by it."""
    found = page("- one <!-- because\nof the menu -->\n- two")

    assert [(entry.text, entry.end - entry.start) for entry in found.section_items("backlog")] == [
        ("one", 2),
        ("two", 1),
    ]


# --- headings ---


@pytest.mark.parametrize(
    "heading",
    ["## Backlog", "##  backlog ", "# BACKLOG", "## Backlog:", "## Backlog <!-- mine -->"],
)
def test_a_heading_is_known_however_it_is_written(heading: str) -> None:
    assert BacklogPage(f"{heading}\n- one\n").open_items == ["one"]


@pytest.mark.parametrize(
    "heading", ["### Backlog", "##Backlog", "## Backlog of Tim", " ## Backlog", "Backlog"]
)
def test_what_only_looks_like_one_is_none(heading: str) -> None:
    assert BacklogPage(f"{heading}\n- one\n").open_items is None


def test_the_first_of_two_sections_of_one_name_counts() -> None:
    found = BacklogPage("## Backlog\n- one\n## Mine\n- two\n## Backlog\n- three\n")

    assert found.open_items == ["one"]


def test_a_section_that_is_not_ours_ends_ours() -> None:
    found = BacklogPage("## Backlog\n- one\n\n# After all\n\n- two\n")

    assert found.open_items == ["one"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the menu", "the menu"),
        ("the menu <!-- not the footer -->", "the menu"),
        ("first\n\n  second\n", "first\n\n  second"),
        ("(What is worked on now.)", ""),
        ("<!-- say it here -->", ""),
        ("the menu (on phones)", "the menu (on phones)"),
        ("(first)\n(second)", "(first)\n(second)"),
    ],
)
def test_what_a_section_says(text: str, said: str) -> None:
    assert page(focus=text).section_text("current focus") == said


def test_s9_words_under_the_placeholder_are_the_focus_and_the_placeholder_is_not() -> None:
    assert (
        page(focus="(What is worked on now.)\n\nthe menu").section_text("current focus")
        == "the menu"
    )
