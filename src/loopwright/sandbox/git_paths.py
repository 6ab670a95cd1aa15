"""Which files of a repository decide what git executes: an agent that writes them can escape.

They are read as text, because git itself would execute what they name, and because a process per
check costs time.
"""

from __future__ import annotations

import os
import re

from ..core.record import Record
from ..disk.files import free_name, read_text, write_atomic
from .new_repository import tame_new_repository

MAX_CONFIG = 1_000_000
HOOKS_PATH = re.compile(r"^\s*hookspath\s*=\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
INCLUDED = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
CHECKOUT = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
VALID_HEAD = re.compile(r"(ref:\s*refs/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*")
WORKTREE_CONFIG = re.compile(r"^\s*worktreeconfig\s*=\s*(true|yes|on|1)\b", re.I | re.MULTILINE)


# git takes its settings from the folder that this file names. A main checkout has none, so an agent
# could create it. While a loop works, ours is there and names the folder itself: nothing changes.
COMMON_NAME, ITSELF = "commondir", ".\n"
_HEADS: dict[str, str] = {}  # of each git folder, as it was when it was last whole


class GitPaths(Record):
    """The git folders of a checkout, and what must stay as it is in them and in the checkout."""

    folders: tuple[str, ...] = ()  # .git, or those of a worktree, which lie elsewhere
    files: tuple[str, ...] = ()
    hook_folders: tuple[str, ...] = ()
    kept_folders: tuple[str, ...] = ()  # written, but never moved: without them .git is none


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
            files += _module_link(folder)
        files.append(os.path.join(folder, COMMON_NAME))
    files.append(os.path.join(own, "gitdir"))
    files += _other_worktrees(common, own)
    _create_worktree_config(common, own)
    present = tuple(path for path in dict.fromkeys(files) if os.path.lexists(path))
    kept = tuple(os.path.join(common, name) for name in ("objects", "refs"))
    return GitPaths(folders, present, tuple(dict.fromkeys(hooks)), kept)


def _linked_folder(git_file: str) -> str:
    """The git folder that the file `.git` of a worktree or submodule names; "" without one."""
    text = _read(git_file) or ""
    if not text.startswith("gitdir:"):
        return ""
    folder = os.path.join(os.path.dirname(git_file), text[len("gitdir:") :].strip())
    return os.path.realpath(folder) if os.path.isdir(folder) else ""


def _common_folder(own: str) -> str:
    text = _read(os.path.join(own, COMMON_NAME))
    return os.path.realpath(os.path.join(own, text.strip())) if text else own


def _module_folders(common: str) -> list[str]:
    """The git folders of the submodules, which may be nested."""
    found: list[str] = []
    waiting = [os.path.join(common, "modules")]
    while waiting:
        folder = waiting.pop()
        if os.path.islink(folder):  # perhaps the agent's own, and it leads anywhere
            continue
        if os.path.isfile(os.path.join(folder, "config")):
            found.append(folder)
            waiting.append(os.path.join(folder, "modules"))
        elif os.path.isdir(folder):
            waiting += [entry.path for entry in os.scandir(folder) if entry.is_dir()]
    return found


def _module_link(folder: str) -> list[str]:
    """The file .git in the checkout of this submodule, which leads git to its settings."""
    text = _read(os.path.join(folder, "config")) or ""
    paths = [os.path.join(_resolve(name, folder), ".git") for name in CHECKOUT.findall(text)]
    return [path for path in paths if os.path.isfile(path)]


def _other_worktrees(common: str, own: str) -> list[str]:
    """The git folders of the other worktrees; each names the folder of its settings in a file."""
    try:
        entries = list(os.scandir(os.path.join(common, "worktrees")))
    except OSError:
        return []
    folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [folder for folder in folders if folder != own]


def _add_config_paths(folder: str, root: str, files: list[str], hooks: list[str]) -> None:
    """Add the settings of one git folder, and what they include or take their hooks from."""
    waiting = [os.path.join(folder, "config"), os.path.join(folder, "config.worktree")]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        files.append(path)
        above = os.path.dirname(path)
        is_missing = path.startswith(f"{root}/") and not os.path.lexists(path)
        is_missing = is_missing and os.path.realpath(above) == above  # no link leads elsewhere
        if is_missing and os.path.basename(path) != "config.worktree":
            _create_empty(path)  # a file that git would include
        text = _read(path) or ""
        hooks += (_resolve(name, root) for name in HOOKS_PATH.findall(text))
        waiting += (_resolve(name, os.path.dirname(path)) for name in INCLUDED.findall(text))


def _create_worktree_config(common: str, own: str) -> None:
    """Where worktrees have settings of their own, each needs the file before an agent makes it."""
    if WORKTREE_CONFIG.search(_read(os.path.join(common, "config")) or ""):
        for folder in (common, own):
            _create_empty(os.path.join(folder, "config.worktree"))


def place_guard(root: str) -> bool:
    """Keep an agent from naming another folder with settings for git; was it not there yet?"""
    tame_new_repository(root)
    paths = find_git_paths(root)
    is_new = False
    for folder in paths.folders[:1]:
        is_new = not os.path.lexists(os.path.join(folder, COMMON_NAME))
        for guarded in (folder, *_module_folders(folder)):
            _create_empty(os.path.join(guarded, COMMON_NAME), ITSELF)
    keep_heads(paths.folders)
    return is_new


def remove_guard(root: str) -> None:
    """Remove the files that place_guard made, once no agent and no check works here."""
    tame_new_repository(root)
    paths = find_git_paths(root)
    for folder in paths.folders[:1]:
        for guarded in (folder, *_module_folders(folder)):
            path = os.path.join(guarded, COMMON_NAME)
            if _read(path) == ITSELF:
                os.remove(path)
    keep_heads(paths.folders)


def keep_whole(root: str) -> None:
    """After a turn or a check, before git reads this checkout again: mend what an agent did."""
    tame_new_repository(root)
    keep_heads(find_git_paths(root).folders)


def keep_heads(folders: tuple[str, ...]) -> None:
    """Put a HEAD back that an agent broke or moved away.

    Without it .git is no repository, and git would take the project itself for one: a folder with
    files named HEAD and config, whose settings the agent wrote.
    """
    for folder in folders:
        path = os.path.join(folder, "HEAD")
        text = _read(path) or ""
        if VALID_HEAD.fullmatch(text):
            _HEADS[folder] = text
        elif folder in _HEADS:
            if os.path.isdir(path) and not os.path.islink(path):
                os.rename(path, free_name(f"{path}.broken"))
            write_atomic(path, _HEADS[folder].encode())
            os.chmod(path, 0o644)


def _read(path: str) -> str | None:
    """The text of a plain file; an agent may put a pipe in its place, which is never waited for."""
    return read_text(path, MAX_CONFIG) if os.path.isfile(path) else None


def _resolve(name: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(name.strip('"'))))


def _create_empty(path: str, text: str = "") -> None:
    """git reads this file, so it must exist before it can be kept as it is."""
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return
