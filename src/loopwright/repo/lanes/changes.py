"""What a lane holds: files that differ from its base, files it may not touch, and its commit."""

from __future__ import annotations

import os

from ...core.plan.plan import DELETE, PlannedFile
from ...core.record import Record
from ...disk.files import open_at_once
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
from ..submodules import LOOK_AT_COMMIT, changed_submodules, submodules_of
from ..walk import HUGE, TOOL_CACHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# Whatever the user's settings are: each path is listed once, as a change of its own.
PLAIN_DIFF_FLAGS = ("--no-renames", LOOK_AT_COMMIT)
EXCLUDED_FROM_LANES = ("/.loop/", *TOOL_CACHES, "node_modules/")
EXCLUDE_CACHE_FLAGS = tuple(f"--exclude={pattern}" for pattern in EXCLUDED_FROM_LANES)
ADD_FLAGS = ("--all", "--pathspec-from-file=-", "--pathspec-file-nul")
COMMIT_FLAGS = (
    "--quiet",
    "--no-verify",
    "--no-gpg-sign",
    "--cleanup=whitespace",
    "--file=-",
)
SEARCHED_BYTES = 5_000_000  # of a file in which we look for conflict markers
CONFLICT_MARKERS = (b"<<<<<<< ", b">>>>>>> ")


class Changes(Record):
    """Files that differ from a commit. A rename is a deletion and a new file."""

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    problem: str = ""


class LaneCommit(Record):
    """The commit of the lane's changes; "" without changes, or where `problem` says why not."""

    commit: str = ""
    problem: str = ""


# --- whether it is a lane ---


def lane_problem(root: str, path: str, branch: str) -> str:
    """Why the folder is no longer the lane that was created, and how to repair it; "" if it is."""
    return lane_checkout_problem(read_checkout(root), read_checkout(path), path, branch)


def lane_checkout_problem(main: Checkout, lane: Checkout, path: str, branch: str) -> str:
    """The same, where both checkouts have been read already."""
    if problem := _not_a_lane_reason(path, lane):
        return problem
    if not same_path(main.common_dir, lane.common_dir):
        return (
            f"{path} belongs to another repository than {main.top}. "
            "Look there, and move what you need"
        )
    if lane.unfinished_operation not in ("", MERGE):
        return _unfinished_problem(path, lane.unfinished_operation)
    switch = f"There: `git switch {branch}`, then `git merge"
    if not lane.branch:
        return f"{path} is on no branch. {switch} {lane.head[:12]}` for what was committed since"
    if lane.branch != branch:
        return (
            f"{path} is on the branch {lane.branch}. "
            f"{switch} {lane.branch}` for what was committed on it"
        )
    return ""


def _unfinished_problem(path: str, operation: str) -> str:
    return (
        f"{operation} is not finished in {path}. "
        "`git status` there says how to finish it or give it up"
    )


def _not_a_lane_reason(path: str, lane: Checkout) -> str:
    """A lane is a worktree whose repository is elsewhere."""
    if lane.top and same_path(lane.common_dir, lane.git_dir):
        return f"{path} is a repository of its own now. Look there, and move what you need"
    return _not_a_checkout_reason(path, lane)


def _not_a_checkout_reason(path: str, checkout: Checkout) -> str:
    if not os.path.isdir(path):
        return f"{path} is gone"
    if not checkout.top or not same_path(checkout.top, path):
        return (
            f"{path} is no worktree any more: its .git is gone or broken. "
            "`git worktree repair` in the project mends it"
        )
    return "" if checkout.head else f"{path} is on a branch without a commit. `git status` there"


# --- what changed in it ---


def changes_since_commit(path: str, base: str) -> Changes:
    """Every file that differs from the commit: committed or not, and new ones that are not ignored.

    The folder may be main's checkout too. Files hidden from git count in a lane only, where the
    agent is the only one who can have hidden them.
    """
    checkout = read_checkout(path)
    if problem := _not_a_checkout_reason(path, checkout):
        return Changes(problem=problem)
    done = run_user_git(path, "diff", "--name-status", "-z", *PLAIN_DIFF_FLAGS, base, "--")
    if done.returncode:
        return Changes(
            problem=f"{path} cannot be compared with {base[:12]}: {git_error_text(done)}"
        )
    parts = split_nul(os.fsdecode(done.stdout))
    statuses = dict(zip(parts[1::2], parts[::2], strict=True))
    new, hidden = new_and_hidden_files(path)
    written = {name for name, status in statuses.items() if status != "D"} | {*new}
    written |= {*changed_submodules(path)}
    is_lane = not same_path(checkout.common_dir, checkout.git_dir)
    if is_lane:
        written |= {*hidden}
    # A file that was only taken out of the index is new, and not deleted.
    deleted = statuses.keys() - written
    return Changes(tuple(sorted(written)), tuple(sorted(deleted)))


def changes_outside_task(
    changes: Changes,
    files: Collection[PlannedFile],
    others: Collection[str],
    tracked: Collection[str],
) -> tuple[str, ...]:
    """The changes that the task may not make.

    A task writes its own files and new ones that no task names, and deletes what its list says.
    A task that names no file may write everything that no other task names.
    """
    own = {file.path for file in files}
    deletable = {file.path for file in files if file.action == DELETE}
    reserved = {*others} - own
    if own:
        reserved |= {*tracked} - own
    wrongly_written = reserved.intersection(changes.written)
    wrongly_deleted = set(changes.deleted) - deletable
    return tuple(sorted(wrongly_written | wrongly_deleted))


def git_ignored_files(path: str, names: Collection[str]) -> tuple[str, ...]:
    """The files that git ignores there: they are never committed, and are lost with the lane."""
    feed = b"".join(os.fsencode(name) + b"\0" for name in names)
    done = run_user_git(path, "check-ignore", "-z", "--stdin", feed=feed)
    return split_nul(os.fsdecode(done.stdout))


def unsaved_work(path: str, lane: Checkout) -> str:
    """What keeps the lane from being clean, in words; "" where it is clean."""
    if uncommitted := uncommitted_paths(path):
        return f"not committed in {path}: {join_names(uncommitted)}"
    if lane.unfinished_operation:
        return f"{MERGE} is not finished in {path}. There: `git commit`"
    return ""


def uncommitted_paths(path: str) -> tuple[str, ...]:
    """All files that are changed, new and not ignored, or hidden from git."""
    new, hidden = new_and_hidden_files(path)
    changed = git_output_list(path, "diff", "--name-only", *PLAIN_DIFF_FLAGS, "HEAD", "--")
    return tuple(sorted({*changed, *new, *hidden, *changed_submodules(path)}))


def new_and_hidden_files(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """New files that are not ignored, and files that git was told not to look at.

    A new name that ends in a slash is a nested repository. Git does not commit changes of hidden
    files, and removes the worktree with them.
    """
    flags = ("-v", "--cached", "--others", "--exclude-standard", *EXCLUDE_CACHE_FLAGS)
    new, hidden = [], []
    for entry in git_output_list(path, "ls-files", *flags):
        tag, name = entry[0], entry[2:]
        if tag == "?":
            new.append(name)
        elif tag.islower() or tag == "S":  # assume-unchanged, skip-worktree
            hidden.append(name)
    existing = (name for name in hidden if os.path.lexists(os.path.join(path, name)))
    return tuple(new), tuple(existing)


# --- all of it as a commit ---


def commit_lane(path: str, message: str) -> LaneCommit:
    """Commit all changes of the lane, and so conclude a merge that was begun there."""
    lane = read_checkout(path)
    if problem := _not_a_lane_reason(path, lane):
        return LaneCommit(problem=problem)
    new, hidden = new_and_hidden_files(path)
    unstaged = (*git_output_list(path, "diff", "--name-only", *PLAIN_DIFF_FLAGS, "--"), *new)
    operation = lane.unfinished_operation
    if problem := _uncommittable_reason(path, operation, unstaged, hidden):
        return LaneCommit(problem=problem)
    if unstaged and (problem := _stage_files(path, unstaged)):
        return LaneCommit(problem=problem)
    if not operation and _has_nothing_staged(path):
        return LaneCommit()
    feed = message.encode("utf-8", "replace")
    done = run_user_git(path, *identity_settings(path), "commit", *COMMIT_FLAGS, feed=feed)
    if done.returncode:
        return LaneCommit(problem=f"git would not commit in {path}: {git_error_text(done)}")
    return LaneCommit(git_output(path, "rev-parse", "HEAD"))


def _stage_files(path: str, names: tuple[str, ...]) -> str:
    """Stage these files; returns why that failed. `git add` would look into the submodules."""
    submodules = {name for name, _ in submodules_of(path)}
    moved = [name for name in names if name in submodules]
    files = [name for name in names if name not in submodules]
    update = ("update-index", "--remove", "-z", "--stdin")
    for words, given in ((update, moved), (("add", *ADD_FLAGS), files)):
        feed = b"".join(os.fsencode(name) + b"\0" for name in given)
        done = run_user_git(path, "--literal-pathspecs", *words, feed=feed) if given else None
        if done and done.returncode:
            return f"git would not take up {join_names(given)} in {path}: {git_error_text(done)}"
    return ""


def _has_nothing_staged(path: str) -> bool:
    """Whether a commit would be empty, as after a change of line ends that git normalizes."""
    done = run_user_git(path, "diff-index", "--cached", "--quiet", "HEAD", "--")
    return done.returncode == 0


def _uncommittable_reason(
    path: str, operation: str, unstaged: tuple[str, ...], hidden: tuple[str, ...]
) -> str:
    """Why a commit could not hold all changes."""
    if operation not in ("", MERGE):
        return _unfinished_problem(path, operation)
    if nested := [name for name in unstaged if name.endswith("/")]:
        return (
            f"{join_names(nested)} in {path} is a repository of its own, "
            "no commit of ours would hold its files. Move it away"
        )
    if hidden:
        return (
            f"git was told not to look at {join_names(hidden)} in {path}. "
            "There: `git update-index --no-assume-unchanged FILE`, or `--no-skip-worktree`"
        )
    if operation:
        conflicted = [n for n in unstaged if _has_conflict_markers(os.path.join(path, n))]
        if conflicted:
            return (
                f"the marks of a conflict are still in {join_names(conflicted)} in {path}. "
                "Resolve them: both sides are between the marks"
            )
    if huge := _huge_files(path, unstaged):
        return (
            f"{join_names(huge)} in {path}: over {HUGE >> 20} MB. "
            "Git would keep it for ever; delete it, or let git ignore it"
        )
    return ""


def _has_conflict_markers(path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb", opener=open_at_once) as file:
        lines = file.read(SEARCHED_BYTES).split(b"\n")
    return all(any(line.startswith(marker) for line in lines) for marker in CONFLICT_MARKERS)


def _huge_files(path: str, names: tuple[str, ...]) -> list[str]:
    """Files too large for git; those with a filter, such as LFS, are stored elsewhere."""
    huge = []
    for name in names:
        full = os.path.join(path, name)
        if os.path.islink(full) or not os.path.isfile(full) or os.path.getsize(full) <= HUGE:
            continue
        done = run_user_git(path, "check-attr", "-z", "filter", "--", name)
        if done.stdout.endswith(b"\0unspecified\0"):
            huge.append(name)
    return huge
