"""The parts of a change that can be taken away: changed functions, and hunks outside of them."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.record import Record
from ..ratchet.readers.definitions import (
    CLASS,
    CONSTANT,
    FUNCTION,
    METHOD,
    Definition,
    changed_definitions,
    definitions,
)
from ..repo.sources import SourceFile, code_text
from .changed_files import ChangedFile, hunks_of, split_lines, with_lines
from .line_facts import LineFacts, line_facts, lines_of_tests
from .stubs import stub_body, without_unused_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_PARTS = 6
LAYOUT = re.compile(r"\s+|,(?=\s*[)\]}])|;(?=\s*(?:\n|$))")  # what formatters add and remove
FUNCTIONS = (FUNCTION, METHOD)


class Part(Record):
    """One change that can be taken away alone, and the text of the file without it."""

    path: str
    first: int  # lines of the file as it is now
    last: int
    taken: str
    text: str
    lines: tuple[int, ...]  # the changed lines that matter
    is_old: bool = False  # the text has what was there at the start; else a body is taken away
    function: str = ""  # whose body is taken away, or as it was at the start


def parts_of(file: ChangedFile) -> list[Part]:
    """All parts of a changed file that is there now, in its order."""
    text = file.after or ""
    facts = line_facts(file.path, text)
    changed = {n for hunk in hunks_of(file) for n in range(hunk.first, hunk.last + 1)}
    found = sorted(_function_parts(file, facts, changed), key=lambda part: part.first)
    inside = {
        n
        for each in definitions(file.path, text)
        for n in range(each.first, each.last + 1)
        if each.kind in FUNCTIONS
    }
    rest = [
        part
        for part in _hunk_parts(file, facts)
        if inside.isdisjoint(range(part.first, part.last + 1))
    ]
    return sorted([*found, *rest], key=lambda part: part.first)


def _function_parts(file: ChangedFile, facts: LineFacts, changed: set[int]) -> Iterator[Part]:
    text = file.after or ""
    tests = lines_of_tests(file.path, text)
    pairs = [
        (was, now)
        for was, now in changed_definitions(file.path, file.before, text)
        if now is not None and now.kind in FUNCTIONS
    ]
    for was, now in pairs:
        if any(_is_around(other, now) for _, other in pairs if other):
            continue
        lines = tuple(sorted(facts.lines & changed & {*range(now.first, now.last + 1)}))
        if now.last in tests:
            continue
        if was and _is_same_code(file.path, was.text, now.text):
            continue
        if was is None:
            taken = f"the body of {_name(now)} was taken away"
            without = stub_body(file.path, text, now)
        else:
            taken = f"{_name(now)} as it was at the start"
            old = _whole_lines(file.before or "", was)
            without = without_unused_imports(file.path, with_lines(text, now.first, now.last, old))
        if without is not None and without != text and (lines or was is not None):
            first = lines[0] if lines else now.first
            is_old = was is not None
            yield Part(file.path, first, now.last, taken, without, lines, is_old, now.name)


def _is_same_code(path: str, before: str, after: str) -> bool:
    """Do they differ in layout, quotes and comments alone? Then the old part is as good."""
    old, new = (code_text(SourceFile(path, text)) for text in (before, after))
    return LAYOUT.sub("", old).replace("'", '"') == LAYOUT.sub("", new).replace("'", '"')


def _is_around(other: Definition, inner: Definition) -> bool:
    is_same = (other.first, other.last) == (inner.first, inner.last)
    return not is_same and other.first <= inner.first and inner.last <= other.last


def _name(definition: Definition) -> str:
    owner = f"{definition.owner}." if definition.owner else ""
    return f"`{owner}{definition.name}`"


def _whole_lines(text: str, definition: Definition) -> str:
    rows = text.split("\n")[definition.first - 1 : definition.last]
    return "".join(f"{row}\n" for row in rows)


def _hunk_parts(file: ChangedFile, facts: LineFacts) -> Iterator[Part]:
    """Changed lines outside of functions. New constants and types are left to the mutants."""
    text = file.after or ""
    if file.before is None and definitions(file.path, text):
        return
    old_lines = {row.strip() for row in (file.before or "").splitlines()}
    new = {
        d.first
        for d in definitions(file.path, text)
        if d.kind in (CONSTANT, CLASS) and d.head not in old_lines
    }
    for hunk in hunks_of(file):
        lines = tuple(sorted(facts.lines & {*range(hunk.first, hunk.last + 1)}))
        if not lines or (not hunk.old.strip() and not new.isdisjoint(lines)):
            continue
        now = "".join(split_lines(text)[hunk.first - 1 : hunk.last])
        if _is_same_code(file.path, hunk.old, now):
            continue
        first = text.split("\n")[lines[0] - 1].strip()
        more = f" and {len(lines) - 1} more lines" if len(lines) > 1 else ""
        taken = f"`{shorten(first)}`{more} as at the start"
        without = with_lines(text, hunk.first, hunk.last, hunk.old)
        is_old = bool(hunk.old.strip())
        yield Part(file.path, lines[0], hunk.last, taken, without, lines, is_old)


def shorten(text: str, width: int = 60) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def spread_parts(parts: Iterable[Part], most: int = MAX_PARTS) -> list[Part]:
    """The largest part of each file first, then the second of each, up to the limit."""
    by_file: dict[str, list[Part]] = {}
    for part in parts:
        by_file.setdefault(part.path, []).append(part)
    ranked = [sorted(rows, key=lambda part: -len(part.lines)) for rows in by_file.values()]
    rounds = max(map(len, ranked), default=0)
    spread = [rows[n] for n in range(rounds) for rows in ranked if n < len(rows)]
    return spread[:most]
