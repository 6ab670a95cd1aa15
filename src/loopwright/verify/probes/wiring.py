"""Wiring: which file of the project uses another, and where does a text name a file?"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from itertools import islice

from ... import lazy_re as re
from ...checks.imports import file_imports
from ...checks.test_files import kind_in_tests
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
    match_line,
    printable_text,
    read_source,
)
from ...repo.walk import EXCLUDED, is_excluded
from . import imports

MAX_FILES, MAX_SIZE, MAX_MENTIONS, MAX_SIBLINGS = 5_000, 1024 * 1024, 1_000, 100
# Prose and plans name files without using them. Generated and installed files are not the
# project's own.
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
    r"(?:^|/)(?:\.loop|\.gsd|\.opti-gsd|\.planning|\.git)/"
    r"|(?:^|/)(?:(?:prd|plan)[^/]*|package-lock)\.json$",
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
    r"(?:^|/)app/(?:.*/)?(?:page|layout|route|loading|error|not-found|template|default)\.\w+$"
    r"|(?:^|/)middleware\.\w+$"
)
# Programs, settings, stories and migrations, by their folder or name.
STANDALONE_FILES = re.compile(
    r"(?:^|/)(?:cypress|migrations|alembic|scripts|bin|examples|docs|stories)/"
    r"|(?:^|/)(?:[^/]*\.(?:e2e|stories|story|config|setup|workspace)"
    r"|gatsby-[^/]*|webpack[^/]*|gulpfile|Gruntfile|\.[^/]*|\+[^/]*)\.\w+$"
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
# Calls that load a module by a computed name, and calls that list what a folder has.
DYNAMIC_LOAD = re.compile(
    r"\b(?:import_module|__import__)\s*\((?!\s*[\"'])"
    r"|(?<![\w$.])(?:import|require)\s*\(\s*[\w$`]"
    r"|\bimport\.meta\.glob|\brequire\.context"
)
FOLDER_SCAN = re.compile(
    r"\biter_modules\b|\bwalk_packages\b|\bimport\.meta\.glob|\brequire\.context"
    r"|\b(?:readdir|listdir|scandir|iterdir|glob)(?:Sync)?\("
)
BEFORE_A_MODULE = re.compile(r"\.$|\b(?:from|import|-m)[ \t]")
AFTER_A_MODULE = re.compile(r"\.pyw?\b|:\w|[\"']|[ \t]*(?:[,);\\#]|as\b|$)", re.M)
AFTER_A_SCRIPT = re.compile(r"(?:\.\w+)*(?:\?[^\"'`\n]{0,99})?[\"'`]|\.\w")
PATH_ENDS = frozenset(" \t\n\"'`()<>,;=[]|")  # characters that end a path in a text


def standalone_reason(root: str, source: SourceFile) -> str:
    """Why no file needs to import this one; "" where one must."""
    if _is_entry_point(source):
        return "it is an entry point"
    if kind_in_tests(source.path) or STANDALONE_FILES.search(source.path):
        return "files of its kind are not imported"
    if source.kind in SCRIPT_ENDINGS and _is_routed(root, source.path):
        return "its framework finds it by its path"
    return ""


def _is_entry_point(source: SourceFile) -> bool:
    """Whether a person or the system starts the file, by its name, shebang or main guard."""
    if file_stem(source.path).lower() in ENTRY_POINTS or source.text.startswith("#!"):
        return True
    return source.kind in PYTHON_ENDINGS and MAIN_GUARD.search(source.text) is not None


def _is_routed(root: str, path: str) -> bool:
    """Whether a web framework serves the file because of its path."""
    if ROUTE_FILES.search(path):
        return True
    return ROUTED_FOLDERS.search(path) is not None and _has_router(root, path)


def find_using_file(root: str, target: SourceFile) -> tuple[str, str]:
    """The first file that uses the target as path:line, or "" and how far we looked."""
    for count, path in enumerate(_candidate_files(root, file_stem(target.path))):
        if count == MAX_FILES:
            return "", f" among the first {MAX_FILES} files that were looked at; there are more"
        if not _may_use(root, path, target.path):
            continue
        source = read_source(root, path, MAX_SIZE)
        if source.problem or source.binary:
            continue
        if line := _use_line(root, source, target):
            return f"{printable_text(source.path)}:{line}", ""
    return _find_folder_loader(root, target.path), ""


def mention_line(source: SourceFile, path: str) -> int:
    """The line that names a path: whole, relative, or by its last part alone; 0 without one.

    A mention with another folder in front means another file.
    """
    text, base = code_text(source), posixpath.basename(path)
    if file_stem(path) not in text:
        return 0
    names = re.finditer(rf"(?<![\w.-]){re.escape(base)}(?!\.?[\w-])", text)
    for match in islice(names, MAX_MENTIONS):
        if _same_folder(path_prefix(text, match.start()), source.path, path):
            return line_number(text, match.start())
    if path.endswith(PYTHON_ENDINGS):
        return _dotted_mention_line(text, path)
    if path.endswith(SCRIPT_ENDINGS):
        return _quoted_mention_line(text, source.path, path)
    return 0


# --- which file uses another ---


def _candidate_files(root: str, word: str) -> Iterator[str]:
    """The files of the project that contain the word; without git all files."""
    if os.path.exists(os.path.join(root, ".git")):
        code, out = ask_user_git(root, "grep", *GREP_FLAGS, word)
        if code in (0, 1):
            yield from (os.fsdecode(name) for name in out.split(b"\0") if name)
            return
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        folders[:] = sorted(
            name for name in folders if name[:1] != "." and name not in INSTALLED_FOLDERS
        )
        yield from (posixpath.normpath(f"{below}/{name}") for name in sorted(files))


def _may_use(root: str, path: str, target: str) -> bool:
    """Whether the file at `path` is worth reading: other, not prose, not generated, not huge."""
    if path == target or file_ending(path) in PROSE_ENDINGS:
        return False
    if PLAN_FILES.search(path) or is_excluded(path, EXCLUDED):
        return False
    try:
        return os.lstat(os.path.join(root, path)).st_size <= MAX_SIZE
    except (OSError, ValueError):
        return False


def _use_line(root: str, source: SourceFile, target: SourceFile) -> int:
    """The line where the source uses the target; 0 where it does not."""
    if not _may_name(source.text, target.path):
        return 0
    if (source.kind in PYTHON_ENDINGS) == (target.kind in PYTHON_ENDINGS):
        for statement in file_imports(source):
            if imports.leads_to(root, source.path, statement, target.path):
                return statement.line
    return mention_line(source, target.path) or _dynamic_load_line(source, target.path)


def _dynamic_load_line(source: SourceFile, path: str) -> int:
    """Where the source loads modules by computed names, if it has this file's name as a string."""
    if not path.startswith(posixpath.join(posixpath.dirname(source.path), "")):
        return 0
    text = code_text(source)
    if not re.search(rf"[\"'`]{re.escape(file_stem(path))}[\"'`]", text):
        return 0
    return match_line(text, DYNAMIC_LOAD.search(text))


def _find_folder_loader(root: str, path: str) -> str:
    """A file here or in the parent folder that loads whatever is in this folder, as path:line."""
    folder = posixpath.dirname(path)
    for parent in dict.fromkeys((folder, posixpath.dirname(folder))):
        names = _folder_names(os.path.join(root, parent))
        code_names = [name for name in names if name.endswith((*PYTHON_ENDINGS, *SCRIPT_ENDINGS))]
        for name in code_names[:MAX_SIBLINGS]:
            source = read_source(root, posixpath.join(parent, name), MAX_SIZE)
            if source.path == path:
                continue
            names_folder = parent == folder or posixpath.basename(folder) in source.text
            if not names_folder or not FOLDER_SCAN.search(source.text):
                continue
            if match := DYNAMIC_LOAD.search(code_text(source)):
                line = line_number(source.text, match.start())
                return f"{printable_text(source.path)}:{line}"
    return ""


def _may_name(text: str, path: str) -> bool:
    """Whether the file's name is where an import or a path would have it.

    This costs a hundredth of what reading the text as code costs.
    """
    after = AFTER_A_MODULE if path.endswith(PYTHON_ENDINGS) else AFTER_A_SCRIPT
    for match in re.finditer(re.escape(file_stem(path)), text):
        earliest = max(0, match.start() - 300)
        line_start = text.rfind("\n", earliest, match.start()) + 1 or earliest
        if after.match(text, match.end()):
            return True
        if BEFORE_A_MODULE.search(text, line_start, match.start()):
            return True
    return False


def _has_router(root: str, path: str) -> bool:
    """Whether a folder above the file has the settings of a framework that routes by path."""
    parts = path.split("/")
    for count in range(len(parts)):
        names = _folder_names(os.path.join(root, *parts[:count]))
        if any(name.startswith(ROUTER_CONFIGS) for name in names):
            return True
    return False


def _folder_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# --- how a text names a file ---


def path_prefix(text: str, position: int) -> str:
    """The part of a path before the file's name at `position`, such as ../hooks/"""
    start = position
    while start > max(0, position - 200) and text[start - 1] not in PATH_ENDS:
        start -= 1
    return text[start:position].replace("\\", "/")


def _same_folder(prefix: str, source_path: str, path: str) -> bool:
    """Whether a prefix such as ../hooks/ in the source can lead to the folder of the path."""
    if not prefix.endswith("/"):
        return True
    folders = [part for part in prefix.split("/") if part not in ("", ".", "..")]
    if not folders or any(sign in folders[-1] for sign in "${}%*~"):
        return True
    folder = posixpath.dirname(path)
    if folders[-1] == posixpath.basename(folder):
        return True
    relative = posixpath.join(posixpath.dirname(source_path), prefix)
    return clean_path(posixpath.normpath(relative)) == folder


def _dotted_mention_line(text: str, path: str) -> int:
    """The line with `pkg.stats` in a setting or a string, `stats:main` or `python -m stats`."""
    parts = posixpath.splitext(path)[0].removesuffix("/__init__").split("/")
    for count in range(len(parts)):
        name = re.escape(".".join(parts[count:]))
        pattern = rf"[\"'=]\s{{0,9}}{name}:\w|-m\s{{1,9}}{name}(?![\w.])"
        if count < len(parts) - 1:  # a name with a dot means a module wherever it is
            pattern += rf"|(?<![\w.]){name}(?!\w)"
        if line := match_line(text, re.search(pattern, text)):
            return line
    return 0


def _quoted_mention_line(text: str, source_path: str, path: str) -> int:
    """The line with a string such as "../hooks/useStats" that leads to the path."""
    stem = re.escape(file_stem(path))
    strings = re.finditer(rf"[\"'`]([^\"'`\s]{{0,200}}{stem})[\"'`]", text)
    for match in islice(strings, MAX_MENTIONS):
        if "/" in match[1] and imports.specifier_matches_path(source_path, match[1], path):
            return line_number(text, match.start())
    return 0
