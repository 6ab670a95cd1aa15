"""Items in the page of a discovery loop: they move with all that belongs to them, and each is written once."""

from __future__ import annotations

import pytest

from loopwright.core.discovery.backlog import item_text
from loopwright.core.loop import Loop
from loopwright.formats.markdown_page import BacklogPage
from loopwright.formats.markdown_page_edit import render_page
from tests.support.builders import a_discovery_loop

A, B = "fix the menu", "name the buttons"
HOLDER = "(Found, and not done yet. One item a line: - text)"


def improving(*items: str, done: tuple[str, ...] = ()) -> Loop:
    return a_discovery_loop(*items, backlog={"done": done})


def with_backlog(*lines: str) -> str:
    return render_page(improving(), "").replace(HOLDER, "\n".join(lines))


def test_an_item_that_is_done_takes_all_its_lines_and_its_comments_along() -> None:
    old = with_backlog(
        f"- {A}",
        "  because it overlaps <!-- on phones -->",
        "\tand more",
        "",
        "  > it stands alone",
        f"- {B}",
    )
    after = render_page(improving(B, done=(A,)), old)

    assert (
        f"## Completed\n\n- {A}\n  because it overlaps <!-- on phones -->\n\tand more\n\n## Notes"
        in after
    )
    assert f"## Backlog\n\n\n  > it stands alone\n- {B}\n" in after, "what stands alone stays"
    assert (BacklogPage(after).open_items, BacklogPage(after).done_items) == ([B], [A])


def test_a_comment_over_several_lines_goes_with_the_item_that_opens_it() -> None:
    old = with_backlog(f"- {A} <!-- Tim,", "who uses a phone,", "said so -->", f"- {B}")
    after = render_page(improving(B, done=(A,)), old)

    assert (BacklogPage(after).open_items, BacklogPage(after).done_items) == ([B], [A])
    assert (
        f"- {A} <!-- Tim,\nwho uses a phone,\nsaid so -->\n" in after.partition("## Completed")[2]
    )


def test_a_fence_below_an_item_is_not_torn_apart() -> None:
    fence = ("  ```sh", "  make test", "", "  make lint", "  ```")
    after = render_page(improving(B, done=(A,)), with_backlog(f"- {A}", *fence, f"- {B}"))

    assert (BacklogPage(after).open_items, BacklogPage(after).done_items) == ([B], [A])
    assert "\n".join(fence) in after.partition("## Completed")[2]


HIDES = {
    "a comment": (f"- {A} <!-- Tim", "said so -->"),
    "a comment that is set in": (f"- {A}", "  <!-- Tim", "", "  said so -->"),
    "a fence": (f"- {A}", "  ```", "", "  ```"),
    "a placeholder in a comment": ("<!--", HOLDER, "-->"),
}


@pytest.mark.parametrize("lines", HIDES.values(), ids=HIDES)
def test_a_new_item_is_never_put_where_nobody_sees_it(lines: tuple[str, ...]) -> None:
    after = render_page(improving(A, B), with_backlog(*lines))

    assert BacklogPage(after).open_items == [A, B]
    assert render_page(improving(A, B), after) == after


@pytest.mark.parametrize("opened", ["<!-- forgotten", "see `<!--` there"])
def test_a_new_item_closes_no_comment_that_somebody_forgot_to_close(opened: str) -> None:
    loop = improving(item_text("turn --> round"))
    after = render_page(loop, with_backlog(opened))

    assert len(BacklogPage(after).open_items or []) == 1
    assert render_page(loop, after) == after


def test_the_box_of_an_item_is_ticked_when_it_is_done_and_cleared_when_it_is_opened_again() -> None:
    done = render_page(improving(B, done=(A,)), with_backlog(f"- [ ] {A}", f"* [ ]  {B}"))
    assert f"## Completed\n\n- [x] {A}\n" in done
    assert f"## Backlog\n\n* [ ]  {B}\n" in done

    again = render_page(improving(B, A), done)
    assert f"* [ ]  {B}\n- [ ] {A}\n" in again
    assert (BacklogPage(again).open_items, BacklogPage(again).done_items) == ([B, A], [])


def test_what_is_ticked_below_an_item_is_the_persons_and_stays_as_it_is() -> None:
    details = "  - [ ] on phones\n  - [x] on screens\n"
    done = render_page(improving(B, done=(A,)), with_backlog(f"- [ ] {A}\n{details}- {B}"))
    assert f"- [x] {A}\n{details}" in done

    assert f"- [ ] {A}\n{details}" in render_page(improving(B, A), done)


def test_an_item_that_is_open_is_not_shown_as_ticked() -> None:
    """Found again by the agent after somebody ticked it: the box follows the loop."""
    after = render_page(improving(A), with_backlog(f"- [x] {A}"))

    assert BacklogPage(after).open_items == [A]


@pytest.mark.parametrize(
    ("style", "line"), [("- [ ] first", "- [ ] fix the menu"), ("- first", "- fix the menu")]
)
def test_a_new_item_is_written_in_the_style_of_the_page(style: str, line: str) -> None:
    assert f"{style}\n{line}\n" in render_page(improving("first", A), with_backlog(style))


@pytest.mark.parametrize("holder", ["(Tasks discovered but not yet addressed)", HOLDER])
def test_s9_the_first_item_takes_the_place_of_the_placeholder_and_only_of_that(holder: str) -> None:
    assert f"## Backlog\n\n- {A}\n\n## Completed" in render_page(improving(A), with_backlog(holder))
    assert "(mobile first)\n- fix menu (mobile)\n" in render_page(
        improving("fix menu (mobile)"), with_backlog("(mobile first)")
    )


def test_items_without_a_section_get_one_and_nothing_else_is_moved() -> None:
    old = with_backlog().partition("## Backlog")[0]
    after = render_page(improving(A, done=(B,)), old)

    assert after.startswith(old)
    assert (BacklogPage(after).open_items, BacklogPage(after).done_items) == ([A], [B])


SAID = [
    "- - a dash",
    "[ ] - a dash",
    "[ ] [x] boxes",
    "* * *",
    "...",
    "# heading",
    "> quote",
    "1. one",
    "`<!--`",
    "```",
    "x" * 900,
]


@pytest.mark.parametrize("said", SAID)
def test_whatever_an_item_is_called_it_is_written_once(said: str) -> None:
    known = tuple(text for text in [item_text(said)] if text)
    after = render_page(improving(*known), "")

    assert BacklogPage(after).open_items == list(known)
    assert render_page(improving(*known), after) == after
