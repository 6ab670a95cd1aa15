"""Tells packages of others in the repository that were updated from those with a new number only.

Tests use such a package, so it is put back for the replay. A check that looks at these packages
itself, such as an audit of their versions, asks for the update: then the new code is the work.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.surroundings import VENDORED_FOLDER
from ...repo.sources import SourceFile, code_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...checks.references import Sides

VERSION = re.compile(r"\b[vV]?\d+(?:\.\d+)+(?:[\w.+-]*\w)?")


def updated_files(changed: Sides, read_tools: Callable[[], Iterable[str]]) -> list[str]:
    """The changed files of packages whose code is new, if a program of a check looks at them.

    `read_tools` reads the programs that the checks run.
    """
    folders = {folder for path in changed if (folder := _package(path))}
    tools = list(read_tools()) if folders else []
    looked_at = {folder for folder in folders if any(_names(folder, text) for text in tools)}
    updated = {
        _package(path)
        for path, (before, after) in changed.items()
        if _package(path) in looked_at and path.endswith(CODE_SUFFIXES)
        if before is not None and after is not None and _code(path, before) != _code(path, after)
    }
    return [path for path in changed if _package(path) in updated]


def _package(path: str) -> str:
    """The folder of the package: `vendor/minitar` of `vendor/minitar/__init__.py`."""
    match = VENDORED_FOLDER.search(path)
    if not match:
        return ""
    name, _, rest = path[match.end() :].partition("/")
    return path[: match.end()] + name if rest else ""


def _names(folder: str, text: str) -> bool:
    """Does a program have the folder of all these packages, or of this one, as a text?"""
    around = re.escape(posixpath.basename(posixpath.dirname(folder)))
    return bool(re.search(rf"['\"`/\s]{around}['\"`/]", text))


def _code(path: str, text: str) -> str:
    """The code without comments, layout and numbers of versions."""
    code = code_text(SourceFile(path, text))
    return VERSION.sub("", "\n".join(line.strip() for line in code.splitlines() if line.strip()))
