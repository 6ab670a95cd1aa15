"""What somebody changed in the page of a discovery loop, told against the copy of what we last wrote."""

from __future__ import annotations

import pytest

from loopwright.core.signals import BacklogEdited
from loopwright.formats.markdown_page import BacklogPage, backlog_edits
from tests.formats.test_markdown_page import README, page


def changed(before: BacklogPage | str, after: BacklogPage | str) -> BacklogEdited:
    base, now = (BacklogPage(one) if isinstance(one, str) else one for one in (before, after))
    return backlog_edits(base, now, 7.0)


CHANGES = {
    "nothing": (page("- a"), page("- a"), BacklogEdited(7.0)),
    "only a comment": (
        page("- a"),
        page("- a <!-- soon -->\n<!-- and\nlater -->"),
        BacklogEdited(7.0),
    ),
    "an item more": (
        page("- a"),
        page("- a\n- b"),
        BacklogEdited(7.0, found=("b",), item_order=("a", "b")),
    ),
    "an item more, twice": (
        page("- a"),
        page("- a\n- b\n- b"),
        BacklogEdited(7.0, found=("b",), item_order=("a", "b", "b")),
    ),
    "an item less": (
        page("- a\n- b"),
        page("- b"),
        BacklogEdited(7.0, dropped=("a",), item_order=("b",)),
    ),
    "a done one less": (page("", "- a\n- b"), page("", "- b"), BacklogEdited(7.0, dropped=("a",))),
    "ticked": (
        page("- [ ] a\n- [ ] b"),
        page("- [x] a\n- [ ] b"),
        BacklogEdited(7.0, done=("a",), item_order=("b",)),
    ),
    "moved to Completed": (
        page("- a\n- b"),
        page("- b", "- a"),
        BacklogEdited(7.0, done=("a",), item_order=("b",)),
    ),
    "moved back": (
        page("- b", "- a"),
        page("- b\n- a"),
        BacklogEdited(7.0, found=("a",), item_order=("b", "a")),
    ),
    "unticked": (
        page("- [x] a"),
        page("- [ ] a"),
        BacklogEdited(7.0, found=("a",), item_order=("a",)),
    ),
    "put first": (page("- a\n- b"), page("- b\n- a"), BacklogEdited(7.0, item_order=("b", "a"))),
    "done without being open": (page(""), page("", "- a"), BacklogEdited(7.0, done=("a",))),
    "another case and a full stop": (page("", "- a b"), page("", "- A  b."), BacklogEdited(7.0)),
    "focus": (
        page(focus="(What is worked on now.)"),
        page(focus="b"),
        BacklogEdited(7.0, focus="b"),
    ),
    "focus taken away": (page(focus="a"), page(), BacklogEdited(7.0, focus="")),
    "notes": (page(notes="a"), page(notes="a\n\nb"), BacklogEdited(7.0, notes="a\n\nb")),
    "notes taken away": (page(notes="a"), page(), BacklogEdited(7.0, notes="")),
    "commented out": (
        page("- a\n- b"),
        page("<!-- - a -->\n- b"),
        BacklogEdited(7.0, dropped=("a",), item_order=("b",)),
    ),
}


@pytest.mark.parametrize(("before", "after", "told"), CHANGES.values(), ids=CHANGES)
def test_what_was_changed(before: BacklogPage, after: BacklogPage, told: BacklogEdited) -> None:
    assert changed(before, after) == told


@pytest.mark.parametrize("gone", ["current focus", "backlog", "completed", "notes"])
def test_a_section_that_is_gone_says_nothing(gone: str) -> None:
    before = page("- a", "- b", "c", "d")
    span = before.spans[gone]
    after = BacklogPage("".join([*before.lines[: span.start - 1], *before.lines[span.stop :]]))

    assert changed(before, after) == BacklogEdited(7.0)


def test_without_a_section_for_what_is_done_a_ticked_item_is_done_all_the_same() -> None:
    after = changed("## Backlog\n- a\n- b\n## Completed\n", "## Backlog\n- [x] a\n- b\n")

    assert (after.done, after.dropped) == (("a",), ())


def test_an_item_that_was_opened_again_beside_its_old_line_can_be_ticked_again() -> None:
    """A person copies a line up from Completed instead of moving it: later it stands there twice."""
    after = changed(page("- a\n- b", "- a"), page("- [x] a\n- b", "- a"))

    assert after.done == ("a",)


def test_without_the_copy_of_what_we_wrote_all_is_told_and_nothing_is_dropped() -> None:
    found = backlog_edits(None, BacklogPage(README), 7.0)

    assert (found.found, found.done, found.dropped) == (("one", "two"), ("three",), ())
    assert (found.focus, found.notes, found.tampered_fields) == (
        "the menu",
        "tokens.css holds the colours",
        (),
    )
    assert backlog_edits(None, page(), 7.0) == BacklogEdited(7.0)


@pytest.mark.parametrize(
    ("was", "becomes", "told"),
    [
        ("max_iterations: 50", "max_iterations: 51", ("max_iterations",)),
        ("max_iterations: 50", "max_iterations: 20", ()),
        ("max_iterations: 50\n", "", ()),
        ("iteration: 3", "iteration: 1", ("iteration",)),
        ("iteration: 3", "iteration: 9", ()),
        ("iteration: 3", "iteration: many", ()),
        ("issues_fixed: 2", "issues_fixed: 99", ()),
    ],
)
def test_a_raised_limit_and_a_lowered_counter_are_told_other_numbers_are_only_put_back(
    was: str, becomes: str, told: tuple[str, ...]
) -> None:
    assert changed(README, README.replace(f"\n{was}", f"\n{becomes}")) == BacklogEdited(
        7.0, tampered_fields=told
    )
