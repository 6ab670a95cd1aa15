"""The page of a discovery loop, .claude/loop-state.local.md, read: frontmatter, sections, items in both of the seed's styles.

What somebody changed in it is a claim; the numbers in it are ours. Comments are seen by people only: `<!-- so -->`.
"""

from __future__ import annotations

from ..core.backlog import item, key
from ..core.record import Record
from ..core.signals import Tended

MOST = 200_000  # letters; a longer page is set aside
BULLETS = ("- ", "* ", "+ ")
SECTIONS = ("scope", "context", "current focus", "backlog", "completed", "notes")


class Entry(Record):
    """One item: the lines it takes, further ones being indented, and its box if it has one."""

    start: int
    end: int
    text: str
    box: str = ""  # "", " " or "x"


class Page:
    """The lines of a page with their ends, and what they mean."""

    def __init__(self, text: str) -> None:
        self.lines = _split(text)
        self.seen, self.code = _visible(self.lines)
        self.front = self._front()
        self.spans = self._sections()

    def _front(self) -> range:
        """The lines of the frontmatter between its rules; empty without one."""
        if not self.lines or self.lines[0].strip("\ufeff \r\n") != "---":
            return range(0)
        close = next((n for n, line in enumerate(self.lines[1:100], 1) if line.strip() == "---"), 0)
        return range(1, close) if close else range(0)

    def _sections(self) -> dict[str, range]:
        """Name → its lines without the heading, up to the next heading of the same rank or above."""
        heads = [(n, heading(self.seen[n])) for n in range(self.front.stop, len(self.lines)) if not self.code[n]]
        heads = [(n, name) for n, name in heads if name is not None]
        ends = [n for n, _ in heads[1:]] + [len(self.lines)]
        spans: dict[str, range] = {}
        for (n, name), end in zip(heads, ends, strict=False):
            if name in SECTIONS:
                spans.setdefault(name, range(n + 1, end))
        return spans

    def field(self, name: str) -> str | None:
        """A value of the frontmatter, without quotes and without a comment behind it."""
        return next((value_of(self.lines[n])[0] for n in self.front if self.lines[n].startswith(f"{name}:")), None)

    def number(self, name: str) -> int | None:
        value = self.field(name)
        return int(value) if value and value.isdecimal() and len(value) < 10 else None

    def text(self, name: str) -> str | None:
        """What a section says, comments aside; None where there is no such section, "" for a note in brackets."""
        if name not in self.spans:
            return None
        said = "\n".join(self.seen[n].rstrip() for n in self.spans[name]).strip()
        return "" if said.startswith("(") and said.endswith(")") and "\n" not in said else said

    def entries(self, name: str) -> list[Entry]:
        """The items of a section. Those that are set in further belong to the one above them."""
        found: list[Entry] = []
        open_entry = False
        for n in self.spans.get(name, range(0)):
            line = self.seen[n]
            indent = len(line) - len(line.lstrip(" \t"))
            if not self.code[n] and indent < 2 and line.lstrip().startswith(BULLETS):
                bare = line.lstrip()[2:].lstrip()
                box = bare[1].lower() if bare[:4].lower() in ("[ ] ", "[x] ") else ""
                if text := item(bare[4:] if box else bare):
                    found.append(Entry(n, n + 1, text, box))
                    open_entry = True
                    continue
            open_entry = open_entry and bool(self.lines[n].strip()) and self.lines[n].startswith(("  ", "\t"))
            if open_entry:
                found[-1] = found[-1].but(end=n + 1)
        return found

    @property
    def open(self) -> list[str] | None:
        if "backlog" not in self.spans:
            return None
        return [entry.text for entry in self.entries("backlog") if entry.box != "x"]

    @property
    def done(self) -> list[str] | None:
        if "completed" not in self.spans:
            return None
        ticked = [entry.text for entry in self.entries("backlog") if entry.box == "x"]
        return [*ticked, *(entry.text for entry in self.entries("completed"))]


def value_of(line: str) -> tuple[str, str]:
    """The value in a line `name: value  # comment`, and the comment with the space before it."""
    value = line.partition(":")[2].rstrip("\r\n")
    bare = value.strip()
    if bare[:1] in ('"', "'") and bare[1:].rfind(bare[0]) >= 0:
        return bare[1 : bare.rindex(bare[0])], ""
    words, mark, comment = value.partition(" #")
    return words.strip(), f" #{comment}" if mark else ""


def edits(base: Page | None, now: Page, at: float) -> Tended:
    """What somebody changed, against the page as we last wrote it. A section that is gone says nothing."""
    had_open, had_done = (base.open or [], base.done or []) if base else ([], [])
    here_open, here_done = now.open, now.done
    gone = not (here_open is None or here_done is None)
    there = {key(text) for text in (*(here_open or ()), *(here_done or ()))}
    raised = [name for name in ("max_iterations",) if base and _above(now.number(name), base.number(name))]
    lowered = [name for name in ("iteration",) if base and _above(base.number(name), now.number(name))]
    return Tended(
        at,
        found=_beyond(here_open or [], had_open),
        done=_beyond(here_done or [], had_done),
        dropped=tuple(text for text in (*had_open, *had_done) if gone and key(text) not in there),
        order=tuple(here_open) if here_open is not None and base and here_open != had_open else (),
        focus=_changed(base, now, "current focus"),
        notes=_changed(base, now, "notes"),
        tampered=(*raised, *lowered),
    )


def _beyond(here: list[str], had: list[str]) -> tuple[str, ...]:
    keys = {key(text) for text in had}
    return tuple({key(text): text for text in here if key(text) not in keys}.values())


def _changed(base: Page | None, now: Page, name: str) -> str | None:
    said = now.text(name)
    if said is None or (base is not None and base.text(name) == said):
        return None
    return said[:MOST] if base is not None or said else None


def _above(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one > other


def heading(line: str) -> str | None:
    """The name of a heading of the first two ranks."""
    marks, space, name = line.partition(" ")
    return name.strip().casefold().rstrip(":") if space and marks in ("#", "##") else None


def _split(text: str) -> list[str]:
    """Lines with their ends; only \\n ends one, unlike in str.splitlines, which knows a dozen ends."""
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _visible(lines: list[str]) -> tuple[list[str], list[bool]]:
    """Each line without its end and without comments, and whether it is code. What is opened and never closed is plain text."""
    seen = [line.rstrip("\r\n") for line in lines]
    code = [False] * len(lines)
    n = 0
    while n < len(lines):
        bare = seen[n].strip()
        if bare.startswith(("```", "~~~")) and (last := _closing(seen, n + 1, bare[:3], at_start=True)):
            code[n : last + 1] = [True] * (last + 1 - n)
            n = last + 1
            continue
        at = 0
        while (at := seen[n].find("<!--", at)) >= 0:
            before, after = seen[n][:at], seen[n][at + 4 :]
            if "-->" in after:
                seen[n] = before + after.partition("-->")[2]
            elif last := _closing(seen, n + 1, "-->", at_start=False):
                seen[n] = before
                seen[n + 1 : last] = [""] * (last - n - 1)
                seen[last] = seen[last].partition("-->")[2]
                break
            else:
                at += 4
        n += 1
    return seen, code


def _closing(seen: list[str], start: int, mark: str, at_start: bool) -> int:
    """The line that closes a block, if it comes before the next section of ours; 0 for none."""
    for n in range(start, len(seen)):
        if seen[n].strip().startswith(mark) if at_start else mark in seen[n]:
            return n
        if heading(seen[n]) in SECTIONS:
            return 0
    return 0
