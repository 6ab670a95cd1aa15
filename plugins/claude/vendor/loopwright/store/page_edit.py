"""The page of a discovery loop, written: as few lines as possible are changed, everything else stays byte for byte."""

from __future__ import annotations

from ..core.backlog import Backlog, backlog_of, key
from ..core.coaching import focus
from ..core.loop import ENDED, Loop
from ..core.record import dumps
from ..core.wording import summary
from .page import DONE, FOCUS, OPEN, PLACEHOLDERS, Entry, Page, value_of
from .seen import heading

BLANK = f"""## Scope

## Current Focus

{FOCUS}

## Backlog

{OPEN}

## Completed

{DONE}

## Notes

"""


def render(loop: Loop, old: str) -> str:
    """The page that says what the loop knows, made from the page that is there."""
    b = backlog_of(loop)
    page = Page(old if old.strip() else BLANK.replace("## Current", "## Context\n\n## Current" if b.context else "## Current"))
    page = with_fields(page, fields(loop, b))
    page = with_text(page, "Scope", loop.spec)
    if b.context:
        page = with_text(page, "Context", b.context)
    now = focus(loop)
    page = with_text(page, "Current Focus", now if escaped(now).strip() else FOCUS)  # words that nobody can see are none
    page = with_items(page, b)
    page = with_notes(page, b)
    return "".join(page.lines)


def fields(loop: Loop, b: Backlog) -> dict[str, str]:
    return {
        "mode": "discovery",
        "preset": b.preset,
        "iteration": f"{loop.spend.iterations + (loop.status not in ENDED)}",
        "max_iterations": f"{loop.limits.iterations}",
        "scope": dumps(summary(loop, 200)),
        "idle_streak": f"{loop.streak.idle}",
        "exploration_streak": f"{loop.streak.dry}",
        "task_started_at": f"{b.task_since}",
        "issues_found": f"{b.found}",
        "issues_fixed": f"{b.fixed}",
    }


def with_fields(page: Page, wanted: dict[str, str]) -> Page:
    """Our lines of the frontmatter; somebody else's stay. A field that is missing is added, a frontmatter too."""
    lines, end = page.lines, page.end
    if not page.front:
        return Page("".join([f"---{end}", *(f"{n}: {v}{end}" for n, v in wanted.items()), f"---{end}{end}", *lines]))
    for name, value in wanted.items():
        at = next((n for n in page.front if lines[n].startswith(f"{name}:")), None)
        if at is None:
            lines = [*lines[: page.front.stop], f"{name}: {value}{end}", *lines[page.front.stop :]]
            page = Page("".join(lines))
        elif f"{name}: {value}" != lines[at].rstrip("\r\n").removesuffix(value_of(lines[at])[1]).rstrip():
            comment = "" if name == "scope" else value_of(lines[at])[1]
            lines = [*lines[:at], f"{name}: {value}{comment}{end}", *lines[at + 1 :]]
    return Page("".join(lines))


def with_text(page: Page, title: str, text: str) -> Page:
    """The section says this and no more; comments in it stay, below."""
    name, end = title.casefold(), page.end
    rows = [escaped(row) for row in text.strip().splitlines()]
    wanted = ["\n".join(row.rstrip() for row in some).strip() for some in (rows, text.strip().splitlines())]
    if {page.said(name), page.text(name) or None} & {*wanted} or (text in PLACEHOLDERS and page.text(name) == ""):
        return page  # in our spelling or in a person's own
    page = with_section(page, title)
    span = page.spans[name]
    comments = page.comments(span)
    body = [end, *(f"{row}{end}" for row in rows), *([end] if rows else []), *comments, *([end] if comments else [])]
    return Page("".join([*page.lines[: span.start], *body, *page.lines[span.stop :]]))


def escaped(row: str) -> str:
    """A line of a person's text that would read as a heading, or open a comment, in the page."""
    row = "".join(" " if letter.isspace() and letter != "\t" else letter for letter in row if visible(letter))
    row = row.replace("<!--", "< !--").replace("-->", "-- >").replace("```", "'''").replace("~~~", "---")
    return f"\\{row}" if heading(row) is not None else row


def visible(letter: str) -> bool:
    return letter.isprintable() or letter.isspace()


def with_items(page: Page, b: Backlog) -> Page:
    """Items go where they belong, with all their lines; what is missing is added; nothing is taken out."""
    open_keys, done_keys = {key(text) for text in b.items}, {key(text) for text in b.done}
    page = moved(page, "backlog", "Completed", done_keys - open_keys, "x")
    page = unticked(page, open_keys - done_keys)
    page = moved(page, "completed", "Backlog", open_keys - done_keys - {key(text) for text in page.open or ()}, " ")
    for title, texts, box in (("Backlog", b.items, " "), ("Completed", b.done, "x")):
        there = {key(entry.text) for name in ("backlog", "completed") for entry in page.entries(name)}
        new = [text for text in texts if key(text) not in there]
        page = appended(page, title, [[f"{bullet(page, box)}{text}"] for text in new]) if new else page
    empty = not b.items and not any(page.lines[n].strip() for n in page.spans.get("backlog", ()))
    return appended(page, "Backlog", [[OPEN]]) if empty else page


def moved(page: Page, source: str, target: str, keys: set[str], box: str) -> Page:
    gone = [entry for entry in page.entries(source) if key(entry.text) in keys]
    if not gone:
        return page
    blocks = [[ticked(page, entry, box), *page.lines[entry.start + 1 : entry.end]] for entry in gone]
    cut = {n for entry in gone for n in range(entry.start, entry.end)}
    rest = Page("".join(line for n, line in enumerate(page.lines) if n not in cut))
    return appended(rest, target, [[row.rstrip("\r\n") for row in block] for block in blocks])


def unticked(page: Page, keys: set[str]) -> Page:
    """An item that is open is not shown as done."""
    lines = list(page.lines)
    for entry in page.entries("backlog"):
        if entry.box == "x" and key(entry.text) in keys:
            lines[entry.start] = ticked(page, entry, " ")
    return Page("".join(lines)) if lines != page.lines else page


def ticked(page: Page, entry: Entry, box: str) -> str:
    """The first line of an item, its box set; what stands below is the person's."""
    row = page.lines[entry.start]
    at = next((row.index(mark) for mark in ("[ ]", "[x]", "[X]") if mark in row), -1) if entry.box else -1
    return f"{row[: at + 1]}{box}{row[at + 2 :]}" if at >= 0 else row


def bullet(page: Page, box: str) -> str:
    """In the style that the page has."""
    boxed = any(entry.box for name in ("backlog", "completed") for entry in page.entries(name))
    return f"- [{box}] " if boxed else "- "


def appended(page: Page, title: str, blocks: list[list[str]]) -> Page:
    """Blocks of lines after the last item of a section, or in the place of its placeholder."""
    page = with_section(page, title)
    name, end = title.casefold(), page.end
    span, entries = page.spans[name], page.entries(name)
    new = [f"{row}{end}" for block in blocks for row in block]
    holder = next((n for n in span if page.seen[n].strip() in PLACEHOLDERS and not page.code[n]), None)
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
    return Page("".join([*before, *new, *page.lines[after:]]))


def with_notes(page: Page, b: Backlog) -> Page:
    """Notes are the page's own; those taken down by command are added, and all of them where the page was lost."""
    if b.notes and not page.text("notes"):
        page = appended(page, "Notes", [b.notes.splitlines()])
    there = {key(entry.text) for entry in page.entries("notes")}
    new = [text for text in b.jotted if key(text) not in there]
    return appended(page, "Notes", [[f"- {text}"] for text in new]) if new else page


def with_section(page: Page, title: str) -> Page:
    if title.casefold() in page.spans:
        return page
    end = page.end
    text = "".join(page.lines)
    gap = "" if not text or text.endswith(end * 2) else end if text.endswith(end) else end * 2
    return Page(f"{text}{gap}## {title}{end}{end}")
