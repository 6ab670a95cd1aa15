"""Programs that checks begin with: where each lies and what is in it, so that one that was replaced meanwhile is known.

They lie outside the tree, in a virtual environment, in node_modules or on PATH. A file of the project is the ratchet's matter.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
import shutil

from ..core.loop import Check
from ..core.ratchet import HIGH, Finding
from ..core.record import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PARTS = re.compile(r"&&|\|\||[;|\n&]")
FOREIGN = {"node_modules", "site-packages", ".venv", "venv", ".tox", ".nox"}  # in the project, and no part of the tree
LARGE = 64 * 1024 * 1024
MOST_FILES = 2_000
IMPORTED = re.compile(rb"^(?:from|import) ([A-Za-z_]\w*)", re.M)
SCRIPTED = ("npm", "pnpm", "yarn", "bun")


def programs(checks: Iterable[Check], root: str) -> tuple[tuple[str, str], ...]:
    """Each program by its word, with its place and the digest of what it is."""
    found = {}
    for word in dict.fromkeys(word for check in checks if not check.probe for word in words_of(check.command, root)):
        if (path := _resolved(word, root)) and not _is_ours(path, root):
            found[word] = f"{path} {_print_of(path, word)}"
    return tuple(found.items())


def replaced(before: tuple[tuple[str, str], ...], root: str, since: float) -> tuple[Finding, ...]:
    """Programs that are not what they were: changed where they lie, or put in front of the old one since the start."""
    found = []
    for word, was in before:
        path = _resolved(word, root)
        place, _, known = was.rpartition(" ")
        if not path or _is_ours(path, root):
            now = path or "nowhere"
        elif path != place:  # another PATH leads elsewhere; only what came since the start is somebody's work
            now = path if os.lstat(path).st_ctime >= since else place
        else:
            now = place if _print_of(path, word) == known else f"{place} (changed)"
        if now != place:
            found.append(Finding(HIGH, "the program that runs the check was replaced", word, 0, place, now))
    return tuple(found)


def words_of(command: str | tuple[str, ...], root: str) -> list[str]:
    """The programs that a command starts, as far as it can be told without running it."""
    lines = [list(command)] if not isinstance(command, str) else [_split(part) for part in PARTS.split(command)]
    found: list[str] = []
    for words in lines:
        words = words[next((i for i, word in enumerate(words) if "=" not in word or "/" in word.partition("=")[0]), len(words)) :]
        if not words:
            continue
        found.append(words[0])
        if len(words) > 2 and words[1] == "-m" and os.path.basename(words[0]).startswith("python"):
            found.append(f"{words[0]} -m {words[2]}")
        if words[0] == "npx":
            found += words[1:2]
        if words[0] in SCRIPTED:
            script = _script(words[1:], root)
            found += [] if script is None else words_of(script, root) if not script.startswith(SCRIPTED) else []
    return found


def script_of(command: str | tuple[str, ...], root: str) -> str:
    """What `npm test` and its like stand for; "" for any other command."""
    words = list(command) if not isinstance(command, str) else _split(command)
    return (_script(words[1:], root) or "") if words and words[0] in SCRIPTED else ""


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def _script(words: list[str], root: str) -> str | None:
    """What package.json has under the name that is asked for."""
    name = next((word for word in words if not word.startswith("-") and word not in ("run", "run-script")), "")
    try:
        with open(os.path.join(root, "package.json"), encoding="utf-8") as file:
            script = json.load(file)["scripts"][name]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return script if isinstance(script, str) else None


def _resolved(word: str, root: str) -> str:
    """The file behind a word: a module of an interpreter, a tool of the project, or a program on PATH."""
    word = word.partition(" -m ")[0]
    if "/" in word:
        path = os.path.join(root, word)
        return path if os.path.isfile(path) else ""
    local = os.path.join(root, "node_modules", ".bin", word)
    return local if os.path.exists(local) else shutil.which(word) or ""


def _is_ours(path: str, root: str) -> bool:
    """Is it a file of the project that the tree holds?"""
    inside = os.path.relpath(path, root)
    return not inside.startswith("..") and FOREIGN.isdisjoint(inside.split(os.sep))


def _print_of(path: str, word: str) -> str:
    """The digest of the program, and of the package that it does no more than call."""
    real = os.path.realpath(path)
    parts = [_content(real)]
    _, module, name = word.partition(" -m ")
    names = {name.partition(".")[0]} if module else {os.fsdecode(found) for found in IMPORTED.findall(parts[0][:4096])}
    for folder in glob.glob(os.path.join(os.path.dirname(os.path.dirname(path)), "lib", "python3*", "site-packages")):
        wanted = [f"{prefix}{name}" for name in sorted(names) for prefix in ("", "_")]
        parts += [_package(os.path.join(folder, name)) for name in wanted]
        parts.append(_content(os.path.join(folder, "sitecustomize.py")))  # a .pth is what every editable install leaves
    if "node_modules" in real.split(os.sep):
        parts.append(_package(_node_package(real)))
    return digest(b"\0".join(parts))


def _node_package(path: str) -> str:
    folder = os.path.dirname(path)
    while not os.path.exists(os.path.join(folder, "package.json")) and os.path.basename(folder) != "node_modules":
        folder = os.path.dirname(folder)
    return folder


def _package(folder: str) -> bytes:
    """All code of a package; a module that is one file too."""
    if not os.path.isdir(folder):
        return _content(f"{folder}.py")
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", "node_modules"))
        found += [os.path.join(place, name) for name in sorted(files) if name.endswith((".py", ".js", ".cjs", ".mjs", ".json"))]
        if len(found) > MOST_FILES:
            break
    return b"\0".join(_content(path) for path in found[:MOST_FILES])


def _content(path: str) -> bytes:
    """The bytes of a file, or their number where there are too many; nothing where there is none."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > LARGE:
                return b"%d" % os.fstat(file.fileno()).st_size
            return file.read()
    except OSError:
        return b""
