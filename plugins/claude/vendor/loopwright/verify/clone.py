"""The user's own git, asked and told the least: what is committed and staged, and which files of ours it leaves alone."""

from __future__ import annotations

import os

from ..core.record import digest
from .tree import run_git

OURS = ("/loop-state*", "/loop-history/")  # in .claude/


def head_of(root: str) -> str:
    """One word for the last commit and the index: both may move while no file changes. "" where there is no git."""
    if not os.path.exists(os.path.join(root, ".git")):
        return ""
    _, commit = _git(root, "rev-parse", "HEAD")
    code, staged = _git(root, "ls-files", "-s", "-z")
    return "" if code else digest(commit + staged)


def _git(root: str, *args: str) -> tuple[int, bytes]:
    try:
        return run_git(root, "", *args, own_config=False)
    except OSError:  # no such program
        return 127, b""


def exclude(root: str) -> None:
    """`git add -A` is not to take our files along, and the client is not to show each change of them on the screen.

    A .gitignore beside them that ignores itself does both. Where somebody has one there, the clone's own list, which is never
    committed, does the first; the client does not read it.
    """
    beside = os.path.join(root, ".claude", ".gitignore")
    if not os.path.exists(beside):
        os.makedirs(os.path.dirname(beside), exist_ok=True)
        return _append(beside, (*OURS, "/.gitignore"))
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    code, out = _git(root, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
    path = os.fsdecode(out.strip())
    if not code and path and not _has_ours(beside):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _append(path, tuple(f"/.claude{name}" for name in OURS))
    return None


def _has_ours(path: str) -> bool:
    return set(OURS) <= set(_text(path).splitlines())


def _append(path: str, lines: tuple[str, ...]) -> None:
    have = _text(path)
    if new := [line for line in lines if line not in have.splitlines()]:
        start = "" if not have or have.endswith("\n") else "\n"
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(start + "".join(f"{line}\n" for line in new))


def _text(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()
