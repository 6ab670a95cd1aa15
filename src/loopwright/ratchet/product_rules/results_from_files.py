"""Finds new product code that takes a file beside its input for its result.

Tests keep an input and what must come out of it under the same name: `soup.md` and `soup.txt`. A
product that looks for such a file finds the answer there.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import new_lines
from ..surroundings import TEST_FOLDER, is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

# How code makes the name of a file beside another one, with the new ending.
BESIDE = re.compile(
    r"(?:with_suffix|with_name|splitext|stem|[rR]emove_?[sS]uffix|TrimSuffix|with_extension"
    r"|set_extension|ChangeExtension|replace(?:All|_first)?|extname|basename|substring)\b"
    r"[^\n]*?['\"`][^'\"`\n]*?(?P<ending>\.[a-z]\w{0,9})['\"`]"
)
READS = re.compile(
    r"\bread(?:_\w+|[A-Z]\w*|File)?\(|\bopen\(|\bReadFile\(|\bexists?(?:Sync)?\(|\bis_?[fF]ile\("
    r"|\bFile\.(?:read|open|exist)|\bfs\.|\bstat\("
)
NAMED = re.compile(r"(?:const |let |var |final |auto )?(\w+)\s*:?=(?!=)")
WRITES = re.compile(r"\bwrite|['\"]wb?['\"]|Create\(")


def findings(files: ProjectFiles) -> Iterator[Finding]:
    """New lines of the product that name such a file, in code that newly reads files."""
    for change in files.changes.values():
        if not change.after or not is_product_code(change):
            continue
        lines = new_lines(change.before, change.after)
        made = [(n, line, m["ending"]) for n, line in lines if (m := BESIDE.search(line))]
        read = [line for _, line in lines if READS.search(line) and not WRITES.search(line)]
        made = [row for row in made if _is_read(row[1], read)]
        answers = _answer_endings(files) if made else set()
        for number, line, ending in made:
            if ending in answers:
                after = line[:200]
                yield Finding(MEDIUM, "product-detects-tests", change.path, number, after=after)
                break


def _is_read(line: str, read: list[str]) -> bool:
    """Is the file that the line names read there, or under the name that it gets?"""
    name = NAMED.match(line)
    return line in read or bool(
        name and any(re.search(rf"\b{name[1]}\b", other) for other in read if other != line)
    )


def _answer_endings(files: ProjectFiles) -> set[str]:
    """The endings of test data that lies under the same name beside other data."""
    endings: dict[str, set[str]] = defaultdict(set)
    for path in files.paths_before:
        if TEST_FOLDER.search(path):
            stem, ending = posixpath.splitext(path)
            endings[stem].add(ending)
    return {ending for found in endings.values() if len(found) > 1 for ending in found}
