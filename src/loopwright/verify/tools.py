"""The programs that checks start: their paths and digests, so that a replaced one is noticed.

They are outside the tree: in a virtual environment, in node_modules or on PATH. The ratchet looks
after the files of the project.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
import shutil

from ..core.criteria import Check
from ..core.findings import HIGH, Finding
from ..core.record import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

COMMAND_SEPARATORS = re.compile(r"&&|\|\||[;|\n&]")
INSTALLED_FOLDERS = {
    "node_modules",
    "site-packages",
    ".venv",
    "venv",
    ".tox",
    ".nox",
}  # in the project, and no part of the tree
MAX_BYTES = 64 * 1024 * 1024
MAX_FILES = 2_000
IMPORTED_MODULE = re.compile(rb"^(?:from|import) ([A-Za-z_]\w*)", re.M)
SCRIPT_RUNNERS = ("npm", "pnpm", "yarn", "bun")


def program_digests(checks: Iterable[Check], root: str) -> tuple[tuple[str, str], ...]:
    """Each program by its word, with its place and the digest of what it is."""
    found = {}
    for word in dict.fromkeys(
        word for check in checks if not check.probe for word in program_names(check.command, root)
    ):
        if (path := _program_path(word, root)) and not _is_project_file(path, root):
            found[word] = f"{path} {_program_digest(path, word)}"
    return tuple(found.items())


def replaced_programs(
    before: tuple[tuple[str, str], ...], root: str, since: float
) -> tuple[Finding, ...]:
    """Programs that changed since the baseline, or that another one now hides on PATH."""
    found = []
    for word, was in before:
        path = _program_path(word, root)
        place, _, known = was.rpartition(" ")
        if not path or _is_project_file(path, root):
            now = path or "nowhere"
        elif (
            path != place
        ):  # another PATH leads elsewhere; only what came since the start is somebody's work
            now = path if os.lstat(path).st_ctime >= since else place
        else:
            now = place if _program_digest(path, word) == known else f"{place} (changed)"
        if now != place:
            found.append(
                Finding(
                    severity=HIGH,
                    rule="check-program-replaced",
                    file=word,
                    before=place,
                    after=now,
                )
            )
    return tuple(found)


def program_names(command: str | tuple[str, ...], root: str) -> list[str]:
    """The programs that a command starts, as far as it can be told without running it."""
    lines = (
        [list(command)]
        if not isinstance(command, str)
        else [_split_words(part) for part in COMMAND_SEPARATORS.split(command)]
    )
    found: list[str] = []
    for words in lines:
        words = words[
            next(
                (
                    i
                    for i, word in enumerate(words)
                    if "=" not in word or "/" in word.partition("=")[0]
                ),
                len(words),
            ) :
        ]
        if not words:
            continue
        found.append(words[0])
        if len(words) > 2 and words[1] == "-m" and os.path.basename(words[0]).startswith("python"):
            found.append(f"{words[0]} -m {words[2]}")
        if words[0] == "npx":
            found += words[1:2]
        if words[0] in SCRIPT_RUNNERS:
            script = _package_json_script(words[1:], root)
            found += (
                []
                if script is None
                else program_names(script, root)
                if not script.startswith(SCRIPT_RUNNERS)
                else []
            )
    return found


def package_script(command: str | tuple[str, ...], root: str) -> str:
    """What `npm test` and its like stand for; "" for any other command."""
    words = list(command) if not isinstance(command, str) else _split_words(command)
    return (
        (_package_json_script(words[1:], root) or "")
        if words and words[0] in SCRIPT_RUNNERS
        else ""
    )


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def _package_json_script(words: list[str], root: str) -> str | None:
    """What package.json has under the name that is asked for."""
    name = next(
        (word for word in words if not word.startswith("-") and word not in ("run", "run-script")),
        "",
    )
    try:
        with open(os.path.join(root, "package.json"), encoding="utf-8") as file:
            script = json.load(file)["scripts"][name]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return script if isinstance(script, str) else None


def _program_path(word: str, root: str) -> str:
    """The file of a word: an interpreter's module, a tool of the project, or a program on PATH."""
    word = word.partition(" -m ")[0]
    if "/" in word:
        path = os.path.join(root, word)
        return path if os.path.isfile(path) else ""
    local = os.path.join(root, "node_modules", ".bin", word)
    return local if os.path.exists(local) else shutil.which(word) or ""


def _is_project_file(path: str, root: str) -> bool:
    """Is it a file of the project that the tree holds?"""
    inside = os.path.relpath(path, root)
    return not inside.startswith("..") and INSTALLED_FOLDERS.isdisjoint(inside.split(os.sep))


def _program_digest(path: str, word: str) -> str:
    """The digest of the program, and of the package that it does no more than call."""
    real = os.path.realpath(path)
    parts = [_file_content(real)]
    _, module, name = word.partition(" -m ")
    names = (
        {name.partition(".")[0]}
        if module
        else {os.fsdecode(found) for found in IMPORTED_MODULE.findall(parts[0][:4096])}
    )
    for folder in glob.glob(
        os.path.join(os.path.dirname(os.path.dirname(path)), "lib", "python3*", "site-packages")
    ):
        wanted = [f"{prefix}{name}" for name in sorted(names) for prefix in ("", "_")]
        parts += [_package_code(os.path.join(folder, name)) for name in wanted]
        parts.append(
            _file_content(os.path.join(folder, "sitecustomize.py"))
        )  # a .pth is what every editable install leaves
    if "node_modules" in real.split(os.sep):
        parts.append(_package_code(_node_package_folder(real)))
    return digest(b"\0".join(parts))


def _node_package_folder(path: str) -> str:
    folder = os.path.dirname(path)
    while (
        not os.path.exists(os.path.join(folder, "package.json"))
        and os.path.basename(folder) != "node_modules"
    ):
        folder = os.path.dirname(folder)
    return folder


def _package_code(folder: str) -> bytes:
    """All code of a package; a module that is one file too."""
    if not os.path.isdir(folder):
        return _file_content(f"{folder}.py")
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", "node_modules"))
        found += [
            os.path.join(place, name)
            for name in sorted(files)
            if name.endswith((".py", ".js", ".cjs", ".mjs", ".json"))
        ]
        if len(found) > MAX_FILES:
            break
    return b"\0".join(_file_content(path) for path in found[:MAX_FILES])


def _file_content(path: str) -> bytes:
    """The bytes of a file, or its size where it is too large; nothing where there is none."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                return b"%d" % os.fstat(file.fileno()).st_size
            return file.read()
    except OSError:
        return b""
