"""Wiring: does another file of the project use this one? And where does a text name a file?"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from . import imports
from .plumbing import run_git
from .sources import PYTHON, SCRIPT, Seen, clean, code, ending, line_of, see, shown, stem
from .tree import EXCLUDED
from .walk import is_excluded

MOST_FILES, MOST_SIZE, MOST_MENTIONS, MOST_BESIDE = 5_000, 1024 * 1024, 1_000, 100
# Prose and plans speak of files and use none. What is generated or installed is not the project's own.
PROSE = (".md", ".markdown", ".txt", ".rst", ".adoc", ".log", ".csv", ".lock", ".svg", ".map", ".patch", ".diff")
PLANS = re.compile(r"(?:^|/)(?:\.loop|\.gsd|\.opti-gsd|\.planning|\.git)/|(?:^|/)(?:(?:prd|plan)[^/]*|package-lock)\.json$", re.I)
INSTALLED = ("venv", "dist", "build", "target", "node_modules", "site-packages")

ENTRIES = {"__init__", "__main__", "index", "main", "app", "server", "manage", "wsgi", "asgi", "setup", "noxfile", "conftest"}
ROUTES = re.compile(
    r"(?:^|/)app/(?:.*/)?(?:page|layout|route|loading|error|not-found|template|default)\.\w+$|(?:^|/)middleware\.\w+$"
)
ALONE = re.compile(  # by their place or name: tests, programs, settings, stories, migrations
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress|migrations|alembic|scripts|bin|examples|docs|stories)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec|e2e|stories|story|config|setup|workspace)|gatsby-[^/]*|webpack[^/]*"
    r"|gulpfile|Gruntfile|\.[^/]*|\+[^/]*)\.\w+$"
)
ROUTED = re.compile(r"(?:^|/)(?:pages|routes|api|server|layouts|plugins)/")
ROUTERS = ("next.config", "nuxt.config", "svelte.config", "astro.config", "remix.config", "react-router.config", "gatsby-config")
GUARD = re.compile(r"^if __name__ == [\"']__main__[\"']", re.M)
GREP = ("--untracked", "--no-recurse-submodules", "--no-color", "-lzIF", "-e")
# A call that loads a module by a name that is put together, and one that lists what there is to load.
LOADS = re.compile(
    r"\b(?:import_module|__import__)\s*\((?!\s*[\"'])|(?<![\w$.])(?:import|require)\s*\(\s*[\w$`]|\bimport\.meta\.glob|\brequire\.context"
)
SCANS = re.compile(
    r"\biter_modules\b|\bwalk_packages\b|\bimport\.meta\.glob|\brequire\.context|\b(?:readdir|listdir|scandir|iterdir|glob)(?:Sync)?\("
)
IN_FRONT = re.compile(r"\.$|\b(?:from|import|-m)[ \t]")
AFTER_A_MODULE = re.compile(r"\.pyw?\b|:\w|[\"']|[ \t]*(?:[,);\\#]|as\b|$)", re.M)
AFTER_A_SCRIPT = re.compile(r"(?:\.\w+)*(?:\?[^\"'`\n]{0,99})?[\"'`]|\.\w")
STOPS = frozenset(" \t\n\"'`()<>,;=[]|")  # they end a path in a text


def stands_alone(root: str, seen: Seen) -> str:
    """Why nothing need import the file; "" where something must."""
    if stem(seen.path).lower() in ENTRIES or seen.text.startswith("#!") or (seen.kind in PYTHON and GUARD.search(seen.text)):
        return "it is an entry point"
    if ALONE.search(seen.path):
        return "files of its kind are not imported"
    if seen.kind in SCRIPT and (ROUTES.search(seen.path) or (ROUTED.search(seen.path) and _has_router(root, seen.path))):
        return "its framework finds it by its path"
    return ""


def user_of(root: str, seen: Seen) -> tuple[str, str]:
    """The first file that uses this one, as path:line; and, where there is none, what was looked at."""
    for count, path in enumerate(_candidates(root, stem(seen.path))):
        if count == MOST_FILES:
            return "", f" among the first {MOST_FILES} files that were looked at; there are more"
        other = see(root, path, MOST_SIZE) if _may_use(root, path, seen.path) else None
        if other and not other.trouble and not other.binary and (line := _uses(root, other, seen)):
            return f"{shown(other.path)}:{line}", ""
    return _loader(root, seen.path), ""


def mention(seen: Seen, path: str) -> int:
    """The line of a text that names a path: whole, from where it stands, or by its last word alone; 0: none.

    One that puts the file into another folder names another file, or none.
    """
    text, base = code(seen), posixpath.basename(path)
    if stem(path) not in text:
        return 0
    for found in islice(re.finditer(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text), MOST_MENTIONS):
        if _same_folder(before(text, found.start()), seen.path, path):
            return line_of(text, found.start())
    if path.endswith(PYTHON):
        return _dotted(text, path)
    if path.endswith(SCRIPT):
        for found in islice(re.finditer(rf"[\"'`]([^\"'`\s]{{0,200}}{re.escape(stem(path))})[\"'`]", text), MOST_MENTIONS):
            if "/" in found[1] and imports.is_named(seen.path, found[1], path):
                return line_of(text, found.start())
    return 0


# --- who uses a file ---


def _candidates(root: str, word: str) -> Iterator[str]:
    """The files of the project in which the word stands; git looks for us, where there is git."""
    if os.path.exists(os.path.join(root, ".git")):
        try:
            status, out = run_git(root, "", "grep", *GREP, word, own_config=False)
        except OSError:  # no such program
            status, out = 127, b""
        if status in (0, 1):
            yield from (os.fsdecode(name) for name in out.split(b"\0") if name)
            return
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        folders[:] = sorted(name for name in folders if name[:1] != "." and name not in INSTALLED)
        yield from (posixpath.normpath(f"{below}/{name}") for name in sorted(files))


def _may_use(root: str, path: str, target: str) -> bool:
    if path == target or ending(path) in PROSE or PLANS.search(path) or is_excluded(path, EXCLUDED):
        return False
    try:
        return os.lstat(os.path.join(root, path)).st_size <= MOST_SIZE
    except (OSError, ValueError):
        return False


def _uses(root: str, other: Seen, seen: Seen) -> int:
    if not _may_name(other.text, seen.path):
        return 0
    if (other.kind in PYTHON) == (seen.kind in PYTHON):
        for found in imports.imports(other):
            if imports.leads_to(root, other.path, found, seen.path):
                return found.line
    return mention(other, seen.path) or _loads(other, seen.path)


def _loads(other: Seen, path: str) -> int:
    """Modules at or below a file may be loaded by a name that it puts together, from words such as this one's."""
    text = code(other)
    below = path.startswith(posixpath.join(posixpath.dirname(other.path), ""))
    found = LOADS.search(text) if below and re.search(rf"[\"'`]{re.escape(stem(path))}[\"'`]", text) else None
    return line_of(text, found.start()) if found else 0


def _loader(root: str, path: str) -> str:
    """A file here or in the folder above that loads whatever lies in this folder, as path:line."""
    folder = posixpath.dirname(path)
    for place in dict.fromkeys((folder, posixpath.dirname(folder))):
        names = [name for name in _listed(os.path.join(root, place)) if name.endswith((*PYTHON, *SCRIPT))]
        for name in names[:MOST_BESIDE]:
            other = see(root, posixpath.join(place, name), MOST_SIZE)
            text = other.text if other.path != path and (place == folder or posixpath.basename(folder) in other.text) else ""
            if SCANS.search(text) and (found := LOADS.search(code(other))):
                return f"{shown(other.path)}:{line_of(text, found.start())}"
    return ""


def _may_name(text: str, path: str) -> bool:
    """Does the name stand where an import or a path would have it? To find out costs a hundredth of reading the text as code."""
    after = AFTER_A_MODULE if path.endswith(PYTHON) else AFTER_A_SCRIPT
    for found in re.finditer(re.escape(stem(path)), text):
        line = text.rfind("\n", max(0, found.start() - 300), found.start()) + 1 or max(0, found.start() - 300)
        if after.match(text, found.end()) or IN_FRONT.search(text, line, found.start()):
            return True
    return False


def _has_router(root: str, path: str) -> bool:
    parts = path.split("/")
    above = (os.path.join(root, *parts[:count]) for count in range(len(parts)))
    return any(name.startswith(ROUTERS) for folder in above for name in _listed(folder))


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# --- how a text names a file ---


def before(text: str, at: int) -> str:
    """What stands before a file's name, if it is a part of the path: ../hooks/"""
    start = at
    while start > max(0, at - 200) and text[start - 1] not in STOPS:
        start -= 1
    return text[start:at].replace("\\", "/")


def _same_folder(before: str, importer: str, path: str) -> bool:
    folders = [part for part in before.split("/") if part not in ("", ".", "..")] if before.endswith("/") else []
    if not folders or any(sign in folders[-1] for sign in "${}%*~"):
        return True
    meant = clean(posixpath.normpath(posixpath.join(posixpath.dirname(importer), before)))
    return folders[-1] == posixpath.basename(posixpath.dirname(path)) or meant == posixpath.dirname(path)


def _dotted(text: str, path: str) -> int:
    """`pkg.stats` in a setting or a string, `stats:main`, `python -m stats`."""
    parts = posixpath.splitext(path)[0].removesuffix("/__init__").split("/")
    for count in range(len(parts)):
        name = re.escape(".".join(parts[count:]))
        alone = rf"|(?<![\w.]){name}(?!\w)" if count < len(parts) - 1 else ""
        if found := re.search(rf"[\"'=]\s{{0,9}}{name}:\w|-m\s{{1,9}}{name}(?![\w.]){alone}", text):
            return line_of(text, found.start())
    return 0
