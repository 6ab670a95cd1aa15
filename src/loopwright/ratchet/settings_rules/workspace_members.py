"""Finds packages that are still there and no longer belong to what the checks build and test.

A list of members got shorter, a list of exceptions got longer, or a manifest makes a folder a
project of its own, which the project around it leaves out.
"""

from __future__ import annotations

import fnmatch
import posixpath

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import TEST
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...checks.reach import Reach
    from ..project import Project

# Files that list the packages of a project, with their lists.
MEMBER_LISTS = (
    (re.compile(r"package\.json"), re.compile(r'"workspaces"\s*:\s*(\[[^\]]*\]|\{[^}]*\})')),
    (re.compile(r"deno\.jsonc?"), re.compile(r'"workspace"\s*:\s*(\[[^\]]*\]|\{[^}]*\})')),
    (re.compile(r"Cargo\.toml|pyproject\.toml"), re.compile(r"(?m)^members\s*=\s*(\[[^\]]*\])")),
    (re.compile(r"lerna\.json"), re.compile(r'"packages"\s*:\s*(\[[^\]]*\])')),
    (re.compile(r"pnpm-workspace\.yaml"), re.compile(r"(?m)^packages:((?:\n\s*-[^\n]*)+)")),
    (re.compile(r"go\.work"), re.compile(r"(?m)^use\s*(\([^)]*\)|\S+)")),
    (
        re.compile(r"settings\.gradle(?:\.kts)?"),
        re.compile(r"(?m)^\s*include\b[ (]*((?:[^\n),]*,\s*)*[^\n),]*)"),
    ),
    (re.compile(r"pom\.xml"), re.compile(r"<module>([^<]+)</module>")),
    (re.compile(r".*\.sln"), re.compile(r'(?m)^Project\([^)]*\)\s*=\s*"[^"]*",\s*"([^"]+)"')),
    (re.compile(r"CMakeLists\.txt"), re.compile(r"(?mi)^\s*add_subdirectory\s*\(\s*([\w./-]+)")),
    (re.compile(r"meson\.build"), re.compile(r"(?m)^\s*subdir\(\s*(['\"][^'\"]+['\"])")),
)
# Files that list what does not belong to the project.
EXCEPTION_LISTS = (
    (
        re.compile(r"Cargo\.toml|pyproject\.toml"),
        re.compile(r"(?ms)^\[(?:tool\.uv\.)?workspace\](?:(?!^\[).)*?^exclude\s*=\s*(\[[^\]]*\])"),
    ),
    (re.compile(r"lerna\.json"), re.compile(r'"ignore"\s*:\s*(\[[^\]]*\])')),
    (re.compile(r"go\.mod"), re.compile(r"(?m)^ignore\s*(\([^)]*\)|\S+)")),
    (re.compile(r"\.(?:bazel|nx)ignore"), re.compile(r"(?m)^([^#\n]+)")),
)
LIST_WORD = re.compile(r"!?[\w./*@-]*[\w*][\w./*@-]*")
# Manifests that end the project around them, by their name: a text that they then have.
BORDERS = {"go.mod": re.compile(r"(?m)^module\b"), "Cargo.toml": re.compile(r"(?m)^\[workspace\]")}
# Manifests without which the project around them passes a folder over, with its sources.
SOURCES = {
    "go.mod": (".go",),
    "Cargo.toml": (".rs",),
    "package.json": SCRIPT_SUFFIXES,
    "pyproject.toml": (".py",),
}
MEMBER_MANIFESTS = ("Cargo.toml", "package.json", "pyproject.toml")


def is_member_list(path: str) -> bool:
    """Does its name say that the file settles which packages belong to a project?"""
    name = posixpath.basename(path)
    lists = (*MEMBER_LISTS, *EXCEPTION_LISTS)
    return name in BORDERS or any(file.fullmatch(name) for file, _ in lists)


def find(project: Project) -> Iterator[Finding]:
    """One finding for each package that leaves."""
    for change in project.changes.values():
        if not is_member_list(change.path):
            continue
        for name in _lost_members(change, project):
            before = f"member {name}"
            yield Finding(MEDIUM, "fewer-files-included", change.path, before=before)
        if border := _new_border(change, project, project.reach):
            yield Finding(MEDIUM, "fewer-files-included", change.path, after=border)
        if _has_lost_manifest(change, project):
            before = f"member {posixpath.dirname(change.path)}"
            yield Finding(MEDIUM, "fewer-files-included", change.path, before=before)


def _lost_members(change: Change, files: Project) -> list[str]:
    """What the older list has and the new one has not, and what is an exception now."""
    if change.after is None:
        return []
    path, before, after = change.path, change.before, change.after
    exceptions = _words(EXCEPTION_LISTS, path, after) - _words(EXCEPTION_LISTS, path, before)
    old, new = (_words(MEMBER_LISTS, path, text) for text in (before, after))
    exceptions |= {word[1:] for word in new - old if word[0] == "!"}
    patterns = [word.strip("./") for word in new if word[0] != "!"]
    lost = {word for word in old - new if word[0] != "!" and not _is_listed(word, patterns)}
    folder = posixpath.dirname(path)
    return sorted(name for name in lost | exceptions if _is_still_there(folder, name, files))


def _is_listed(word: str, patterns: list[str]) -> bool:
    """Is the member in the list, in another spelling or by a pattern?"""
    name = word.strip("./")
    return any(
        fnmatch.fnmatch(name, pattern) or _plain(pattern) == _plain(name) for pattern in patterns
    )


def _words(
    lists: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...], path: str, text: str | None
) -> set[str]:
    """The words in the lists of a file; the parts of a name of Gradle become folders."""
    name = posixpath.basename(path)
    listed = [
        part for file, row in lists if file.fullmatch(name) for part in row.findall(text or "")
    ]
    texts = [part.replace("\\", "/").replace(":", "/") for part in listed]
    return {word.lstrip("/") for part in texts for word in LIST_WORD.findall(part)}


def _plain(word: str) -> str:
    return word.strip("*./")


def _is_still_there(folder: str, name: str, files: Project) -> bool:
    """Are there files of this package, as before? Where nothing can list them, we assume so."""
    if not files.can_list:
        return True
    pattern = posixpath.normpath(posixpath.join(folder, name.strip("/")))
    both = files.paths & files.paths_before
    return any(
        fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, f"{pattern}/*") for path in both
    )


def _new_border(change: Change, files: Project, reach: Reach) -> str:
    """The folder that a manifest makes a project of its own; "" if none leaves another project.

    A folder in which a check starts is still tested. One with new files only never belonged.
    """
    folder, name = posixpath.split(change.path)
    border = BORDERS.get(name)
    if not border or not folder or folder in reach.folders:
        return ""
    if border.search(change.before or "") or not border.search(change.after or ""):
        return ""
    around = [parent for parent in _parents(folder) if _has_border(parent, name, files)]
    if not around or not _sources_in(folder, name, files.paths_before):
        return ""
    return f"{folder} is a project of its own"


def _has_lost_manifest(change: Change, files: Project) -> bool:
    """Is the manifest of a member gone, while its sources and tests stay?"""
    folder, name = posixpath.split(change.path)
    if change.after is not None or name not in MEMBER_MANIFESTS or not folder:
        return False
    is_inside = any(files.before(posixpath.join(up, name)) for up in _parents(folder))
    kept = _sources_in(folder, name, files.paths & files.paths_before)
    # Tests of Rust are in its sources.
    has_tests = name == "Cargo.toml" or any(surrounding_kind(p, "", "") == TEST for p in kept)
    return is_inside and bool(kept) and has_tests


def _sources_in(folder: str, manifest: str, paths: frozenset[str]) -> list[str]:
    inside = [path for path in paths if path.startswith(f"{folder}/")]
    return [path for path in inside if path.endswith(SOURCES[manifest])]


def _parents(folder: str) -> Iterator[str]:
    while folder:
        folder = posixpath.dirname(folder)
        yield folder


def _has_border(folder: str, name: str, files: Project) -> bool:
    return bool(BORDERS[name].search(files.before(posixpath.join(folder, name)) or ""))
