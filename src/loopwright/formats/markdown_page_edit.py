"""Write the page of a discovery loop: change as few lines as possible, keep the other bytes."""

from __future__ import annotations

from ..core.discovery.backlog import Backlog, item_key, new_items
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
ITEM_SECTIONS = ("backlog", "completed")
# What a person's text must not contain on the page, and what is written in its place.
ESCAPES = {"<!--": "< !--", "-->": "-- >", "```": "'''", "~~~": "---"}


def render_page(loop: Loop, old: str) -> str:
    """The page with the state of the loop, made from the old page."""
    b = backlog_of(loop)
    page = BacklogPage(old if old.strip() else _empty_page(b))
    page = with_fields(page, front_matter_fields(loop, b))
    page = with_section_text(page, "Scope", loop.spec)
    if b.context:
        page = with_section_text(page, "Context", b.context)
    focus = current_focus(loop)
    if not escape_line(focus).strip():  # nothing visible
        focus = FOCUS_PLACEHOLDER
    page = with_section_text(page, "Current Focus", focus)
    page = with_items(page, b)
    page = with_notes(page, b)
    return "".join(page.lines)


def _empty_page(b: Backlog) -> str:
    if not b.context:
        return EMPTY_PAGE
    return EMPTY_PAGE.replace("## Current", "## Context\n\n## Current")


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


def with_fields(page: BacklogPage, fields: dict[str, str]) -> BacklogPage:
    """Write our fields of the front matter and keep foreign ones. What is missing is added."""
    end = page.line_ending
    if not page.front_matter:
        rows = "".join(f"{name}: {value}{end}" for name, value in fields.items())
        return BacklogPage("".join([f"---{end}{rows}---{end}{end}", *page.lines]))
    lines = list(page.lines)
    span = page.front_matter
    for name, value in fields.items():
        number = _field_line(lines, span, name)
        if number is None:
            lines.insert(span.stop, f"{name}: {value}{end}")
            span = range(span.start, span.stop + 1)
        else:
            lines[number] = _field_row(lines[number], name, value, end)
    return BacklogPage("".join(lines))


def _field_line(lines: list[str], span: range, name: str) -> int | None:
    for number in span:
        if lines[number].startswith(f"{name}:"):
            return number
    return None


def _field_row(row: str, name: str, value: str, end: str) -> str:
    """The line of a field with its new value; its comment stays."""
    comment = value_and_comment(row)[1]
    current = row.rstrip("\r\n").removesuffix(comment).rstrip()
    if current == f"{name}: {value}":
        return row
    # The scope is free text: what looks like a comment after it is part of the text.
    comment_to_keep = "" if name == "scope" else comment
    return f"{name}: {value}{comment_to_keep}{end}"


def _with_lines(page: BacklogPage, at: int, count: int, rows: list[str]) -> BacklogPage:
    """The page with `count` lines from `at` on replaced by these rows."""
    return BacklogPage("".join([*page.lines[:at], *rows, *page.lines[at + count :]]))


def with_section_text(page: BacklogPage, title: str, text: str) -> BacklogPage:
    """Make this the text of the section; comments in it stay, below the text."""
    name, end = title.casefold(), page.line_ending
    if _has_section_text(page, name, text):
        return page
    rows = [f"{escape_line(row)}{end}" for row in text.strip().splitlines()]
    page = with_section(page, title)
    span = page.spans[name]
    comments = page.comments_in(span)
    body = [end]
    if rows:
        body += [*rows, end]
    if comments:
        body += [*comments, end]
    return _with_lines(page, span.start, len(span), body)


def _has_section_text(page: BacklogPage, name: str, text: str) -> bool:
    """Does the section say this already, in our escaped spelling or in a person's own?"""
    current = page.section_text(name)
    if text in PLACEHOLDERS and current == "":
        return True
    rows = text.strip().splitlines()
    spellings = (_join_rows(rows), _join_rows([escape_line(row) for row in rows]))
    return page.visible_text(name) in spellings or (current or None) in spellings


def _join_rows(rows: list[str]) -> str:
    return "\n".join(row.rstrip() for row in rows).strip()


def escape_line(row: str) -> str:
    """A line of a person's text that neither reads as a heading nor opens a comment or code."""
    visible = filter(is_visible, row)
    row = "".join(" " if char.isspace() and char != "\t" else char for char in visible)
    for mark, escaped in ESCAPES.items():
        row = row.replace(mark, escaped)
    return f"\\{row}" if heading_name(row) is not None else row


def is_visible(char: str) -> bool:
    return char.isprintable() or char.isspace()


def with_items(page: BacklogPage, b: Backlog) -> BacklogPage:
    """Move items to their section with all their lines, and add missing ones. None is removed."""
    open_keys, done_keys = set(map(item_key, b.items)), set(map(item_key, b.done))
    page = move_items(page, "backlog", "Completed", done_keys - open_keys, "x")
    page = untick_items(page, open_keys - done_keys)
    reopened = open_keys - done_keys - set(map(item_key, page.open_items or ()))
    page = move_items(page, "completed", "Backlog", reopened, " ")
    page = _with_missing_items(page, "Backlog", b.items, " ")
    page = _with_missing_items(page, "Completed", b.done, "x")
    section_is_empty = not any(
        page.lines[number].strip() for number in page.spans.get("backlog", ())
    )
    if not b.items and section_is_empty:
        page = append_blocks(page, "Backlog", [[OPEN_PLACEHOLDER]])
    return page


def _items_on_page(page: BacklogPage) -> list[PageItem]:
    return [item for name in ITEM_SECTIONS for item in page.section_items(name)]


def _with_missing_items(
    page: BacklogPage, title: str, texts: tuple[str, ...], box: str
) -> BacklogPage:
    missing = new_items(texts, [item.text for item in _items_on_page(page)])
    if not missing:
        return page
    prefix = bullet_prefix(page, box)
    return append_blocks(page, title, [[f"{prefix}{text}"] for text in missing])


def move_items(
    page: BacklogPage, source: str, target: str, keys: set[str], box: str
) -> BacklogPage:
    """Move the items with these keys to another section, with their box set."""
    moved = [item for item in page.section_items(source) if item_key(item.text) in keys]
    if not moved:
        return page
    blocks: list[list[str]] = []
    removed: set[int] = set()
    for item in moved:
        rows = [line_with_box(page, item, box), *page.lines[item.start + 1 : item.end]]
        blocks.append([row.rstrip("\r\n") for row in rows])
        removed |= {*range(item.start, item.end)}
    rest = [line for number, line in enumerate(page.lines) if number not in removed]
    return append_blocks(BacklogPage("".join(rest)), target, blocks)


def untick_items(page: BacklogPage, keys: set[str]) -> BacklogPage:
    """Clear the box of items that are open."""
    lines = list(page.lines)
    for item in page.section_items("backlog"):
        if item.box == "x" and item_key(item.text) in keys:
            lines[item.start] = line_with_box(page, item, " ")
    return BacklogPage("".join(lines)) if lines != page.lines else page


def line_with_box(page: BacklogPage, item: PageItem, box: str) -> str:
    """The first line of an item with its box set; unchanged if the item has none."""
    row = page.lines[item.start]
    if not item.box:
        return row
    for mark in ("[ ]", "[x]", "[X]"):
        if mark in row:
            return row.replace(mark, f"[{box}]", 1)
    return row


def bullet_prefix(page: BacklogPage, box: str) -> str:
    """The bullet of a new item, in the style of the page."""
    has_boxes = any(item.box for item in _items_on_page(page))
    return f"- [{box}] " if has_boxes else "- "


def append_blocks(page: BacklogPage, title: str, blocks: list[list[str]]) -> BacklogPage:
    """Add blocks of lines after the last item of a section, or in place of its placeholder."""
    page = with_section(page, title)
    name, end = title.casefold(), page.line_ending
    span, items = page.spans[name], page.section_items(name)
    rows = [f"{row}{end}" for block in blocks for row in block]
    placeholder = _placeholder_line(page, span)
    last_text = max((number + 1 for number in span if page.lines[number].strip()), default=0)
    if items:
        at = after = items[-1].end
    elif placeholder is not None:
        at, after = placeholder, placeholder + 1
    elif last_text:
        at = after = last_text
    else:  # an empty line below the heading, and one before the next section
        at, after = span.start, span.stop
        rows = [end, *rows, end]
    before = page.lines[:at]
    if before and not before[-1].endswith("\n"):
        before[-1] += end
    return BacklogPage("".join([*before, *rows, *page.lines[after:]]))


def _placeholder_line(page: BacklogPage, span: range) -> int | None:
    for number in span:
        if page.visible[number].strip() in PLACEHOLDERS and not page.is_code[number]:
            return number
    return None


def with_notes(page: BacklogPage, b: Backlog) -> BacklogPage:
    """Add notes taken by command, and all notes if the page was lost. The page owns the others."""
    if b.notes and not page.section_text("notes"):
        page = append_blocks(page, "Notes", [b.notes.splitlines()])
    present = {item_key(item.text) for item in page.section_items("notes")}
    new = [text for text in b.added_notes if item_key(text) not in present]
    return append_blocks(page, "Notes", [[f"- {text}"] for text in new]) if new else page


def with_section(page: BacklogPage, title: str) -> BacklogPage:
    """The page with this section; a missing one is added at the end, after an empty line."""
    if title.casefold() in page.spans:
        return page
    end = page.line_ending
    text = "".join(page.lines)
    if text and not text.endswith(end):
        text += end
    if text and not text.endswith(end * 2):
        text += end
    return BacklogPage(f"{text}## {title}{end}{end}")
