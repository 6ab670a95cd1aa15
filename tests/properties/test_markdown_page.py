"""Whatever stands in the page of a discovery loop: rendering says what the loop knows, and takes nobody's line away."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from loopwright.core.discovery.backlog import item_key, item_text
from loopwright.core.engine import advance
from loopwright.core.signals import BacklogEdited
from loopwright.formats.markdown_page import BacklogPage, backlog_edits
from loopwright.formats.markdown_page_edit import PLACEHOLDERS, front_matter_fields, render_page
from tests.support.builders import a_discovery_loop, proof, with_check

BROKEN = with_check("tests pass", proof=proof("tests pass", fine=False))
WORDS = (
    "fix the menu",
    "fix the menu.",
    "name (all) buttons",
    "turn --> round",
    "- - a dash",
    "[ ] [x] box",
    "see `<!--`",
    "…",
)
texts = st.sampled_from(WORDS) | st.text(st.characters(), max_size=20)
items = texts.map(item_text).filter(bool)
paragraphs = st.lists(texts, max_size=3).map("\n".join)

# Lines that mean something somewhere, and lines that mean nothing anywhere.
OURS = (
    "## Scope",
    "## Context",
    "## Current Focus",
    "## Backlog",
    "# backlog:",
    "## Completed",
    "## Notes",
)
OTHERS = (
    "# Mine",
    "### Later",
    "## Backlog of Tim",
    "prose",
    "(a note)",
    "> quote",
    "---",
    "\t",
    "iteration: 3 had the bug",
)
FIELDS = (
    "mode: x",
    "iteration: 7",
    "max_iterations: '9' # mine",
    "scope: |",
    "tags: [a]",
    "issues_found:",
    "  nested: yes",
)
HIDING = (
    "<!-- alone -->",
    "<!--",
    "-->",
    "<!-- x",
    "y -->",
    "  z -->",
    "```",
    "```sh",
    "~~~",
    "  ```",
    "see `<!--`",
)
ITEMS = (
    "- fix the menu",
    "- [ ] fix the menu",
    "- [x] name (all) buttons",
    "* third",
    "- third <!-- x",
    "- [X]  4<!-- a --> b",
)
BELOW = ("  because", "  - [ ] detail", "\tmore <!-- so -->", "  ")
one_line = texts.filter(lambda text: "\n" not in text)
lines = st.sampled_from((*OURS, *OTHERS, *HIDING, *PLACEHOLDERS, *ITEMS, *BELOW, "")) | one_line
fronts = st.just([]) | st.lists(st.sampled_from(FIELDS), max_size=6).map(
    lambda rows: ["---", *rows, "---"]
)
lasts = st.sampled_from(([], [""]))  # with or without an end of the last line
rows = st.builds(
    lambda front, body, last: [*front, *body, *last], fronts, st.lists(lines, max_size=25), lasts
)
marked = st.builds(lambda end, rows: end.join(rows), st.sampled_from(("\n", "\n", "\r\n")), rows)
pages = (
    marked
    | marked.map("\ufeff".__add__)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=200)
)


@st.composite
def loops(draw, free=False):
    """Any backlog, any texts; `free`: neither a broken guard nor a task takes the place of the focus."""
    known = draw(st.lists(items, unique_by=item_key, max_size=8))
    cut = draw(st.integers(0, len(known)))
    return a_discovery_loop(
        *known[:cut],
        criteria=() if free else draw(st.sampled_from(((), (BROKEN,)))),
        spec=draw(paragraphs),
        backlog={
            "done": tuple(known[cut:]),
            "context": draw(st.just("") | paragraphs),
            "focus": draw(st.just("") | paragraphs.map(str.strip)),
            "added_notes": tuple(draw(st.lists(items, max_size=2))),
            "task_mode": not free and draw(st.booleans()),
            "found_count": draw(st.integers(0, 99)),
        },
    )


def plain(row):
    """A line whose box, if it has one, does not count: it is ours to tick."""
    return re.sub(r"^(\s*[-*+]\s+(?:<!--.*?-->\s*)?)\[[ xX]\]", r"\1[]", row.rstrip("\r\n"))


def theirs(page, loop):
    """The lines that are not ours, those of items apart: they alone may go elsewhere."""
    texts = {"scope", "current focus", *(["context"] if loop.backlog.context else [])}
    written = {n for name in texts for n in page.spans.get(name, ()) if page.visible[n].strip()}
    moving = {
        n
        for name in ("backlog", "completed")
        for entry in page.section_items(name)
        for n in range(entry.start, entry.end)
    }
    ours = {
        n
        for n in page.front_matter
        if page.lines[n].partition(":")[0] in front_matter_fields(loop, loop.backlog)
    }
    rows = [(n, page.lines[n].rstrip("\r\n")) for n in range(len(page.lines))]
    rows = [(n, row) for n, row in rows if row.strip() and row.strip() not in PLACEHOLDERS]
    stay = [row for n, row in rows if n not in written | moving | ours]
    return stay, [plain(row) for n, row in rows if n in moving]


def in_order(some, among):
    rest = iter(among)
    return all(any(row == other for other in rest) for row in some)


@given(loops(), pages)
@example(a_discovery_loop("fix"), "")
@example(a_discovery_loop("fix"), "no heading at all")
def test_a_page_that_was_rendered_is_rendered_again_byte_for_byte(loop, old):
    once = render_page(loop, old)

    assert render_page(loop, once) == once


@given(loops(), pages)
def test_the_page_holds_every_item_in_its_place(loop, old):
    found = BacklogPage(render_page(loop, old))

    assert {item_key(text) for text in loop.backlog.items} <= {
        item_key(text) for text in found.open_items or []
    }
    assert {item_key(text) for text in loop.backlog.done} <= {
        item_key(text) for text in found.done_items or []
    }
    assert {item_key(text) for text in loop.backlog.added_notes} <= {
        item_key(entry.text) for entry in found.section_items("notes")
    }


@given(loops(), pages)
def test_the_page_has_the_numbers_of_the_loop(loop, old):
    found = BacklogPage(render_page(loop, old))

    assert (found.number_field("iteration"), found.number_field("max_iterations")) == (1, 50)
    assert found.number_field("issues_found") == loop.backlog.found_count


@given(loops(), pages)
def test_every_line_that_is_not_ours_is_still_there_in_its_order(loop, old):
    stay, moving = theirs(BacklogPage(old), loop)
    after = [line.rstrip("\r\n") for line in BacklogPage(render_page(loop, old)).lines]

    assert in_order(stay, after)
    assert not set(moving) - set(map(plain, after))


@given(loops(), pages)
def test_what_we_wrote_ourselves_is_no_edit(loop, old):
    page = BacklogPage(render_page(loop, old))

    assert backlog_edits(page, page, 7.0) == BacklogEdited(7.0)


@given(pages, pages)
def test_any_edit_can_be_read(before, after):
    found = backlog_edits(BacklogPage(before), BacklogPage(after), 7.0)

    assert isinstance(found, BacklogEdited)
    assert all(item_text(text) == text for text in (*found.found, *found.done))
    assert advance(a_discovery_loop("fix the menu"), found).loop.status == "running"


# --- what a person does to a rendered page ---

kept = st.sampled_from(
    (
        *OTHERS,
        *ITEMS,
        *BELOW,
        "<!-- alone -->",
        "- new one <!-- mine -->",
        "- [x] new and done",
        "## Mine",
    )
)
added = st.lists(st.tuples(st.integers(0, 40), kept), max_size=6)
taken = st.sets(st.integers(0, 40), max_size=3)


@st.composite
def edited(draw):
    """A loop, its page, and the page as a person left it: some lines gone, some new. Scope and context are put back."""
    loop = draw(loops(free=True))
    base = render_page(loop, draw(st.just("") | marked))
    page, gone, new = BacklogPage(base), draw(taken), draw(added)
    put_back = {n for name in ("scope", "context") for n in (page.spans.get(name) or range(0))}
    left = []
    for n, line in enumerate(page.lines):
        free = n > page.front_matter.stop and n not in put_back and n - 1 not in put_back
        left += [f"{row}\n" for at, row in new if free and at == n - page.front_matter.stop]
        left += [line] * (not free or n - page.front_matter.stop not in gone)
    return loop, base, "".join(left)


@given(edited())
def test_no_line_of_a_person_is_lost_on_the_way_through_the_loop(story):
    loop, base, now = story
    after = advance(loop, backlog_edits(BacklogPage(base), BacklogPage(now), 7.0)).loop
    page = BacklogPage(render_page(after, now))

    mine = [
        line
        for line in BacklogPage(now).lines
        if line not in BacklogPage(base).lines and line.strip()
    ]
    assert not set(map(plain, mine)) - set(map(plain, page.lines))
    assert {item_key(text) for text in after.backlog.items} <= {
        item_key(text) for text in page.open_items or []
    }
    assert backlog_edits(page, page, 8.0) == BacklogEdited(8.0)
    assert render_page(after, "".join(page.lines)) == "".join(page.lines)


@given(edited())
def test_what_a_person_wrote_down_as_open_or_done_is_so_in_the_loop(story):
    loop, base, now = story
    after = advance(loop, backlog_edits(BacklogPage(base), BacklogPage(now), 7.0)).loop.backlog

    had, have = (
        {item_key(text) for text in (*(page.open_items or []), *(page.done_items or []))}
        for page in (BacklogPage(base), BacklogPage(now))
    )
    assert have - had <= {item_key(text) for text in (*after.items, *after.done)}
