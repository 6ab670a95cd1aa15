"""Read the page of a discovery loop, .claude/loop-state.local.md: front matter, sections, items.

An edit of the page is a claim; the numbers in it are ours. Comments, `<!-- … -->`, are for people
and are not read. Items may be written in both styles of the original plugin, with and without a
box.
"""

from __future__ import annotations

from ..core.discovery.backlog import item_key, item_text, new_items
from ..core.record import Record
from .visible_lines import SECTIONS, VisibleLines, heading_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.signals import BacklogEdited

MAX_CHARS = 200_000  # a longer page is set aside
MAX_FRONT_MATTER_LINES = 100
BULLETS = ("- ", "* ", "+ ")
# The text of a section that is empty. The last two are those of the original plugin.
FOCUS_PLACEHOLDER = "(What is worked on now.)"
OPEN_PLACEHOLDER = "(Found, and not done yet. One item a line: - text)"
DONE_PLACEHOLDER = "(What is done.)"
PLACEHOLDERS = (
    FOCUS_PLACEHOLDER,
    OPEN_PLACEHOLDER,
    DONE_PLACEHOLDER,
    "(Tasks discovered but not yet addressed)",
    "(What you've accomplished)",
)


class PageItem(Record):
    """One item: its lines, of which all but the first are indented, and its box if it has one."""

    start: int
    end: int
    text: str
    box: str = ""  # "", " " or "x"


class BacklogPage:
    """The lines of a page with their ends, its front matter, its sections and their items."""

    def __init__(self, text: str) -> None:
        text_lines = VisibleLines(text)
        self.lines = text_lines.whole
        self.visible = text_lines.visible
        self.is_code = text_lines.is_code
        self.continuation_lines = text_lines.continuation_lines
        self._comments = text_lines.comments
        self.line_ending = "\r\n" if any(line.endswith("\r\n") for line in self.lines) else "\n"
        self.front_matter = self._find_front_matter()
        self.spans = self._find_sections()

    def _find_front_matter(self) -> range:
        """The lines of the front matter between its rules; empty without one."""
        if not self.lines or self.lines[0].strip("\ufeff \r\n") != "---":
            return range(0)
        for number, line in enumerate(self.lines[1:MAX_FRONT_MATTER_LINES], 1):
            if line.strip() == "---":
                return range(1, number)
        return range(0)

    def _find_sections(self) -> dict[str, range]:
        """Name → its lines without the heading, up to the next heading of the first two ranks."""
        headings: list[tuple[int, str]] = []
        for number in range(self.front_matter.stop, len(self.lines)):
            name = heading_name(self.visible[number])
            if name is not None and not self.is_code[number]:
                headings.append((number, name))
        ends = [*(number for number, _ in headings), len(self.lines)][1:]
        spans: dict[str, range] = {}
        for (number, name), end in zip(headings, ends, strict=True):
            if name in SECTIONS:
                spans.setdefault(name, range(number + 1, end))
        return spans

    def field(self, name: str) -> str | None:
        """A value of the front matter, without quotes and without a comment after it."""
        for number in self.front_matter:
            if self.lines[number].startswith(f"{name}:"):
                return value_and_comment(self.lines[number])[0]
        return None

    def number_field(self, name: str) -> int | None:
        """A value of the front matter as a number; None if it is not one."""
        value = self.field(name) or ""
        is_number = value.isdecimal() and len(value) < 10
        return int(value) if is_number else None

    def section_text(self, name: str) -> str | None:
        """The visible text of a section, None without the section.

        A placeholder, or any other single line in brackets, is no text.
        """
        if name not in self.spans:
            return None
        rows = (self.visible[number].rstrip() for number in self.spans[name])
        text = "\n".join(row for row in rows if row.strip() not in PLACEHOLDERS).strip()
        in_brackets = text.startswith("(") and text.endswith(")")
        return "" if in_brackets and "\n" not in text else text

    def visible_text(self, name: str) -> str | None:
        """The whole visible text of a section, with placeholders; None without the section."""
        if name not in self.spans:
            return None
        return "\n".join(self.visible[number].rstrip() for number in self.spans[name]).strip()

    def comments_in(self, span: range) -> list[str]:
        """The comments that begin in these lines; as whole lines where nothing else is on them."""
        rows: list[str] = []
        whole_lines: set[int] = set()
        for comment in self._comments:
            if comment.first not in span:
                continue
            lines = range(comment.first, comment.last + 1)
            if any(self.visible[number].strip() for number in lines):
                rows.append(comment.text)
                continue
            new = [number for number in lines if number not in whole_lines]
            rows += [self.lines[number].rstrip("\r\n") for number in new]
            whole_lines |= {*new}
        return [f"{row}{self.line_ending}" for row in rows]

    def section_items(self, name: str) -> list[PageItem]:
        """The items of a section. Lines that are indented further belong to the item above."""
        items: list[PageItem] = []
        may_continue = False  # does the line before belong to an item?
        for number in self.spans.get(name, range(0)):
            item = self._item_at(number)
            if item:
                items.append(item)
                may_continue = True
                continue
            may_continue = may_continue and self._is_continuation(number)
            if may_continue:
                items[-1] = items[-1].but(end=number + 1)
        return items

    def _item_at(self, number: int) -> PageItem | None:
        """The item that begins in this line."""
        line = self.visible[number]
        indented_far = line.expandtabs(4).startswith("  ")
        if self.is_code[number] or indented_far or not line.lstrip().startswith(BULLETS):
            return None
        words = line.lstrip()[2:].lstrip()
        box = ""
        if words[:4].lower() in ("[ ] ", "[x] "):
            box, words = words[1].lower(), words[4:]
        text = item_text(words)
        return PageItem(number, number + 1, text, box) if text else None

    def _is_continuation(self, number: int) -> bool:
        if number in self.continuation_lines:
            return True
        line = self.lines[number]
        return line.startswith(("  ", "\t")) and bool(line.strip())

    @property
    def open_items(self) -> list[str] | None:
        """The texts of the open items; None without the section."""
        if "backlog" not in self.spans:
            return None
        return [item.text for item in self.section_items("backlog") if item.box != "x"]

    @property
    def done_items(self) -> list[str] | None:
        """The texts of the done items; None without the section, unless an open item is ticked."""
        ticked = [item.text for item in self.section_items("backlog") if item.box == "x"]
        if "completed" not in self.spans and not ticked:
            return None
        return [*ticked, *(item.text for item in self.section_items("completed"))]


def value_and_comment(line: str) -> tuple[str, str]:
    """The value in a line `name: value  # comment`, and the comment with the space before it."""
    value = line.partition(":")[2].rstrip("\r\n")
    bare = value.strip()
    if bare[:1] in ('"', "'") and bare[0] in bare[1:]:
        close = bare.rindex(bare[0])
        _, mark, comment = bare[close + 1 :].partition(" #")
        return bare[1:close], mark + comment
    words, mark, comment = value.partition(" #")
    return words.strip(), mark + comment


def backlog_edits(base: BacklogPage | None, now: BacklogPage, at: float) -> BacklogEdited:
    """What was changed since we last wrote the page (`base`). A missing section says nothing."""
    from ..core.signals import BacklogEdited

    old = base or BacklogPage("")
    old_open, old_done = old.open_items or [], old.done_items or []
    new_open, new_done = now.open_items or [], now.done_items or []
    # An item that left the backlog and is in the other list counts as newly done.
    closed = _keys(old_open) - _keys(new_open or old_open)
    done_before = [text for text in old_done if item_key(text) not in closed]
    return BacklogEdited(
        at=at,
        found=new_items(new_open, old_open),
        done=new_items(new_done, done_before),
        dropped=_dropped_items(now, [*old_open, *old_done]),
        item_order=_changed_order(base, now),
        focus=_changed_section(base, now, "current focus"),
        notes=_changed_section(base, now, "notes"),
        notes_on_page=_notes_that_changed(base, now),
        tampered_fields=_tampered_fields(base, now) if base else (),
    )


def _keys(texts: list[str]) -> set[str]:
    return {item_key(text) for text in texts}


def _dropped_items(now: BacklogPage, old: list[str]) -> tuple[str, ...]:
    """Items that are in neither list any more. If one list is missing, nothing was dropped."""
    if not {"backlog", "completed"} <= now.spans.keys():
        return ()
    items = [*now.section_items("backlog"), *now.section_items("completed")]
    present = _keys([item.text for item in items])
    return tuple(text for text in old if item_key(text) not in present)


def _changed_order(base: BacklogPage | None, now: BacklogPage) -> tuple[str, ...]:
    """The open items as they are arranged now; empty if they did not change."""
    if base is None or now.open_items is None or now.open_items == (base.open_items or []):
        return ()
    return tuple(now.open_items)


def _notes_that_changed(base: BacklogPage | None, now: BacklogPage) -> tuple[str, ...]:
    """The notes that were there to be edited; empty if the section did not change."""
    if base is None or _changed_section(base, now, "notes") is None:
        return ()
    return tuple(item.text for item in base.section_items("notes"))


def _tampered_fields(base: BacklogPage, now: BacklogPage) -> tuple[str, ...]:
    """A raised limit and a lowered counter."""
    fields: list[str] = []
    if _is_above(now.number_field("max_iterations"), base.number_field("max_iterations")):
        fields.append("max_iterations")
    if _is_above(base.number_field("iteration"), now.number_field("iteration")):
        fields.append("iteration")
    return tuple(fields)


def _changed_section(base: BacklogPage | None, now: BacklogPage, name: str) -> str | None:
    """The new text of a section; None if it did not change."""
    text = now.section_text(name)
    if base is None:
        return text[:MAX_CHARS] if text else None
    if text is None or text == base.section_text(name):
        return None
    return text[:MAX_CHARS]


def _is_above(number: int | None, limit: int | None) -> bool:
    return number is not None and limit is not None and number > limit
