"""Finds changes of migrations that are followed by others.

Databases that exist have such a migration behind them, and it never runs there again. A test that
makes a new database shows nothing of them. The newest migration may still be in the making.
"""

from __future__ import annotations

import posixpath
from collections import Counter

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import ProjectFiles

SUFFIXES = (".sql", ".py", ".rb", ".js", ".ts", ".php", ".go", ".exs", ".cs")
# `001_users.sql`, `V2__names.sql`, `20240131_add.py`, `0002-mail.up.sql`
NUMBERED = re.compile(r"[vVU]?(?P<number>\d[\d._]*?)[_-]+(?P<rest>\D.*)")
FOLDER = re.compile(
    r"(?:^|/)(?:\w*migrat\w*|sql|versions|changelogs?|evolutions|patches|upgrades)/"
)
UNDO = re.compile(r"(?:[._-]|\b)(?:down|undo|rollback)\b")
# Words that make a table, a column or a rule for it.
SHAPE = re.compile(
    r"\b(?:unique|not null|check|references|primary|foreign|default|create|alter|drop|add)\b"
)
COMMENT = re.compile(r"(?m)/\*.*?\*/|(?:^|\s)(?:--|#|//).*$")


def is_ordered_migration(path: str) -> bool:
    """Does its place say that the file changes databases, once and in an order?"""
    name = posixpath.basename(path)
    is_numbered = path.endswith(SUFFIXES) and bool(NUMBERED.fullmatch(name))
    return is_numbered and bool(FOLDER.search(path)) and not UNDO.search(name)


def is_named(path: str, spec: str) -> bool:
    """Does the spec name the migration, by its file or by its number: "migration 002"?"""
    name = posixpath.basename(path)
    match = NUMBERED.fullmatch(name)
    words = [name, posixpath.splitext(name)[0], *([match["number"]] if match else [])]
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", spec) for word in words)


def findings(files: ProjectFiles) -> Iterator[Finding]:
    """Migrations that say something else now, although a later one was there at the start."""
    for change in files.changes.values():
        if change.before is None or not is_ordered_migration(change.path):
            continue
        if change.after is not None and not _changes_tables(change.before, change.after):
            continue
        if change.after is None and files.has_new_copy(change.before):
            continue
        later = _later(change.path, files)
        if later:
            yield Finding(MEDIUM, "old-migration-changed", change.path, after=f"before {later}")


def _changes_tables(before: str, after: str) -> bool:
    """Does it make other tables than before? A repair of what it does with rows is work."""
    counts = [Counter(SHAPE.findall(" ".join(_plain(text)))) for text in (before, after)]
    return counts[0] != counts[1]


def _plain(text: str) -> list[str]:
    return COMMENT.sub(" ", text).lower().split()


def _later(path: str, files: ProjectFiles) -> str:
    """The name of a migration of the start that comes after this one; "" if it was the last."""
    folder, ending = posixpath.dirname(path), posixpath.splitext(path)[1]
    beside = [p for p in files.paths_before if posixpath.dirname(p) == folder]
    names = [
        posixpath.basename(p) for p in beside if is_ordered_migration(p) and p.endswith(ending)
    ]
    own = _number(posixpath.basename(path))
    return min((name for name in names if _number(name) > own), key=_number, default="")


def _number(name: str) -> list[int]:
    match = NUMBERED.fullmatch(name)
    return [int(part) for part in re.findall(r"\d+", match["number"])] if match else []
