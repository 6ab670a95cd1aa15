"""Finds new files that unchanged tests may include instead of the file that they meant.

PHP, Ruby, Perl and C look for an included name in several folders and take the first file. If a
second file with that name is new, nothing in the tests shows which of them is included.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.surroundings import VENDORED_FOLDER, surrounding_kind
from ...checks.test_files import HELPER, TEST, TEST_FOLDER
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...checks.reach import Reach
    from ..project import Project

# Files of a language, and how they include others by a name that is searched.
LANGUAGES = (
    (
        (".php", ".inc", ".phtml"),
        re.compile(r"\b(?:require|include)(?:_once)?\s*\(?\s*['\"]([\w-][^'\"\n]*)['\"]"),
    ),
    (
        (".rb",),
        re.compile(r"(?m)^\s*(?:require|load|autoload\b.*,)[ (]*['\"]([\w-][^'\"\n]*)['\"]"),
    ),
    (
        (".pm", ".pl", ".t"),
        re.compile(r"(?m)^\s*(?:use|require|do)\s+['\"]?([\w-][\w:./-]*)"),
    ),
    (
        (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"),
        re.compile(r"(?m)^\s*#\s*include\s*(?:<([\w-][^>\n]*)>|\"([\w-][^\"\n]*)\")"),
    ),
)
SUFFIXES = tuple(suffix for suffixes, _ in LANGUAGES for suffix in suffixes)
MAX_READ = 400  # tests that are read for one new file


def is_included_file(path: str) -> bool:
    return path.endswith(SUFFIXES)


def find(project: Project) -> Iterator[Finding]:
    """One finding for each new file that can take the place of an included one."""
    new = [change.path for change in project.changes.values() if change.before is None]
    for path in new:
        if is_included_file(path) and (hidden := _hidden_file(path, project, project.reach)):
            yield Finding(MEDIUM, "module-shadowed", path, before=hidden, after=path)


def _hidden_file(path: str, files: Project, reach: Reach) -> str:
    """The file of the same name that unchanged tests include; "" if there is none."""
    name = posixpath.basename(path)
    kept = (files.paths & files.paths_before) - files.changes.keys()
    same_name = sorted(other for other in kept if posixpath.basename(other) == name)
    if not same_name:
        return ""
    suffixes, pattern = next(row for row in LANGUAGES if path.endswith(row[0]))
    users = [user for user in sorted(kept) if user.endswith(suffixes)]
    users = [user for user in users if user in reach.scripts or _is_around(user)]
    for user in users[:MAX_READ]:
        for included, is_near_first in _included_names(pattern, files.now(user) or "", suffixes[0]):
            for other in same_name:
                is_own = is_near_first and other == _join(posixpath.dirname(user), included)
                if not is_own and _compete(path, other, included, user):
                    return other
    return ""


def _is_around(path: str) -> bool:
    return surrounding_kind(path, "", "") in (TEST, HELPER)


def _included_names(pattern: re.Pattern[str], text: str, suffix: str) -> Iterator[tuple[str, bool]]:
    """Each included name as a path, and whether the includer's own folder is searched first."""
    for match in pattern.finditer(text):
        is_quoted = pattern.groups == 2 and match[1] is None
        name = match[2] if is_quoted else match[1]
        if suffix == ".rb" and not name.endswith(".rb"):
            name = f"{name}.rb"
        if suffix == ".pm" and "." not in name:
            name = f"{name.replace('::', '/')}.pm"
        yield posixpath.normpath(name), is_quoted


def _compete(path: str, other: str, included: str, user: str) -> bool:
    """May a search for the name find either file, each in a folder near the includer?"""
    roots = [_search_folder(file, included) for file in (path, other)]
    if None in roots:
        return False
    new_root, old_root = (root or "" for root in roots)
    # Tests of another kind have their own helpers.
    if TEST_FOLDER.search(f"{new_root}/") and not user.startswith(f"{new_root}/"):
        return False
    is_vendored = bool(VENDORED_FOLDER.search(f"{old_root}/"))
    return _is_near(new_root, user) and (is_vendored or _is_near(old_root, user))


def _search_folder(path: str, included: str) -> str | None:
    """The folder in which a search for the name finds this file; None if it never does."""
    if path == included:
        return ""
    return path.removesuffix(f"/{included}") if path.endswith(f"/{included}") else None


def _is_near(folder: str, user: str) -> bool:
    """Is the folder, or the one around it, above the file that includes?"""
    around = posixpath.dirname(folder)
    return not around or user.startswith(f"{around}/")


def _join(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))
