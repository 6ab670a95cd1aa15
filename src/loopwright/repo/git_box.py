"""The sandbox for a git of ours that writes the user's repository or runs its filters.

An agent can put links into .git, and git writes through them. In the sandbox of the agents they
lead no further than an agent can write itself. To look for links first would be a race: in a plan
other agents work in the same repository meanwhile.
"""

from __future__ import annotations

from ..disk.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # From the folder of the command, others that it writes, and whether it writes what belongs to
    # all checkouts, to the words before the command.
    Launcher = Callable[[str, tuple[str, ...], bool], tuple[str, ...]]

# They write nothing and run no filter. Those of a worktree only remove folders, link by link.
READING = frozenset(
    (
        *("rev-parse", "ls-files", "ls-tree", "config", "log", "show", "cat-file", "grep"),
        *("for-each-ref", "merge-base", "rev-list", "symbolic-ref", "check-ignore", "check-attr"),
        *("diff-tree", "version", "worktree list", "worktree remove", "worktree prune"),
    )
)
# They write what belongs to all checkouts: the list of worktrees, and branches that are not checked
# out here. An agent in a worktree may not.
SHARED = frozenset(("worktree add", "branch", "update-ref"))
_launchers: dict[str, Launcher] = {}  # of the runs in this process, by the project
_branches: dict[str, str] = {}  # of each worktree: an agent can write its HEAD, so we remember


def add_launcher(root: str, launcher: Launcher) -> None:
    """From now on, start each git that writes this project or its worktrees with this launcher."""
    _launchers[os.path.realpath(root)] = launcher


def remove_launcher(root: str) -> None:
    _launchers.pop(os.path.realpath(root), None)


def keep_branch(root: str, branch: str) -> str:
    """From now on this is the branch of the worktree, whatever its HEAD says; its full name."""
    _branches[os.path.realpath(root)] = f"refs/heads/{branch}"
    return _branches[os.path.realpath(root)]


def own_branch(root: str) -> str:
    """The branch that was kept for this worktree; "" for none."""
    return _branches.get(os.path.realpath(root), "")


def is_reading(args: tuple[str, ...]) -> bool:
    """Does this git command write nothing that an agent could redirect, and run no filter?"""
    return _command_name(args) in READING


def git_launcher(root: str, args: tuple[str, ...]) -> tuple[str, ...]:
    """The words before this git command; () if it may run as it is."""
    launcher = _launcher_of(root) if _launchers and not is_reading(args) else None
    if not launcher:
        return ()
    made = _new_worktrees(args)
    for folder in made:  # a sandbox can only show what is there
        os.makedirs(folder, exist_ok=True)
    return launcher(root, made, _command_name(args) in SHARED)


def remove_unused_folders(args: tuple[str, ...]) -> None:
    """After a command that failed: remove the folder of a worktree that it did not make."""
    for folder in _new_worktrees(args):
        try:
            os.rmdir(folder)
        except OSError:  # it is not empty
            pass


def _new_worktrees(args: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in args if os.path.isabs(word)) if "worktree" in args else ()


def _launcher_of(root: str) -> Launcher | None:
    """That of the project; its worktrees lie beside it, and their names begin with its own."""
    real = os.path.realpath(root)
    for project, launcher in sorted(_launchers.items(), reverse=True):  # a longer one comes first
        if real == project or real.startswith((f"{project}-", f"{project}/")):
            return launcher
    return None


def _command_name(args: tuple[str, ...]) -> str:
    words = list(args)
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] == "-c" else 1]
    return " ".join(words[:2]) if words[:1] == ["worktree"] else "".join(words[:1])
