"""Git as lanes use it: the repository, identity and settings of the user; none of their hooks, editors, keys or helpers."""

from __future__ import annotations

import os
import subprocess

from ..core.record import Record
from .plumbing import NO_NETWORK, NO_PROGRAM_SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SETTINGS = {
    **NO_PROGRAM_SETTINGS,
    "core.longpaths": "true",
    "core.logAllRefUpdates": "true",  # what an agent throws away in a lane stays to be found
    "commit.gpgSign": "false",
    "rerere.enabled": "false",
    "submodule.recurse": "false",
    "merge.directoryRenames": "false",  # a file of main stays where main has it
    "merge.verifySignatures": "false",
    "diff.autoRefreshIndex": "true",  # else a file that was only touched counts as changed
    "status.showUntrackedFiles": "all",  # with "no", git removes a worktree together with its new files
}
MERGE = "a merge"
UNFINISHED_OPERATIONS = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert",
    "BISECT_LOG": "a bisect",
    "MERGE_HEAD": MERGE,
}


class GitError(Exception):
    """The repository does not answer as a sound one does. The words say what was asked, where, and what git answered."""


class Checkout(Record):
    """A folder as git sees it: where it begins, its repository, its own part of that, and what is checked out."""

    top: str = ""  # this and all else is empty where git knows of no repository
    common_dir: str = ""
    git_dir: str = ""
    head: str = ""
    branch: str = ""

    @property
    def unfinished_operation(self) -> str:
        """What git is in the middle of there now; "" where nothing is begun."""
        begun = (
            what
            for name, what in UNFINISHED_OPERATIONS.items()
            if os.path.exists(os.path.join(self.git_dir, name))
        )
        return next(begun, "") if self.git_dir else ""


class Worktree(Record):
    """A worktree that the repository knows of, whether its folder is there or not."""

    path: str
    head: str = ""
    branch: str = ""


def run_user_git(root: str, *args: str, feed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """One command, answered in English and in bytes, whatever its exit code."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # A lane whose .git was deleted may lie inside another repository, which must not get its commits.
    env |= {"GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(root))}
    env |= {
        "GIT_EDITOR": ":",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        **NO_NETWORK,
    }
    settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.run(
            ["git", "-C", root, *settings, *args],
            env=env,
            input=feed,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise GitError(f"git cannot be started: {error}") from None


def git_output(root: str, *args: str, feed: bytes = b"") -> str:
    """What a sound repository always answers."""
    done = run_user_git(root, *args, feed=feed)
    if done.returncode:
        raise GitError(f"`git {' '.join(args[:3])}` failed in {root}: {git_error_text(done)}")
    return os.fsdecode(done.stdout).removesuffix("\n")


def git_output_list(root: str, *args: str) -> tuple[str, ...]:
    """The same, where the answer is a list: no answer is not an empty one."""
    return split_nul(git_output(root, args[0], "-z", *args[1:]))


def split_nul(answer: str) -> tuple[str, ...]:
    return tuple(part for part in answer.split("\0") if part)


def git_error_text(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git complained of, in one line."""
    words = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
    return words[:600] or f"exit code {done.returncode}"


def join_names(names: Iterable[str], most: int = 5) -> str:
    """Some names for a sentence, all of them printable."""
    shown = [name if name.isprintable() else ascii(name) for name in sorted(names)]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")


def same_path(one: str, other: str) -> bool:
    """Whether two paths lead to one place."""
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def commit_at(root: str, name: str = "HEAD") -> str:
    """The full name of a commit; "" where there is none."""
    done = run_user_git(
        root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}"
    )
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()


def contains_commit(root: str, later: str, earlier: str) -> bool:
    """Whether a commit is, or comes after, another."""
    done = run_user_git(root, "merge-base", "--is-ancestor", earlier, later)
    if done.returncode > 1:
        raise GitError(
            f"git cannot compare {earlier[:12]} and {later[:12]} in {root}: {git_error_text(done)}"
        )
    return done.returncode == 0


def merge_base(root: str, one: str, other: str) -> str:
    """The last commit that two have in common; "" where there is none."""
    done = run_user_git(root, "merge-base", one, other)
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()


def read_checkout(root: str) -> Checkout:
    where = ("--path-format=absolute", "--show-toplevel", "--git-common-dir", "--absolute-git-dir")
    done = run_user_git(root, "rev-parse", *where, "HEAD", "--symbolic-full-name", "HEAD")
    found = os.fsdecode(done.stdout).split("\n")
    if done.returncode:  # no repository, or no commit
        return Checkout(*found[:3]) if len(found) > 3 else Checkout()
    top, common, own, head, name = found[:5]
    return Checkout(
        top, common, own, head, "" if name == "HEAD" else name.removeprefix("refs/heads/")
    )


def identity_settings(root: str) -> tuple[str, ...]:
    """Settings that give a commit a name, where the user has not given theirs."""
    ours = {"user.name": "Loopwright", "user.email": "loopwright@localhost"}
    known = os.fsdecode(
        run_user_git(root, "config", "--name-only", "--get-regexp", r"^user\.(name|email)$").stdout
    ).split()
    return tuple(
        word for name in ours if name not in known for word in ("-c", f"{name}={ours[name]}")
    )


def list_worktrees(root: str) -> tuple[Worktree, ...]:
    """Every checkout of the repository."""
    found: list[Worktree] = []
    for part in git_output(root, "worktree", "list", "--porcelain", "-z").split("\0"):
        name, _, value = part.partition(" ")
        if name == "worktree":
            found.append(Worktree(value))
        elif name in ("HEAD", "branch"):
            found[-1] = found[-1].but(**{name.lower(): value.removeprefix("refs/heads/")})
    return tuple(found)
