"""Finds product code that moved to where a failing check does not look.

A tool that measures coverage, or a linter, looks at the files of a pattern or a folder. Code that
leaves them is neither measured nor reported, and is as it was.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import lost_lines, new_lines
from ..surroundings import is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..check_reach import Reach, ReadFile
    from ..project_files import ProjectFiles

# A pattern with a folder, as a text in a program or a word of a command.
PATTERN = re.compile(r"['\"`]((?:\./)?[\w.-]+(?:/[\w.*{},-]+)*/[\w.*{},-]*\*[\w.*{},-]*)['\"`]")
# `Path("src").glob("*.py")`, `os.listdir("src")`, `readdirSync('src')`
FOLDER_AND_PATTERN = re.compile(
    r"['\"]([\w./-]+)['\"]\s*\)+\.(r)?glob\(\s*['\"]([^'\"\n]+)['\"]"
    r"|\b(?:listdir|scandir|readdir(?:Sync)?|Dir\.children)\(\s*['\"]([\w./-]+)['\"]"
)
FOLDER_OPTION = re.compile(r"^--?(?:cov|source|include|dir|src|path)(?:=|$)")
# What only goes to a folder or fills it, and tests, which may be anywhere beside the product.
NOT_A_MEASURE = re.compile(r"[@-]*(?:cd|mkdir|cp|mv|rm|ls|echo|export|test|\[|set|source|\.)\s")
TEST_RUN = re.compile(
    r"\b(?:pytest|unittest|nose2?|jest|vitest|mocha|ava|tap|rspec|minitest|phpunit|prove|bats"
    r"|ctest)\b"
    r"|\b(?:go|cargo|npm|yarn|pnpm|swift|dotnet|node|deno|bun) (?:run )?-*test\b"
)
MIN_LINES = 4  # of code that moved
MIN_LETTERS = 8  # of a line that tells code apart


def findings(files: ProjectFiles, red: Reach, reach_now: Callable[[], Reach]) -> Iterator[Finding]:
    """One finding for each file of which code moved out of what a failing check looks at.

    `red` is what the checks reach that failed at the start; `reach_now` says what they reach now.
    """
    product = [change for change in files.changes.values() if is_product_code(change)]
    sources = {c.path: _code(lost_lines(c.before, c.after)) for c in product if c.before}
    sources = {path: lines for path, lines in sources.items() if len(lines) >= MIN_LINES}
    if not sources or not red.lines:
        return
    looked_at = _patterns(files.before, red, files.paths_before)
    if not any(_is_covered(path, looked_at) for path in sources):
        return
    looked_at_now = looked_at + _patterns(files.now, reach_now(), files.paths)
    targets = {
        c.path: _code(line for _, line in new_lines(c.before, c.after)) for c in product if c.after
    }
    for path, lines in sources.items():
        if not _is_covered(path, looked_at):
            continue
        for other, others in targets.items():
            is_alike = posixpath.splitext(path)[1] == posixpath.splitext(other)[1]
            has_moved = is_alike and other != path and len(lines & others) >= MIN_LINES
            if has_moved and not _is_covered(other, looked_at_now):
                yield Finding(MEDIUM, "fewer-files-included", path, before=path, after=other)
                break


def _code(lines: Iterable[str]) -> set[str]:
    return {line for line in lines if len(line) >= MIN_LETTERS}


def _is_covered(path: str, patterns: list[re.Pattern[str]]) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _patterns(read: ReadFile, reach: Reach, paths: frozenset[str]) -> list[re.Pattern[str]]:
    """What the programs and commands of the failing checks look at."""
    found: list[str] = []
    for path in reach.scripts:
        text = read(path) or ""
        found += PATTERN.findall(text)
        for folder, deep, pattern, listed in FOLDER_AND_PATTERN.findall(text):
            found.append(f"{listed}/*" if listed else f"{folder}/{'**/' * bool(deep)}{pattern}")
    folders = {posixpath.dirname(path) for path in paths} - {""}
    folders |= {"/".join(f.split("/")[: n + 1]) for f in folders for n in range(f.count("/"))}
    for line in reach.lines:
        if NOT_A_MEASURE.match(line):
            continue
        is_test_run = bool(TEST_RUN.search(line))
        for word in line.split():
            if is_test_run and not FOLDER_OPTION.match(word):
                continue
            name = FOLDER_OPTION.sub("", word).strip("'\"").removeprefix("./").rstrip("/")
            if name in folders:
                found.append(f"{name}/**")
            elif "*" in name and "/" in name:
                found.append(name)
    return [_expression(pattern) for pattern in dict.fromkeys(found)]


def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern of files as an expression: only `**` passes the border of a folder."""
    words = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "{": "(?:", "}": ")", ",": "|"}
    parts = re.split(r"(\*\*/|\*\*|\*|[{},])", pattern.removeprefix("./"))
    is_choice = "{" in pattern and "}" in pattern
    return re.compile(
        "".join(
            words[part] if part in words and (is_choice or "*" in part) else re.escape(part)
            for part in parts
        )
    )
