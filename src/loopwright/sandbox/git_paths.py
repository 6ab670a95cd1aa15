"""Which files of a repository decide what git executes: an agent that writes them can escape.

They are read as text, because git itself would execute what they name, and because a process per
check costs time.
"""

from __future__ import annotations

import os
import re

from ..core.record import Record
from ..disk.files import read_text

MAX_CONFIG = 1_000_000
HOOKS_PATH = re.compile(r"^\s*hookspath\s*=\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
INCLUDED = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
WORKTREE_CONFIG = re.compile(r"^\s*worktreeconfig\s*=\s*(true|yes|on|1)\b", re.I | re.MULTILINE)


# git takes its settings from the folder that this file names. A main checkout has none, so an agent
# could create it. While a loop works, ours is there and names the folder itself: nothing changes.
COMMON_NAME, ITSELF = "commondir", ".\n"


class GitPaths(Record):
    """The git folders of a checkout, and what must stay as it is in them and in the checkout."""

    folders: tuple[str, ...] = ()  # .git, or those of a worktree, which lie elsewhere
    files: tuple[str, ...] = ()
    hook_folders: tuple[str, ...] = ()


def find_git_paths(root: str) -> GitPaths:
    """The paths of the repository of this checkout; nothing without one."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        own = common = os.path.realpath(git)
    elif own := _linked_folder(git):
        common = _common_folder(own)
    else:
        return GitPaths()
    folders = tuple(dict.fromkeys((common, own)))
    files: list[str] = [git] if own != os.path.realpath(git) else []
    hooks = [os.path.join(common, "hooks")]
    for folder in (*folders, *_module_folders(common)):
        _add_config_paths(folder, root, files, hooks)
        if folder not in folders:
            hooks.append(os.path.join(folder, "hooks"))
    files += [os.path.join(own, name) for name in (COMMON_NAME, "gitdir")]
    files.append(os.path.join(common, COMMON_NAME))
    present = tuple(path for path in dict.fromkeys(files) if os.path.lexists(path))
    return GitPaths(folders, present, tuple(dict.fromkeys(hooks)))


def _linked_folder(git_file: str) -> str:
    """The git folder that the file `.git` of a worktree or submodule names; "" without one."""
    text = read_text(git_file, 10_000) or ""
    if not text.startswith("gitdir:"):
        return ""
    folder = os.path.join(os.path.dirname(git_file), text[len("gitdir:") :].strip())
    return os.path.realpath(folder) if os.path.isdir(folder) else ""


def _common_folder(own: str) -> str:
    text = read_text(os.path.join(own, COMMON_NAME), 10_000)
    return os.path.realpath(os.path.join(own, text.strip())) if text else own


def _module_folders(common: str) -> list[str]:
    """The git folders of the submodules, which may be nested."""
    found: list[str] = []
    waiting = [os.path.join(common, "modules")]
    while waiting:
        folder = waiting.pop()
        if os.path.isfile(os.path.join(folder, "config")):
            found.append(folder)
            waiting.append(os.path.join(folder, "modules"))
        elif os.path.isdir(folder):
            waiting += [entry.path for entry in os.scandir(folder) if entry.is_dir()]
    return found


def _add_config_paths(folder: str, root: str, files: list[str], hooks: list[str]) -> None:
    """Add the settings of one git folder, and what they include or take their hooks from."""
    waiting = [os.path.join(folder, "config"), os.path.join(folder, "config.worktree")]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        files.append(path)
        is_missing = path.startswith(f"{root}/") and not os.path.lexists(path)
        if is_missing and os.path.basename(path) != "config.worktree":
            _create_empty(path)  # a file that git would include
        text = read_text(path, MAX_CONFIG) or ""
        hooks += (_resolve(name, root) for name in HOOKS_PATH.findall(text))
        waiting += (_resolve(name, os.path.dirname(path)) for name in INCLUDED.findall(text))
        if WORKTREE_CONFIG.search(text) and not os.path.lexists(f"{path}.worktree"):
            _create_empty(f"{path}.worktree")


def place_guard(root: str) -> None:
    """Keep an agent from naming another folder with settings for git; see COMMON_NAME."""
    for folder in find_git_paths(root).folders[:1]:
        _create_empty(os.path.join(folder, COMMON_NAME), ITSELF)


def remove_guard(root: str) -> None:
    """Remove the file that place_guard made, once no agent and no check works here."""
    for folder in find_git_paths(root).folders[:1]:
        path = os.path.join(folder, COMMON_NAME)
        if read_text(path, 10) == ITSELF:
            os.remove(path)


def _resolve(name: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(name.strip('"'))))


def _create_empty(path: str, text: str = "") -> None:
    """git reads this file, so it must exist before it can be kept as it is."""
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return
