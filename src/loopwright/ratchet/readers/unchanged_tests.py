"""Takes the tests that cannot have changed out of both sides of a file, so that reading is quick.

A test is a block of lines: from its head to the line that closes it with the same indentation. It
is unchanged if its lines are, if the same groups hold it, and if it names nothing that changed
outside of tests. Blank lines take its place, so that the other lines keep their numbers. A file
that is laid out in another way has no such blocks and is read as a whole.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ... import lazy_re as re
from .matchers import word_set

# The first line of a test, for languages that name their tests.
HEADS = {
    "javascript": re.compile(r"(?:it|test|specify)(?:\.\w+)*\s*\("),
    "go": re.compile(r"func (?:Test|Fuzz|Example)\w*\("),
    "ruby": re.compile(r"(?:it|specify|scenario)\b.* do$|def test_\w+"),
    "php": re.compile(r"(?:public )?function test\w*\("),
}
# The lines above a test, for languages that mark their tests.
MARK_LINE = re.compile(r"@|\[|#\[")
TEST_MARK = re.compile(
    r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b"
    r"|\[(?:Fact|Theory|Test|TestCase|TestMethod|DataRow|InlineData)\b"
    r"|#\[(?:\w+::)*(?:test|rstest)\b"
)
MARKED = ("rust", "java", "kotlin", "csharp", "php")
OPENERS = ("{", "(", "[")
# Outside of tests, such a line changes only what its names mean.
SAFE_LINE = re.compile(
    r"(?:import|from|use|using|require|require_relative)\b|(?:const|let|var) .*\brequire\("
    r"|// (?!\+)|# "
)
KEYWORDS = word_set("import from use using require const let var as type static")
UNSAFE_WORD = re.compile(
    r"(?i)skip|only|mock|before|after|set_?up|tear|describe|context|suite|expect\b|global|jest|vi\."
)
NAME = re.compile(r"[A-Za-z_$][\w$]*")
MIN_CHARS = 400  # of a file; a shorter one is read as quickly
MIN_LINE = 8  # letters of a line that says something


class Block(NamedTuple):
    first: int
    last: int
    groups: tuple[str, ...]  # the lines that open the groups around it
    text: str


class Outline:
    """The tests of a file as blocks of lines, and the lines outside of them."""

    def __init__(self, language: str, text: str) -> None:
        self.lines = text.split("\n")
        self.stripped = [line.strip() for line in self.lines]
        self.language = language
        self.blocks: list[Block] = []
        self.outside: list[str] = []
        self._find_blocks()

    def _find_blocks(self) -> None:
        open_groups: list[tuple[int, str]] = []
        number = 0
        while number < len(self.lines):
            line = self.stripped[number]
            if not line:
                number += 1
                continue
            indent = self._indent(number)
            while open_groups and open_groups[-1][0] >= indent:
                open_groups.pop()
            last = self._last_line(number, indent)
            if last is None:
                self.outside.append(line)
                open_groups.append((indent, line))
                number += 1
                continue
            text = "\n".join(self.lines[number : last + 1])
            if text.count("/*") != text.count("*/"):  # a part of a comment
                self.outside.append(line)
                number += 1
                continue
            groups = tuple(text for _, text in open_groups)
            self.blocks.append(Block(number, last, groups, text))
            number = last + 1

    def _indent(self, number: int) -> int:
        return len(self.lines[number]) - len(self.lines[number].lstrip())

    def _last_line(self, first: int, indent: int) -> int | None:
        """Where the test ends that begins here; None if none does."""
        head = self._head_line(first, indent)
        if head is None:
            return None
        for number in range(head + 1, len(self.lines)):
            line = self.stripped[number]
            if not line or self._indent(number) > indent:
                continue
            if self._indent(number) < indent:
                return None
            if line.startswith(("}", ")", "]")) or line == "end":
                if not line.endswith(OPENERS):
                    return number
            elif line != "{":
                return None
        return None

    def _head_line(self, first: int, indent: int) -> int | None:
        head = HEADS.get(self.language)
        if head and head.match(self.stripped[first]):
            return first
        if self.language not in MARKED or not MARK_LINE.match(self.stripped[first]):
            return None
        number, is_test = first, False
        while number < len(self.lines) and MARK_LINE.match(self.stripped[number]):
            if self._indent(number) != indent:
                return None
            is_test |= bool(TEST_MARK.match(self.stripped[number]))
            number += 1
        return number if is_test and number < len(self.lines) else None


def without_unchanged_tests(language: str, before: str, after: str) -> tuple[str, str]:
    """Both texts, with blank lines for the tests that cannot have changed."""
    if min(len(before), len(after)) < MIN_CHARS:
        return before, after
    old, new = Outline(language, before), Outline(language, after)
    changed = _changed_names(old, new)
    if changed is None:
        return before, after
    old_counts, new_counts = (Counter(map(_key, outline.blocks)) for outline in (old, new))
    kept = {key for key, count in old_counts.items() if new_counts[key] == count}
    lost = {line for line in old.stripped if len(line) >= MIN_LINE} - {*new.stripped}
    unchanged = {
        key
        for key in kept
        if changed.isdisjoint(NAME.findall(key[1])) and lost.isdisjoint(_lines_of(key[1]))
    }
    return _without(old, unchanged), _without(new, unchanged)


def _key(block: Block) -> tuple[tuple[str, ...], str]:
    return block.groups, block.text


def _lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _changed_names(old: Outline, new: Outline) -> set[str] | None:
    """The names in the lines outside of tests that changed; None if they may concern every test."""
    if old.outside == new.outside:
        return set()
    old_lines, new_lines = Counter(old.outside), Counter(new.outside)
    changed = [*(old_lines - new_lines), *(new_lines - old_lines)]
    for line in changed:
        if not SAFE_LINE.match(line) or UNSAFE_WORD.search(line):
            return None
    same = old_lines & new_lines
    if _in_order(old, same) != _in_order(new, same):
        return None
    names = {name for line in changed for name in NAME.findall(line)} - KEYWORDS
    # What helpers and tables outside of tests name would reach tests that do not name it.
    return names if names.isdisjoint(NAME.findall(" ".join(same))) else None


def _in_order(outline: Outline, lines: Counter[str]) -> list[str]:
    return [line for line in outline.outside if line in lines]


def _without(outline: Outline, unchanged: set[tuple[tuple[str, ...], str]]) -> str:
    lines = list(outline.lines)
    for block in outline.blocks:
        if _key(block) in unchanged:
            lines[block.first : block.last + 1] = [""] * (block.last + 1 - block.first)
    return "\n".join(lines)
