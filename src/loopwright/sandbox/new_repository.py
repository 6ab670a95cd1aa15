"""A repository that an agent made where there was none: its settings must name no program.

Our own commits and the person's next `git status` would run it outside the sandbox.
"""

from __future__ import annotations

import os
import re

from ..disk.files import read_text, write_atomic
from .kept_paths import set_aside

MAX_CONFIG = 1_000_000
# What `git init` writes, and who commits. Everything else is set aside.
KEPT_SETTINGS = {
    "core": (
        *("repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase"),
        *("precomposeunicode", "symlinks"),
    ),
    "user": ("name", "email"),
    "extensions": ("objectformat", "refstorage"),
}
SET_ASIDE = ("hooks", "modules", "worktrees", "config.worktree", "commondir")
SECTION = re.compile(r"\s*\[\s*(\w+)\s*\]\s*")
SETTING = re.compile(r"\s*(\w+)\s*=\s*[\w .@+-]*")
# A folder with these is a repository for git, even without .git.
BARE_FOLDERS, BARE_HEAD = ("objects", "refs"), "HEAD"
HAD_GIT: dict[str, bool] = {}  # by project: was there a repository when we first looked?
WAS_BARE: dict[str, bool] = {}  # by project: was it itself one?


def tame_new_repository(root: str) -> None:
    """Set aside what a repository that is new in this project would have git execute."""
    root = os.path.realpath(root)
    git = os.path.join(root, ".git")
    if not WAS_BARE.setdefault(root, _is_bare(root)) and _is_bare(root):
        set_aside(os.path.join(root, BARE_HEAD))
    is_there = os.path.lexists(git)
    if HAD_GIT.setdefault(root, is_there) or not is_there:
        return
    if os.path.islink(git) or not os.path.isdir(git):
        set_aside(git)
        return
    HAD_GIT[root] = True
    for name in SET_ASIDE:
        set_aside(os.path.join(git, name))
    config = os.path.join(git, "config")
    text = read_text(config, MAX_CONFIG) if os.path.isfile(config) else ""
    set_aside(config)
    write_atomic(config, plain_settings(text or "").encode())


def _is_bare(folder: str) -> bool:
    """Could git take the folder itself for a repository, now or once its rights are others?"""
    parts = (os.path.join(folder, name) for name in (*BARE_FOLDERS, BARE_HEAD))
    return all(map(os.path.lexists, parts))


def plain_settings(text: str) -> str:
    """The settings of a repository without those that could name a program or another file."""
    lines, section = [], ""
    for line in text.splitlines():
        if found := SECTION.fullmatch(line):
            section = found[1].lower()
            lines += [line] if section in KEPT_SETTINGS else []
        elif line.lstrip().startswith("["):
            section = ""
        elif (found := SETTING.fullmatch(line)) and found[1].lower() in KEPT_SETTINGS.get(
            section, ()
        ):
            lines.append(line)
    return "\n".join([*lines, ""])
