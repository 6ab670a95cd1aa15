"""A Markdown page as sections with nested list items. An item keeps all of its lines."""

from __future__ import annotations

from functools import lru_cache

from ... import lazy_re as re
from ...formats.front_matter import front_matter_span
from ..plan_text import (
    COMMENT,
    LINE,
    Piece,
    dedent_text,
    fenced_lines,
    parse_heading,
    split_lines,
    split_pieces,
)

ITEM = re.compile(
    r"([ \t]*)(?:[-*+](?=[ \t]|\[[ xX]\][ \t])|(\d{1,4})[.)](?=[ \t]))[ \t]*"
    r"(?:\[([ xX~/>!?✓✔✅-]?)\](\\?\*)?(?:[ \t]+|$|(?<=\])(?=\w)))?(.*)$"
)
RULE = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
# An unindented line directly below an item continues it, unless it begins like this.
NEW_BLOCK = ("|", ">", "<", "**", "__", "```", "~~~")
MAX_DEPTH = 30
TICKS = "xX✓✔✅"  # other letters than these and the blank: begun, moved, in question


class Item:
    """An item of a list: its box ("" without one), its words, further lines, nested items."""

    def __init__(self, line: int, column: int, number: str, box: str | None, words: str) -> None:
        self.line, self.column, self.number, self.words = line, column, number, words
        self.has_box = box is not None
        self.is_ticked = (box or " ") in TICKS
        self.is_starred = False
        self.more: list[str] = []
        self.items: list[Item] = []

    @property
    def text(self) -> str:
        """All its own words on one line."""
        return " ".join(" ".join([self.words, *self.more]).split())

    @property
    def body(self) -> str:
        """All its own words, in the lines of the file."""
        more = dedent_text("\n" + "\n".join(self.more)) if any(self.more) else ""
        return "\n".join(filter(None, (self.words.strip(), more.strip("\n"))))

    def all_text(self) -> str:
        """Its words, and those of all nested items as a list."""
        return "\n".join([self.body, *list_rows(self.items)])

    def all_text_without(self, left_out: list[Item]) -> str:
        """Its words and those of its nested items, but not of these."""
        rows = [item.text for item in self.items if item not in left_out]
        return "; ".join([self.text, *rows])


def list_rows(items: list[Item]) -> list[str]:
    """The items as a list, with all that is in them."""
    return ["- " + item.all_text().replace("\n", "\n  ") for item in items]


class Section:
    """A heading (rank 0: before the first one), the text below it, and its lists."""

    def __init__(self, rank: int, title: str, line: int) -> None:
        self.rank, self.title, self.line = rank, title, line
        self.lines: list[str] = []
        self.items: list[Item] = []


class _Reader:
    def __init__(self) -> None:
        self.sections = [Section(0, "", 1)]
        self.open_items: list[Item] = []
        self.after_blank = False

    def add_piece(self, piece: Piece, in_code: bool) -> None:
        if piece.kind == COMMENT:
            return
        if piece.kind != LINE:
            self.open_items = []
            self.sections[-1].lines.append(piece.text)
        elif in_code and self.open_items:
            self.open_items[-1].more.append(piece.text)
        else:
            self.add_line(piece)

    def add_line(self, piece: Piece) -> None:
        line = piece.text
        rank, words = parse_heading(line)
        item = None if RULE.match(line) else ITEM.match(line)
        if rank:
            self.open_items = []
            self.sections.append(Section(rank, words, piece.line))
        elif item and (item[5].strip() or item[3] is not None):
            self.add_item(piece.line, item)
        elif not line.strip():
            self.sections[-1].lines.append("")
        else:
            self.add_text(line)
        self.after_blank = not line.strip()

    def add_item(self, line: int, match: re.Match[str]) -> None:
        column = len(match[1].expandtabs(4))
        item = Item(line, column, match[2] or "", match[3], match[5].strip())
        item.is_starred = bool(match[4])
        parents = [known for known in self.open_items if known.column < column][:MAX_DEPTH]
        (parents[-1].items if parents else self.sections[-1].items).append(item)
        self.open_items = [*parents, item]

    def add_text(self, line: str) -> None:
        """Add more words to the item above, or text to the section."""
        column = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        owners = [item for item in self.open_items if item.column < column]
        begins_block = line.startswith(NEW_BLOCK) or RULE.match(line)
        if not owners and not self.after_blank and not begins_block:
            owners = self.open_items
        if owners:
            owners[-1].more.append(line)
            self.open_items = owners
        else:
            self.open_items = []
            self.sections[-1].lines.append(line)


@lru_cache(maxsize=2)  # several recognisers look at one text; none changes what they get
def read_outline(text: str) -> list[Section]:
    """The sections of a page, without its front matter and its comments."""
    span = front_matter_span(text)
    first = text.count("\n", 0, span[2]) if span else 0
    pieces = list(split_pieces(split_lines(text), first))
    code = _indented_code(pieces)
    reader = _Reader()
    for number, piece in enumerate(pieces):
        reader.add_piece(piece, number in code)
    return reader.sections


def _indented_code(pieces: list[Piece]) -> set[int]:
    """The lines of fences inside items."""
    return fenced_lines(
        [p.text if p.kind == LINE and p.text[:1] in (" ", "\t") else "" for p in pieces]
    )


def section_with_deeper(sections: list[Section], number: int) -> list[Section]:
    """The section at this place, and the deeper ones below it."""
    end = number + 1
    while end < len(sections) and sections[end].rank > sections[number].rank:
        end += 1
    return sections[number:end]


def page_title(sections: list[Section]) -> str:
    """The first heading."""
    return next((section.title for section in sections if section.rank), "")


def split_title(sections: list[Section], pattern: re.Pattern[str]) -> tuple[str, str]:
    """The phase that the first heading begins with, and its other words."""
    title = page_title(sections)
    match = pattern.match(title)
    return (match[1], match[2]) if match else ("", title)


def boxes_in(sections: list[Section]) -> list[Item]:
    """The outermost items with a box."""
    found: list[Item] = []
    to_visit = [item for section in reversed(sections) for item in reversed(section.items)]
    while to_visit:
        item = to_visit.pop()
        if item.has_box:
            found.append(item)
        else:
            to_visit += reversed(item.items)
    return found
