"""The page of a discovery loop, .claude/loop-state.local.md, read: frontmatter, sections, items in both of the seed's styles.

What somebody changed in it is a claim; the numbers in it are ours. Comments are seen by people only: `<!-- so -->`.
"""

from __future__ import annotations

from ..core.discovery.backlog import item_key, item_text, new_items
from ..core.record import Record
from ..core.signals import BacklogEdited
from .visible_lines import SECTIONS, VisibleLines, heading_name

MAX_CHARS = 200_000  # letters; a longer page is set aside
BULLETS = ("- ", "* ", "+ ")
# What a section says while it says nothing; the last two are the seed's.
FOCUS_PLACEHOLDER, OPEN_PLACEHOLDER, DONE_PLACEHOLDER = (
    "(What is worked on now.)",
    "(Found, and not done yet. One item a line: - text)",
    "(What is done.)",
)
PLACEHOLDERS = (
    FOCUS_PLACEHOLDER,
    OPEN_PLACEHOLDER,
    DONE_PLACEHOLDER,
    "(Tasks discovered but not yet addressed)",
    "(What you've accomplished)",
)


class PageItem(Record):
    """One item: the lines it takes, further ones being indented, and its box if it has one."""

    start: int
    end: int
    text: str
    box: str = ""  # "", " " or "x"


class BacklogPage:
    """The lines of a page with their ends, and what they mean."""

    def __init__(self, text: str) -> None:
        shown = VisibleLines(text)
        self.lines, self.visible, self.is_code, self.continuation_lines = (
            shown.whole,
            shown.visible,
            shown.is_code,
            shown.continuation_lines,
        )
        self._comments = shown.comments
        self.line_ending = "\r\n" if any(line.endswith("\r\n") for line in self.lines) else "\n"
        self.front_matter = self._find_front_matter()
        self.spans = self._find_sections()

    def _find_front_matter(self) -> range:
        """The lines of the frontmatter between its rules; empty without one."""
        if not self.lines or self.lines[0].strip("\ufeff \r\n") != "---":
            return range(0)
        close = next((n for n, line in enumerate(self.lines[1:100], 1) if line.strip() == "---"), 0)
        return range(1, close) if close else range(0)

    def _find_sections(self) -> dict[str, range]:
        """Name → its lines without the heading, up to the next heading of the same rank or above."""
        heads = [
            (n, heading_name(self.visible[n]))
            for n in range(self.front_matter.stop, len(self.lines))
            if not self.is_code[n]
        ]
        heads = [(n, name) for n, name in heads if name is not None]
        ends = [*(n for n, _ in heads), len(self.lines)][1:]
        spans: dict[str, range] = {}
        for (n, name), end in zip(heads, ends, strict=True):
            if name in SECTIONS:
                spans.setdefault(name, range(n + 1, end))
        return spans

    def field(self, name: str) -> str | None:
        """A value of the frontmatter, without quotes and without a comment behind it."""
        return next(
            (
                value_and_comment(self.lines[n])[0]
                for n in self.front_matter
                if self.lines[n].startswith(f"{name}:")
            ),
            None,
        )

    def number_field(self, name: str) -> int | None:
        value = self.field(name)
        return int(value) if value and value.isdecimal() and len(value) < 10 else None

    def section_text(self, name: str) -> str | None:
        """What a section says, comments aside; None where there is no such section, "" for a note in brackets."""
        if name not in self.spans:
            return None
        said = "\n".join(
            self.visible[n].rstrip()
            for n in self.spans[name]
            if self.visible[n].strip() not in PLACEHOLDERS
        ).strip()
        return "" if said.startswith("(") and said.endswith(")") and "\n" not in said else said

    def visible_text(self, name: str) -> str | None:
        """Every visible word of a section, a note in brackets too."""
        return (
            "\n".join(self.visible[n].rstrip() for n in self.spans[name]).strip()
            if name in self.spans
            else None
        )

    def comments_in(self, span: range) -> list[str]:
        """The comments that begin in some lines; whole lines where nothing else is on them."""
        kept: dict[int, str] = {}
        for number, c in enumerate(self._comments):
            if c.first in span and any(self.visible[n].strip() for n in range(c.first, c.last + 1)):
                kept[-number - 1] = c.text
            elif c.first in span:
                kept |= {n: self.lines[n].rstrip("\r\n") for n in range(c.first, c.last + 1)}
        return [f"{text}{self.line_ending}" for text in kept.values()]

    def section_items(self, name: str) -> list[PageItem]:
        """The items of a section. Those that are set in further belong to the one above them."""
        found: list[PageItem] = []
        open_entry = False
        for n in self.spans.get(name, range(0)):
            line = self.visible[n]
            indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))
            if not self.is_code[n] and indent < 2 and line.lstrip().startswith(BULLETS):
                bare = line.lstrip()[2:].lstrip()
                box = bare[1].lower() if bare[:4].lower() in ("[ ] ", "[x] ") else ""
                if text := item_text(bare[4:] if box else bare):
                    found.append(PageItem(n, n + 1, text, box))
                    open_entry = True
                    continue
            further = bool(self.lines[n].strip()) and self.lines[n].startswith(("  ", "\t"))
            open_entry = open_entry and (further or n in self.continuation_lines)
            if open_entry:
                found[-1] = found[-1].but(end=n + 1)
        return found

    @property
    def open_items(self) -> list[str] | None:
        if "backlog" not in self.spans:
            return None
        return [entry.text for entry in self.section_items("backlog") if entry.box != "x"]

    @property
    def done_items(self) -> list[str] | None:
        ticked = [entry.text for entry in self.section_items("backlog") if entry.box == "x"]
        if "completed" not in self.spans and not ticked:
            return None
        return [*ticked, *(entry.text for entry in self.section_items("completed"))]


def value_and_comment(line: str) -> tuple[str, str]:
    """The value in a line `name: value  # comment`, and the comment with the space before it."""
    value = line.partition(":")[2].rstrip("\r\n")
    bare = value.strip()
    if bare[:1] in ('"', "'") and bare[1:].rfind(bare[0]) >= 0:
        close = bare.rindex(bare[0])
        _, mark, comment = bare[close + 1 :].partition(" #")
        return bare[1:close], f" #{comment}" if mark else ""
    words, mark, comment = value.partition(" #")
    return words.strip(), f" #{comment}" if mark else ""


def backlog_edits(base: BacklogPage | None, now: BacklogPage, at: float) -> BacklogEdited:
    """What somebody changed, against the page as we last wrote it. A section that is gone says nothing."""
    had_open, had_done = (base.open_items or [], base.done_items or []) if base else ([], [])
    here_open, here_done = now.open_items, now.done_items
    gone = "backlog" in now.spans and "completed" in now.spans
    shut = {item_key(text) for text in had_open} - {
        item_key(text) for text in here_open or had_open
    }  # no longer open
    there = {item_key(text) for text in (*(here_open or ()), *(here_done or ()))}
    raised = [
        name
        for name in ("max_iterations",)
        if base and _is_above(now.number_field(name), base.number_field(name))
    ]
    lowered = [
        name
        for name in ("iteration",)
        if base and _is_above(base.number_field(name), now.number_field(name))
    ]
    return BacklogEdited(
        at,
        found=new_items(here_open or (), had_open),
        done=new_items(here_done or (), [text for text in had_done if item_key(text) not in shut]),
        dropped=tuple(
            text for text in (*had_open, *had_done) if gone and item_key(text) not in there
        ),
        item_order=tuple(here_open)
        if here_open is not None and base and here_open != had_open
        else (),
        focus=_changed_section(base, now, "current focus"),
        notes=(notes := _changed_section(base, now, "notes")),
        notes_on_page=tuple(entry.text for entry in base.section_items("notes"))
        if base and notes is not None
        else (),
        tampered_fields=(*raised, *lowered),
    )


def _changed_section(base: BacklogPage | None, now: BacklogPage, name: str) -> str | None:
    said = now.section_text(name)
    if said is None or (base is not None and base.section_text(name) == said):
        return None
    return said[:MAX_CHARS] if base is not None or said else None


def _is_above(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one > other
