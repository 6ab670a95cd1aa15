"""The texts of the page: scope, focus and notes are shown as text, whatever they look like, and comments beside them stay."""

from __future__ import annotations

import pytest

from loopwright.core.engine import advance
from loopwright.formats.markdown_page import BacklogPage, backlog_edits
from loopwright.formats.markdown_page_edit import render_page
from tests.formats.test_markdown_page_edit import A, delta, improving
from tests.support.builders import proof, with_check

BROKEN = with_check("tests pass", proof=proof("tests pass", fine=False))

# --- scope ---

LIKE = {
    "a heading": ("## Backlog\n- not an item", "\\## Backlog\n- not an item"),
    "a heading of the first rank": ("first\n# Notes", "first\n\\# Notes"),
    "a comment": ("a <!-- b\nc", "a < !-- b\nc"),
    "a comment in a heading": ("# a <!-- b\nc", "\\# a < !-- b\nc"),
    "a fence": ("```\ncode\n```\nmore", "'''\ncode\n'''\nmore"),
    "a rule": ("a\n---\nb", "a\n---\nb"),
    "many lines": (
        "Improve auth flow.\n\n1. login\n2. logout",
        "Improve auth flow.\n\n1. login\n2. logout",
    ),
    "letters that nobody sees": ("a\x00b\x1b[31mc", "ab[31mc"),
    "words in brackets": ("(the settings page)", "(the settings page)"),
}


@pytest.mark.parametrize(("scope", "shown"), LIKE.values(), ids=LIKE)
def test_s10_a_scope_is_shown_whole_and_is_text_whatever_it_looks_like(
    scope: str, shown: str
) -> None:
    after = render_page(improving(A, spec=scope), "")
    found = BacklogPage(after)

    assert f"## Scope\n\n{shown}\n\n## Current Focus\n" in after
    assert (found.open_items, found.done_items, list(found.spans)) == (
        [A],
        [],
        ["scope", "current focus", "backlog", "completed", "notes"],
    )
    assert render_page(improving(A, spec=scope), after) == after


def test_a_space_of_another_kind_is_still_a_space() -> None:
    assert "100%" not in render_page(improving(A, spec="100\xa0% of it"), "")


def test_the_frontmatter_has_the_scope_on_one_line_however_long_and_odd_it_is() -> None:
    after = render_page(improving(A, spec='a: "b"\n---\n' + "c" * 500), "")
    (line,) = [line for line in after.splitlines() if line.startswith("scope:")]

    assert line.startswith('scope: "a: \\"b\\" --- ccc')
    assert len(line) < 230


# --- focus ---


def test_a_broken_guard_is_the_focus_until_it_is_mended() -> None:
    loop = improving(A, focus="the menu", criteria=(BROKEN,))
    broken = render_page(loop, "")
    assert BacklogPage(broken).section_text("current focus") == "Mend what is broken: tests pass"

    assert (
        BacklogPage(render_page(loop.but(criteria=()), broken)).section_text("current focus")
        == "the menu"
    )


def test_what_somebody_adds_below_our_own_words_is_their_focus_and_our_words_are_not() -> None:
    loop = improving(A, criteria=(BROKEN,))
    old = render_page(loop, "")
    now = old.replace(
        "Mend what is broken: tests pass\n", "Mend what is broken: tests pass\n\nthe menu\n"
    )
    after = advance(loop, backlog_edits(BacklogPage(old), BacklogPage(now), 7.0)).loop

    assert (
        BacklogPage(render_page(after, now)).section_text("current focus")
        == "Mend what is broken: tests pass"
    )
    assert (
        BacklogPage(render_page(after.but(criteria=()), now)).section_text("current focus")
        == "the menu"
    )


FOCUS = {
    "alone on a line": ("the menu\n<!-- not the footer -->\n", ("<!-- not the footer -->",)),
    "behind the text": ("the menu <!-- not the footer -->\n", ("<!-- not the footer -->",)),
    "over several lines": ("the menu\n<!-- not\nthe footer -->\n", ("<!-- not\nthe footer -->",)),
    "that begins behind the text": (
        "the menu <!-- not\nthe footer -->\n",
        ("<!-- not\nthe footer -->",),
    ),
    "with text behind it": ("<!-- not\nthe footer --> the menu\n", ("<!-- not\nthe footer -->",)),
}


@pytest.mark.parametrize(("written", "comments"), FOCUS.values(), ids=FOCUS)
def test_a_new_focus_takes_the_place_of_the_old_and_leaves_comments(
    written: str, comments: tuple[str, ...]
) -> None:
    old = render_page(improving(A, focus="the menu"), "").replace("the menu\n", written, 1)
    after = render_page(improving(A, focus="the tables"), old)

    assert BacklogPage(after).section_text("current focus") == "the tables"
    assert all(comment in after for comment in comments)
    assert render_page(improving(A, focus="the tables"), after) == after


@pytest.mark.parametrize(
    "said",
    ["the menu\n\n### on phones", "```sh\nmake test\n```", "5\xa0% of it", "see `<!--` there"],
)
def test_a_focus_that_somebody_wrote_into_the_page_is_left_as_they_wrote_it(said: str) -> None:
    old = render_page(improving(A), "").replace("(What is worked on now.)", said)
    loop = improving(A, focus=BacklogPage(old).section_text("current focus"))

    assert render_page(loop, old) == old


# --- notes ---


def test_notes_are_the_pages_own_and_those_by_command_are_added_once() -> None:
    loop = improving(A, notes="as it was", added_notes=("one", "two"))
    old = render_page(improving(A), "").replace(
        "## Notes\n", "## Notes\n\nas it was <!-- mine -->\n- one\n"
    )
    after = render_page(loop, old)

    assert delta(old, after) == ([], ["- two"])
    assert render_page(loop, after) == after


def test_notes_come_back_where_their_section_was_lost() -> None:
    loop = improving(A, notes="one\n\n- two", added_notes=("three",))
    old = render_page(improving(A), "").partition("## Notes")[0]

    assert BacklogPage(render_page(loop, old)).section_text("notes") == "one\n\n- two\n- three"
