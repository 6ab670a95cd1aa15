"""Finds migrations of a database that no longer run, because something names them as done.

A migration that writes the name of another one into a table of the database marks it as applied.
Code outside of the migrations that names one of them decides about this one alone.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import new_lines
from ..surroundings import CODE_SUFFIXES, is_product_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project_files import ProjectFiles

FOLDER = re.compile(r"(?:^|/)(?:\w*migrations?|migrate|versions|changelogs?|changesets?)/[^/]+$")
MIGRATION_SUFFIXES = (".sql", *CODE_SUFFIXES)
# A statement that adds or changes rows: its table, and the rest of it.
WRITES_ROWS = re.compile(
    r"\b(?:INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO|REPLACE\s+INTO|MERGE\s+INTO|UPDATE)\s+"
    r"([\w.\"`\[\]]+)([^;]*)",
    re.I,
)
TABLE_OF_MIGRATIONS = re.compile(r"(?i)migrat|version|applied|schema|history|changelog")
VALUE = re.compile(r"['\"]([\w.-]{3,})['\"]|(?<![\w.'\"-])(\d{3,})(?![\w.'\"-])")
QUOTED = re.compile(r"['\"`]([\w.-]{4,})['\"`]")
NUMBER = re.compile(r"[A-Za-z]?(\d+)")


def is_migration(path: str) -> bool:
    return path.endswith(MIGRATION_SUFFIXES) and bool(FOLDER.search(path))


def findings(files: ProjectFiles) -> Iterator[Finding]:
    """The first such line of each changed file."""
    if not any(change.after is not None for change in files.changes.values()):
        return
    known = [path for path in files.paths_before if is_migration(path)]
    for change in files.changes.values() if known else ():
        if change.after is None:
            continue
        if is_migration(change.path):
            line = _recording_statement(change, known)
        else:
            line = _naming_line(change, known) if is_product_code(change) else ""
        if line:
            yield Finding(MEDIUM, "migration-passed-over", change.path, after=line[:200])


def _recording_statement(change: Change, known: list[str]) -> str:
    """A new statement of a migration that writes the name or number of another one; or ""."""
    folder = posixpath.dirname(change.path)
    others = [p for p in known if posixpath.dirname(p) == folder and p != change.path]
    names = {name for path in others for name in _names(path)}
    numbers = {match[1] for path in others if (match := NUMBER.match(posixpath.basename(path)))}
    own = NUMBER.match(posixpath.basename(change.path))
    numbers -= {own[1]} if own else set()
    for match in WRITES_ROWS.finditer(change.after or ""):
        if match[0] in (change.before or ""):
            continue
        values = {quoted or number for quoted, number in VALUE.findall(match[2])}
        is_number = bool(TABLE_OF_MIGRATIONS.search(match[1]) and values & numbers)
        if values & names or is_number:
            return " ".join(match[0].split())
    return ""


def _naming_line(change: Change, known: list[str]) -> str:
    """A new line of the product with the name of a migration as a text; or ""."""
    before = change.before or ""
    names = {posixpath.basename(path) for path in known if path.endswith(".sql")}
    for _, line in new_lines(before, change.after):
        if any(name in names and name not in before for name in QUOTED.findall(line)):
            return line
    return ""


def _names(path: str) -> tuple[str, str]:
    name = posixpath.basename(path)
    return name, posixpath.splitext(name)[0]
