"""Why the tree of a project cannot be determined: the file, the cause and the way out.

Only a Stop that meets such a problem imports this module.
"""

from __future__ import annotations

import os
import shlex

from ..disk.programs import own_program
from .git import GitError, git_error_text, run_user_git, split_nul
from .git_limits import BlockedGit

LISTING_SECONDS = 5.0
UNKNOWN_TREE = "so Loopwright cannot tell which files a check has proven"
GIT_GONE = (
    f".git is gone, {UNKNOWN_TREE}. Put it back, then continue; "
    "or end this loop with `loop cancel` and start a new one"
)


def describe_problem(root: str, error: OSError) -> str:
    """What is wrong, where, and how to fix it, for a person."""
    if isinstance(error.filename, str) and os.path.lexists(error.filename):
        return _unreadable_text(root, error.filename, error.strerror or str(error))
    if isinstance(error, BlockedGit):
        return f"{error}. Until then {UNKNOWN_TREE.removeprefix('so ')}"
    if not os.path.lexists(os.path.join(root, ".git")):
        return f"the files cannot be read: {error}. Look there, then continue"
    if not own_program("git", root):
        return f"git is not installed, {UNKNOWN_TREE}. Install git, then continue"
    flags = ("-z", "-c", "-o", "--exclude-standard")
    try:
        listed = run_user_git(root, "ls-files", *flags, timeout_seconds=LISTING_SECONDS)
    except GitError as git_error:
        return _repository_text(root, str(git_error))
    if listed.returncode:
        return _repository_text(root, git_error_text(listed))
    for name in split_nul(os.fsdecode(listed.stdout)):
        if reason := _read_error(os.path.join(root, name)):
            return _unreadable_text(root, os.path.join(root, name), reason)
    return f"git cannot read the files ({error}), {UNKNOWN_TREE}. See what `git status` says"


def _repository_text(root: str, message: str) -> str:
    if "dubious ownership" in message:
        command = f"git config --global --add safe.directory {shlex.quote(root)}"
        return (
            f"the repository {root} belongs to another user and git refuses to read it, "
            f"{UNKNOWN_TREE}. If you trust it: `{command}`"
        )
    reason = " ".join(message.split())[:300]
    return f"git cannot read the repository ({reason}), {UNKNOWN_TREE}. See what `git status` says"


def _read_error(path: str) -> str:
    """Why the file cannot be read; "" where it can, and for what git does not read."""
    if os.path.islink(path) or not os.path.isfile(path):
        return ""
    try:
        os.close(os.open(path, os.O_RDONLY))
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _unreadable_text(root: str, path: str, reason: str) -> str:
    name = os.path.relpath(path, root)
    mode = "u+rx" if os.path.isdir(path) else "u+r"
    return (
        f"{name} cannot be read ({reason}), {UNKNOWN_TREE}. Make it readable: "
        f"`chmod {mode} {shlex.quote(name)}`; or let git ignore it if it is no part of the work"
    )
