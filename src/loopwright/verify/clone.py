"""The user's own git, asked and told the least: what is committed and staged, and which files of ours it leaves alone."""

from __future__ import annotations

import os

from ..core.record import digest
from .tree import run_git

OURS = ("/.claude/loop-state*", "/.claude/loop-history/")


def head_of(root: str) -> str:
    """One word for the last commit and the index: both may move while no file changes. "" where there is no git."""
    if not os.path.exists(os.path.join(root, ".git")):
        return ""
    _, commit = run_git(root, "", "rev-parse", "HEAD", own_config=False)
    code, staged = run_git(root, "", "ls-files", "-s", "-z", own_config=False)
    return "" if code else digest(commit + staged)


def exclude(root: str) -> None:
    """In the clone's own list, which is never committed: `git add -A` is not to take our files along."""
    code, out = run_git(root, "", "rev-parse", "--path-format=absolute", "--git-path", "info/exclude", own_config=False)
    path = os.fsdecode(out.strip())
    if code or not path:
        return
    have = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            have = file.read()
    if new := [line for line in OURS if line not in have.splitlines()]:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        start = "" if not have or have.endswith("\n") else "\n"
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(start + "".join(f"{line}\n" for line in new))
