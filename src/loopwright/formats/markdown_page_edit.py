"""The page of a discovery loop, written: as few lines as possible are changed, everything else stays byte for byte."""

from __future__ import annotations

from ..core.discovery.backlog import Backlog, item_key
from ..core.json_text import dumps
from ..core.loop import Loop, backlog_of
from ..core.prompts.discovery import current_focus
from ..core.prompts.parts import spec_summary
from ..core.status import ENDED
from .markdown_page import (
    DONE_PLACEHOLDER,
    FOCUS_PLACEHOLDER,
    OPEN_PLACEHOLDER,
    PLACEHOLDERS,
    BacklogPage,
    PageItem,
    value_and_comment,
)
from .visible_lines import heading_name

EMPTY_PAGE = f"""## Scope

## Current Focus

{FOCUS_PLACEHOLDER}

## Backlog

{OPEN_PLACEHOLDER}

## Completed

{DONE_PLACEHOLDER}

## Notes

"""


def render_page(loop: Loop, old: str) -> str:
    """The page that says what the loop knows, made from the page that is there."""
    b = backlog_of(loop)
    page = BacklogPage(
        old
        if old.strip()
        else EMPTY_PAGE.replace(
            "## Current", "## Context\n\n## Current" if b.context else "## Current"
        )
    )
    page = with_fields(page, front_matter_fields(loop, b))
    page = with_section_text(page, "Scope", loop.spec)
    if b.context:
        page = with_section_text(page, "Context", b.context)
    now = current_focus(loop)
    page = with_section_text(
        page, "Current Focus", now if escape_line(now).strip() else FOCUS_PLACEHOLDER
    )  # words that nobody can see are none
    page = with_items(page, b)
    page = with_notes(page, b)
    return "".join(page.lines)


def front_matter_fields(loop: Loop, b: Backlog) -> dict[str, str]:
    return {
        "mode": "discovery",
        "preset": b.preset,
        "iteration": f"{loop.spend.iterations + (loop.status not in ENDED)}",
        "max_iterations": f"{loop.limits.iterations}",
        "scope": dumps(spec_summary(loop, 200)),
        "idle_streak": f"{loop.streak.idle}",
        "exploration_streak": f"{loop.streak.dry}",
        "task_started_at": f"{b.task_since}",
        "issues_found": f"{b.found_count}",
        "issues_fixed": f"{b.fixed_count}",
    }


def with_fields(page: BacklogPage, wanted: dict[str, str]) -> BacklogPage:
    """Our lines of the frontmatter; somebody else's stay. A field that is missing is added, a frontmatter too."""
    lines, end = page.lines, page.line_ending
    if not page.front_matter:
        return BacklogPage(
            "".join(
                [
                    f"---{end}",
                    *(f"{n}: {v}{end}" for n, v in wanted.items()),
                    f"---{end}{end}",
                    *lines,
                ]
            )
        )
    for name, value in wanted.items():
        at = next((n for n in page.front_matter if lines[n].startswith(f"{name}:")), None)
        if at is None:
            lines = [
                *lines[: page.front_matter.stop],
                f"{name}: {value}{end}",
                *lines[page.front_matter.stop :],
            ]
            page = BacklogPage("".join(lines))
        elif (
            f"{name}: {value}"
            != lines[at].rstrip("\r\n").removesuffix(value_and_comment(lines[at])[1]).rstrip()
        ):
            comment = "" if name == "scope" else value_and_comment(lines[at])[1]
            lines = [*lines[:at], f"{name}: {value}{comment}{end}", *lines[at + 1 :]]
    return BacklogPage("".join(lines))


def with_section_text(page: BacklogPage, title: str, text: str) -> BacklogPage:
    """The section says this and no more; comments in it stay, below."""
    name, end = title.casefold(), page.line_ending
    rows = [escape_line(row) for row in text.strip().splitlines()]
    wanted = [
        "\n".join(row.rstrip() for row in some).strip()
        for some in (rows, text.strip().splitlines())
    ]
    if {page.visible_text(name), page.section_text(name) or None} & {*wanted} or (
        text in PLACEHOLDERS and page.section_text(name) == ""
    ):
        return page  # in our spelling or in a person's own
    page = with_section(page, title)
    span = page.spans[name]
    comments = page.comments_in(span)
    body = [
        end,
        *(f"{row}{end}" for row in rows),
        *([end] if rows else []),
        *comments,
        *([end] if comments else []),
    ]
    return BacklogPage("".join([*page.lines[: span.start], *body, *page.lines[span.stop :]]))


def escape_line(row: str) -> str:
    """A line of a person's text that would read as a heading, or open a comment, in the page."""
    row = "".join(
        " " if letter.isspace() and letter != "\t" else letter
        for letter in row
        if is_visible(letter)
    )
    row = (
        row.replace("<!--", "< !--")
        .replace("-->", "-- >")
        .replace("```", "'''")
        .replace("~~~", "---")
    )
    return f"\\{row}" if heading_name(row) is not None else row


def is_visible(letter: str) -> bool:
    return letter.isprintable() or letter.isspace()


def with_items(page: BacklogPage, b: Backlog) -> BacklogPage:
    """Items go where they belong, with all their lines; what is missing is added; nothing is taken out."""
    open_keys, done_keys = {item_key(text) for text in b.items}, {item_key(text) for text in b.done}
    page = move_items(page, "backlog", "Completed", done_keys - open_keys, "x")
    page = untick_items(page, open_keys - done_keys)
    page = move_items(
        page,
        "completed",
        "Backlog",
        open_keys - done_keys - {item_key(text) for text in page.open_items or ()},
        " ",
    )
    for title, texts, box in (("Backlog", b.items, " "), ("Completed", b.done, "x")):
        there = {
            item_key(entry.text)
            for name in ("backlog", "completed")
            for entry in page.section_items(name)
        }
        new = [text for text in texts if item_key(text) not in there]
        page = (
            append_blocks(page, title, [[f"{bullet_prefix(page, box)}{text}"] for text in new])
            if new
            else page
        )
    empty = not b.items and not any(page.lines[n].strip() for n in page.spans.get("backlog", ()))
    return append_blocks(page, "Backlog", [[OPEN_PLACEHOLDER]]) if empty else page


def move_items(
    page: BacklogPage, source: str, target: str, keys: set[str], box: str
) -> BacklogPage:
    gone = [entry for entry in page.section_items(source) if item_key(entry.text) in keys]
    if not gone:
        return page
    blocks = [
        [line_with_box(page, entry, box), *page.lines[entry.start + 1 : entry.end]]
        for entry in gone
    ]
    cut = {n for entry in gone for n in range(entry.start, entry.end)}
    rest = BacklogPage("".join(line for n, line in enumerate(page.lines) if n not in cut))
    return append_blocks(rest, target, [[row.rstrip("\r\n") for row in block] for block in blocks])


def untick_items(page: BacklogPage, keys: set[str]) -> BacklogPage:
    """An item that is open is not shown as done."""
    lines = list(page.lines)
    for entry in page.section_items("backlog"):
        if entry.box == "x" and item_key(entry.text) in keys:
            lines[entry.start] = line_with_box(page, entry, " ")
    return BacklogPage("".join(lines)) if lines != page.lines else page


def line_with_box(page: BacklogPage, entry: PageItem, box: str) -> str:
    """The first line of an item, its box set; what stands below is the person's."""
    row = page.lines[entry.start]
    at = (
        next((row.index(mark) for mark in ("[ ]", "[x]", "[X]") if mark in row), -1)
        if entry.box
        else -1
    )
    return f"{row[: at + 1]}{box}{row[at + 2 :]}" if at >= 0 else row


def bullet_prefix(page: BacklogPage, box: str) -> str:
    """In the style that the page has."""
    boxed = any(
        entry.box for name in ("backlog", "completed") for entry in page.section_items(name)
    )
    return f"- [{box}] " if boxed else "- "


def append_blocks(page: BacklogPage, title: str, blocks: list[list[str]]) -> BacklogPage:
    """Blocks of lines after the last item of a section, or in the place of its placeholder."""
    page = with_section(page, title)
    name, end = title.casefold(), page.line_ending
    span, entries = page.spans[name], page.section_items(name)
    new = [f"{row}{end}" for block in blocks for row in block]
    holder = next(
        (n for n in span if page.visible[n].strip() in PLACEHOLDERS and not page.is_code[n]), None
    )
    if entries:
        at, after = entries[-1].end, entries[-1].end
    elif holder is not None:
        at, after = holder, holder + 1
    else:
        at = max((n + 1 for n in span if page.lines[n].strip()), default=span.start)
        after = at
        if at == span.start:  # an empty line below the heading, and one before what follows
            after = span.stop
            new = [end, *new, end]
    before = page.lines[:at]
    if before and not before[-1].endswith("\n"):
        before[-1] += end
    return BacklogPage("".join([*before, *new, *page.lines[after:]]))


def with_notes(page: BacklogPage, b: Backlog) -> BacklogPage:
    """Notes are the page's own; those taken down by command are added, and all of them where the page was lost."""
    if b.notes and not page.section_text("notes"):
        page = append_blocks(page, "Notes", [b.notes.splitlines()])
    there = {item_key(entry.text) for entry in page.section_items("notes")}
    new = [text for text in b.added_notes if item_key(text) not in there]
    return append_blocks(page, "Notes", [[f"- {text}"] for text in new]) if new else page


def with_section(page: BacklogPage, title: str) -> BacklogPage:
    if title.casefold() in page.spans:
        return page
    end = page.line_ending
    text = "".join(page.lines)
    gap = "" if not text or text.endswith(end * 2) else end if text.endswith(end) else end * 2
    return BacklogPage(f"{text}{gap}## {title}{end}{end}")
