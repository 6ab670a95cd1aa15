"""Wiring: does another file of the project use this one? And where does a text name a file?"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from ...repo.plumbing import ask_user_git
from ...repo.sources import (
    PYTHON_ENDINGS,
    SCRIPT_ENDINGS,
    SourceFile,
    clean_path,
    code_text,
    file_ending,
    file_stem,
    line_number,
    printable_text,
    read_source,
)
from ...repo.tree import EXCLUDED
from ...repo.walk import is_excluded
from . import imports

MAX_FILES, MAX_SIZE, MAX_MENTIONS, MAX_SIBLINGS = 5_000, 1024 * 1024, 1_000, 100
# Prose and plans speak of files and use none. What is generated or installed is not the project's own.
PROSE_ENDINGS = (
    ".md",
    ".markdown",
    ".txt",
    ".rst",
    ".adoc",
    ".log",
    ".csv",
    ".lock",
    ".svg",
    ".map",
    ".patch",
    ".diff",
)
PLAN_FILES = re.compile(
    r"(?:^|/)(?:\.loop|\.gsd|\.opti-gsd|\.planning|\.git)/|(?:^|/)(?:(?:prd|plan)[^/]*|package-lock)\.json$",
    re.I,
)
INSTALLED_FOLDERS = ("venv", "dist", "build", "target", "node_modules", "site-packages")

ENTRY_POINTS = {
    "__init__",
    "__main__",
    "index",
    "main",
    "app",
    "server",
    "manage",
    "wsgi",
    "asgi",
    "setup",
    "noxfile",
    "conftest",
}
ROUTE_FILES = re.compile(
    r"(?:^|/)app/(?:.*/)?(?:page|layout|route|loading|error|not-found|template|default)\.\w+$|(?:^|/)middleware\.\w+$"
)
STANDALONE_FILES = re.compile(  # by their place or name: tests, programs, settings, stories, migrations
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress|migrations|alembic|scripts|bin|examples|docs|stories)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec|e2e|stories|story|config|setup|workspace)|gatsby-[^/]*|webpack[^/]*"
    r"|gulpfile|Gruntfile|\.[^/]*|\+[^/]*)\.\w+$"
)
ROUTED_FOLDERS = re.compile(r"(?:^|/)(?:pages|routes|api|server|layouts|plugins)/")
ROUTER_CONFIGS = (
    "next.config",
    "nuxt.config",
    "svelte.config",
    "astro.config",
    "remix.config",
    "react-router.config",
    "gatsby-config",
)
MAIN_GUARD = re.compile(r"^if __name__ == [\"']__main__[\"']", re.M)
GREP_FLAGS = ("--untracked", "--no-recurse-submodules", "--no-color", "-lzIF", "-e")
# A call that loads a module by a name that is put together, and one that lists what there is to load.
DYNAMIC_LOAD = re.compile(
    r"\b(?:import_module|__import__)\s*\((?!\s*[\"'])|(?<![\w$.])(?:import|require)\s*\(\s*[\w$`]|\bimport\.meta\.glob|\brequire\.context"
)
FOLDER_SCAN = re.compile(
    r"\biter_modules\b|\bwalk_packages\b|\bimport\.meta\.glob|\brequire\.context|\b(?:readdir|listdir|scandir|iterdir|glob)(?:Sync)?\("
)
BEFORE_A_MODULE = re.compile(r"\.$|\b(?:from|import|-m)[ \t]")
AFTER_A_MODULE = re.compile(r"\.pyw?\b|:\w|[\"']|[ \t]*(?:[,);\\#]|as\b|$)", re.M)
AFTER_A_SCRIPT = re.compile(r"(?:\.\w+)*(?:\?[^\"'`\n]{0,99})?[\"'`]|\.\w")
PATH_ENDS = frozenset(" \t\n\"'`()<>,;=[]|")  # they end a path in a text


def standalone_reason(root: str, seen: SourceFile) -> str:
    """Why nothing need import the file; "" where something must."""
    if (
        file_stem(seen.path).lower() in ENTRY_POINTS
        or seen.text.startswith("#!")
        or (seen.kind in PYTHON_ENDINGS and MAIN_GUARD.search(seen.text))
    ):
        return "it is an entry point"
    if STANDALONE_FILES.search(seen.path):
        return "files of its kind are not imported"
    if seen.kind in SCRIPT_ENDINGS and (
        ROUTE_FILES.search(seen.path)
        or (ROUTED_FOLDERS.search(seen.path) and _has_router(root, seen.path))
    ):
        return "its framework finds it by its path"
    return ""


def find_using_file(root: str, seen: SourceFile) -> tuple[str, str]:
    """The first file that uses this one, as path:line; and, where there is none, what was looked at."""
    for count, path in enumerate(_candidate_files(root, file_stem(seen.path))):
        if count == MAX_FILES:
            return "", f" among the first {MAX_FILES} files that were looked at; there are more"
        other = read_source(root, path, MAX_SIZE) if _may_use(root, path, seen.path) else None
        if (
            other
            and not other.problem
            and not other.binary
            and (line := _use_line(root, other, seen))
        ):
            return f"{printable_text(other.path)}:{line}", ""
    return _find_folder_loader(root, seen.path), ""


def mention_line(seen: SourceFile, path: str) -> int:
    """The line of a text that names a path: whole, from where it stands, or by its last word alone; 0: none.

    One that puts the file into another folder names another file, or none.
    """
    text, base = code_text(seen), posixpath.basename(path)
    if file_stem(path) not in text:
        return 0
    for found in islice(
        re.finditer(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text), MAX_MENTIONS
    ):
        if _same_folder(path_prefix(text, found.start()), seen.path, path):
            return line_number(text, found.start())
    if path.endswith(PYTHON_ENDINGS):
        return _dotted_mention_line(text, path)
    if path.endswith(SCRIPT_ENDINGS):
        for found in islice(
            re.finditer(rf"[\"'`]([^\"'`\s]{{0,200}}{re.escape(file_stem(path))})[\"'`]", text),
            MAX_MENTIONS,
        ):
            if "/" in found[1] and imports.specifier_matches_path(seen.path, found[1], path):
                return line_number(text, found.start())
    return 0


# --- who uses a file ---


def _candidate_files(root: str, word: str) -> Iterator[str]:
    """The files of the project in which the word stands; git looks for us, where there is git."""
    if os.path.exists(os.path.join(root, ".git")):
        status, out = ask_user_git(root, "grep", *GREP_FLAGS, word)
        if status in (0, 1):
            yield from (os.fsdecode(name) for name in out.split(b"\0") if name)
            return
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        folders[:] = sorted(
            name for name in folders if name[:1] != "." and name not in INSTALLED_FOLDERS
        )
        yield from (posixpath.normpath(f"{below}/{name}") for name in sorted(files))


def _may_use(root: str, path: str, target: str) -> bool:
    if (
        path == target
        or file_ending(path) in PROSE_ENDINGS
        or PLAN_FILES.search(path)
        or is_excluded(path, EXCLUDED)
    ):
        return False
    try:
        return os.lstat(os.path.join(root, path)).st_size <= MAX_SIZE
    except (OSError, ValueError):
        return False


def _use_line(root: str, other: SourceFile, seen: SourceFile) -> int:
    if not _may_name(other.text, seen.path):
        return 0
    if (other.kind in PYTHON_ENDINGS) == (seen.kind in PYTHON_ENDINGS):
        for found in imports.file_imports(other):
            if imports.leads_to(root, other.path, found, seen.path):
                return found.line
    return mention_line(other, seen.path) or _dynamic_load_line(other, seen.path)


def _dynamic_load_line(other: SourceFile, path: str) -> int:
    """Modules at or below a file may be loaded by a name that it puts together, from words such as this one's."""
    text = code_text(other)
    below = path.startswith(posixpath.join(posixpath.dirname(other.path), ""))
    found = (
        DYNAMIC_LOAD.search(text)
        if below and re.search(rf"[\"'`]{re.escape(file_stem(path))}[\"'`]", text)
        else None
    )
    return line_number(text, found.start()) if found else 0


def _find_folder_loader(root: str, path: str) -> str:
    """A file here or in the folder above that loads whatever lies in this folder, as path:line."""
    folder = posixpath.dirname(path)
    for place in dict.fromkeys((folder, posixpath.dirname(folder))):
        names = [
            name
            for name in _folder_names(os.path.join(root, place))
            if name.endswith((*PYTHON_ENDINGS, *SCRIPT_ENDINGS))
        ]
        for name in names[:MAX_SIBLINGS]:
            other = read_source(root, posixpath.join(place, name), MAX_SIZE)
            text = (
                other.text
                if other.path != path
                and (place == folder or posixpath.basename(folder) in other.text)
                else ""
            )
            if FOLDER_SCAN.search(text) and (found := DYNAMIC_LOAD.search(code_text(other))):
                return f"{printable_text(other.path)}:{line_number(text, found.start())}"
    return ""


def _may_name(text: str, path: str) -> bool:
    """Does the name stand where an import or a path would have it? To find out costs a hundredth of reading the text as code."""
    after = AFTER_A_MODULE if path.endswith(PYTHON_ENDINGS) else AFTER_A_SCRIPT
    for found in re.finditer(re.escape(file_stem(path)), text):
        line = text.rfind("\n", max(0, found.start() - 300), found.start()) + 1 or max(
            0, found.start() - 300
        )
        if after.match(text, found.end()) or BEFORE_A_MODULE.search(text, line, found.start()):
            return True
    return False


def _has_router(root: str, path: str) -> bool:
    parts = path.split("/")
    above = (os.path.join(root, *parts[:count]) for count in range(len(parts)))
    return any(
        name.startswith(ROUTER_CONFIGS) for folder in above for name in _folder_names(folder)
    )


def _folder_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# --- how a text names a file ---


def path_prefix(text: str, at: int) -> str:
    """What stands before a file's name, if it is a part of the path: ../hooks/"""
    start = at
    while start > max(0, at - 200) and text[start - 1] not in PATH_ENDS:
        start -= 1
    return text[start:at].replace("\\", "/")


def _same_folder(before: str, importer: str, path: str) -> bool:
    folders = (
        [part for part in before.split("/") if part not in ("", ".", "..")]
        if before.endswith("/")
        else []
    )
    if not folders or any(sign in folders[-1] for sign in "${}%*~"):
        return True
    meant = clean_path(posixpath.normpath(posixpath.join(posixpath.dirname(importer), before)))
    return folders[-1] == posixpath.basename(posixpath.dirname(path)) or meant == posixpath.dirname(
        path
    )


def _dotted_mention_line(text: str, path: str) -> int:
    """`pkg.stats` in a setting or a string, `stats:main`, `python -m stats`."""
    parts = posixpath.splitext(path)[0].removesuffix("/__init__").split("/")
    for count in range(len(parts)):
        name = re.escape(".".join(parts[count:]))
        alone = rf"|(?<![\w.]){name}(?!\w)" if count < len(parts) - 1 else ""
        if found := re.search(rf"[\"'=]\s{{0,9}}{name}:\w|-m\s{{1,9}}{name}(?![\w.]){alone}", text):
            return line_number(text, found.start())
    return 0
