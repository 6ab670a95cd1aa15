"""What a lane holds: which files differ from where it began, which of them it may not touch, and all of it as a commit."""

from __future__ import annotations

import os

from ...core.plan.plan import DELETE, PlannedFile
from ...core.record import Record
from ..git import (
    MERGE,
    Checkout,
    git_error_text,
    git_output,
    git_output_list,
    identity_settings,
    join_names,
    read_checkout,
    run_user_git,
    same_path,
    split_nul,
)
from ..tree import HUGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# As the user's settings would not have it: every path once, as a change of its own.
PLAIN_DIFF_FLAGS = ("--no-renames", "--ignore-submodules=none")
# What tools leave behind is nobody's work, whether the project ignores it or not.
TOOL_CACHES = (
    "/.loop/",
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".coverage",
)
EXCLUDE_CACHE_FLAGS = tuple(f"--exclude={pattern}" for pattern in (*TOOL_CACHES, "node_modules/"))
SEARCHED_BYTES = 5_000_000  # bytes of a file in which we look for the marks of a conflict


class Changes(Record):
    """Files that differ from a commit. A rename is a deletion and a new file."""

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    problem: str = ""


class LaneCommit(Record):
    """The commit of what was left; none where nothing was, or where the problem says why it could not be made."""

    commit: str = ""
    problem: str = ""


# --- whether it is a lane ---


def lane_problem(root: str, place: str, branch: str) -> str:
    """Why this is no longer the lane that was laid, and how it becomes it again; "" where all is well."""
    return lane_checkout_problem(read_checkout(root), read_checkout(place), place, branch)


def lane_checkout_problem(here: Checkout, there: Checkout, place: str, branch: str) -> str:
    """The same, of what was seen of both."""
    if why := _not_a_lane_reason(place, there):
        return why
    if not same_path(here.common_dir, there.common_dir):
        return f"{place} belongs to another repository than {here.top}. Look there, and move what you need"
    if there.unfinished_operation not in ("", MERGE):
        return f"{there.unfinished_operation} is not finished in {place}. `git status` there says how to finish it or give it up"
    switch = f"There: `git switch {branch}`, then `git merge"
    if not there.branch:
        return f"{place} is on no branch. {switch} {there.head[:12]}` for what was committed since"
    if there.branch != branch:
        return f"{place} is on the branch {there.branch}. {switch} {there.branch}` for what was committed on it"
    return ""


def _not_a_lane_reason(place: str, there: Checkout) -> str:
    """A lane is a worktree that belongs to a repository elsewhere."""
    if there.top and same_path(there.common_dir, there.git_dir):
        return f"{place} is a repository of its own now. Look there, and move what you need"
    return _not_a_checkout_reason(place, there)


def _not_a_checkout_reason(place: str, there: Checkout) -> str:
    if not os.path.isdir(place):
        return f"{place} is gone"
    if not there.top or not same_path(there.top, place):
        return f"{place} is no worktree any more: its .git is gone or broken. `git worktree repair` in the project mends it"
    return "" if there.head else f"{place} is on a branch without a commit. `git status` there"


# --- what changed in it ---


def changes_since_commit(place: str, base: str) -> Changes:
    """Every file that differs from the commit: committed or not, and new ones that are not ignored. Main's checkout may be asked.

    What git was told not to look at counts in a lane, where nobody but its agent can have done that.
    """
    there = read_checkout(place)
    if why := _not_a_checkout_reason(place, there):
        return Changes(problem=why)
    done = run_user_git(place, "diff", "--name-status", "-z", *PLAIN_DIFF_FLAGS, base, "--")
    if done.returncode:
        return Changes(
            problem=f"{place} cannot be compared with {base[:12]}: {git_error_text(done)}"
        )
    parts = split_nul(os.fsdecode(done.stdout))
    found = dict(zip(parts[1::2], parts[::2], strict=True))
    new, flagged = new_and_hidden_files(place)
    more = {
        *new,
        *(() if same_path(there.common_dir, there.git_dir) else flagged),
    }  # taken out of the index is not deleted
    written = {path for path, status in found.items() if status != "D"} | more
    return Changes(tuple(sorted(written)), tuple(sorted(found.keys() - written)))


def changes_outside_task(
    changes: Changes,
    files: Collection[PlannedFile],
    others: Collection[str],
    tracked: Collection[str],
) -> tuple[str, ...]:
    """The changes that are not the task's to make.

    It writes its own files and new ones that no task names, and deletes what its list says. A task that names no file at all
    may write everything that no other task names.
    """
    own = {file.path for file in files}
    doomed = {file.path for file in files if file.action == DELETE}
    taken = {*others, *(tracked if own else ())} - own
    return tuple(
        sorted(
            {path for path in changes.written if path in taken} | (set(changes.deleted) - doomed)
        )
    )


def git_ignored_files(place: str, paths: Collection[str]) -> tuple[str, ...]:
    """Which of these git ignores there: they are never committed, and go when the lane goes."""
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    return split_nul(
        os.fsdecode(run_user_git(place, "check-ignore", "-z", "--stdin", feed=feed).stdout)
    )


def unsaved_work(place: str, there: Checkout) -> str:
    """What stands between the lane and a clean state, in words."""
    if left := uncommitted_paths(place):
        return f"not committed in {place}: {join_names(left)}"
    return (
        f"{MERGE} is not finished in {place}. There: `git commit`"
        if there.unfinished_operation
        else ""
    )


def uncommitted_paths(place: str) -> tuple[str, ...]:
    """All that no commit has: changed, new and not ignored, or hidden from git."""
    new, flagged = new_and_hidden_files(place)
    return tuple(
        sorted(
            {
                *git_output_list(place, "diff", "--name-only", *PLAIN_DIFF_FLAGS, "HEAD", "--"),
                *new,
                *flagged,
            }
        )
    )


def new_and_hidden_files(place: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """New files that are not ignored, and files that git was told not to look at.

    The name of a new one that ends in a slash is a repository in the repository. Changes in the others git would not commit,
    and would remove the worktree all the same.
    """
    entries = git_output_list(
        place, "ls-files", "-v", "--cached", "--others", "--exclude-standard", *EXCLUDE_CACHE_FLAGS
    )
    flagged = [entry[2:] for entry in entries if entry[0].islower() or entry[0] == "S"]
    new = tuple(entry[2:] for entry in entries if entry[0] == "?")
    return new, tuple(path for path in flagged if os.path.lexists(os.path.join(place, path)))


# --- all of it as a commit ---


def commit_lane(place: str, message: str) -> LaneCommit:
    """Commit all that is left in the lane, and so conclude a merge that was begun there."""
    there = read_checkout(place)
    if why := _not_a_lane_reason(place, there):
        return LaneCommit(problem=why)
    new, flagged = new_and_hidden_files(place)
    left = (
        *git_output_list(place, "diff", "--name-only", *PLAIN_DIFF_FLAGS, "--"),
        *new,
    )  # all else is staged
    if why := _uncommittable_reason(place, there.unfinished_operation, left, flagged):
        return LaneCommit(problem=why)
    if left:
        feed = b"".join(os.fsencode(path) + b"\0" for path in left)
        done = run_user_git(
            place,
            "--literal-pathspecs",
            "add",
            "--all",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
            feed=feed,
        )
        if done.returncode:
            return LaneCommit(
                problem=f"git would not take up {join_names(left)} in {place}: {git_error_text(done)}"
            )
    if (
        not there.unfinished_operation
        and run_user_git(place, "diff-index", "--cached", "--quiet", "HEAD", "--").returncode == 0
    ):
        return LaneCommit()  # nothing, or only line ends that git keeps differently
    words = (
        "commit",
        "--quiet",
        "--no-verify",
        "--no-gpg-sign",
        "--cleanup=whitespace",
        "--file=-",
    )
    done = run_user_git(
        place, *identity_settings(place), *words, feed=message.encode("utf-8", "replace")
    )
    if done.returncode:
        return LaneCommit(problem=f"git would not commit in {place}: {git_error_text(done)}")
    return LaneCommit(git_output(place, "rev-parse", "HEAD"))


def _uncommittable_reason(
    place: str, doing: str, left: tuple[str, ...], flagged: tuple[str, ...]
) -> str:
    """Why this cannot become a commit that holds all of it."""
    if doing not in ("", MERGE):
        return f"{doing} is not finished in {place}. `git status` there says how to finish it or give it up"
    if nested := [path for path in left if path.endswith("/")]:
        return f"{join_names(nested)} in {place} is a repository of its own, no commit of ours would hold its files. Move it away"
    if flagged:
        words = f"git was told not to look at {join_names(flagged)} in {place}"
        return f"{words}. There: `git update-index --no-assume-unchanged FILE`, or `--no-skip-worktree`"
    if doing and (
        marked := [path for path in left if _has_conflict_markers(os.path.join(place, path))]
    ):
        return f"the marks of a conflict are still in {join_names(marked)} in {place}. Resolve them: both sides are between the marks"
    if huge := _huge_files(place, left):
        return f"{join_names(huge)} in {place}: over {HUGE >> 20} MB. Git would keep it for ever; delete it, or let git ignore it"
    return ""


def _has_conflict_markers(path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        lines = file.read(SEARCHED_BYTES).split(b"\n")
    return all(any(line.startswith(mark) for line in lines) for mark in (b"<<<<<<< ", b">>>>>>> "))


def _huge_files(place: str, paths: tuple[str, ...]) -> list[str]:
    """Too large to be kept as it is. A filter, as of LFS, keeps it elsewhere."""
    there = [(path, os.path.join(place, path)) for path in paths]
    large = [
        path
        for path, full in there
        if not os.path.islink(full) and os.path.isfile(full) and os.path.getsize(full) > HUGE
    ]
    return [
        path
        for path in large
        if run_user_git(place, "check-attr", "-z", "filter", "--", path).stdout.endswith(
            b"\0unspecified\0"
        )
    ]
