"""Runs git for lanes with the user's identity and settings, without their hooks and editors."""

from __future__ import annotations

import os
import subprocess
import time

from ..core.record import Record
from ..disk.programs import own_environment, own_program, without_loader_lists
from .git_box import git_launcher, is_reading, remove_unused_folders
from .git_limits import LOOK_SECONDS, GitWatch, bound_memory, refuse_odd_files
from .plumbing import BLOCKED_TEXT, NO_NETWORK, NO_PROGRAM_SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SETTINGS = {
    **NO_PROGRAM_SETTINGS,
    "core.longpaths": "true",
    # Commits that an agent throws away in a lane can still be found in the reflog.
    "core.logAllRefUpdates": "true",
    "commit.gpgSign": "false",
    "rerere.enabled": "false",
    "submodule.recurse": "false",
    # A file of main stays where main has it.
    "merge.directoryRenames": "false",
    "merge.verifySignatures": "false",
    # Otherwise a file whose content is unchanged but whose time is new counts as changed.
    "diff.autoRefreshIndex": "true",
    # With "no", git removes a worktree together with its new files.
    "status.showUntrackedFiles": "all",
}
SETTING_FLAGS = tuple(
    word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")
)
LONGEST_SECONDS = 3600.0  # of one command: a checkout of a large project with filters
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
    """Git failed where a sound repository answers. The message says what and where."""


class Checkout(Record):
    """A folder as git sees it. All fields are "" where there is no repository."""

    top: str = ""
    common_dir: str = ""
    git_dir: str = ""
    head: str = ""
    branch: str = ""

    @property
    def unfinished_operation(self) -> str:
        """The operation that git has begun there and not finished; "" where there is none."""
        if not self.git_dir:
            return ""
        for name, operation in UNFINISHED_OPERATIONS.items():
            if os.path.exists(os.path.join(self.git_dir, name)):
                return operation
        return ""


class Worktree(Record):
    """A worktree that the repository lists, whether its folder exists or not."""

    path: str
    head: str = ""
    branch: str = ""


def run_user_git(
    root: str, *args: str, feed: bytes = b"", timeout_seconds: float = LONGEST_SECONDS
) -> subprocess.CompletedProcess[bytes]:
    """Run one command and return its result, whatever the exit code."""
    program = own_program("git", root)
    if not program:
        raise GitError("git cannot be started: it is not installed")
    launcher = git_launcher(root, args)
    env = _git_environment(args, launcher)
    env = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    env |= {
        # A lane without its .git may lie inside another repository, which must not get its commits.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(root)),
        "GIT_EDITOR": ":",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        **NO_NETWORK,
    }
    argv = [*launcher, program, "-C", root, *SETTING_FLAGS, *args]
    pipe = subprocess.PIPE
    try:
        refuse_odd_files(root)
        with subprocess.Popen(argv, env=env, stdin=pipe, stdout=pipe, stderr=pipe) as process:
            try:
                if not launcher and is_reading(args):
                    bound_memory(process.pid)
                out, error_output = _wait_for_git(process, feed, timeout_seconds)
            except BaseException:
                process.kill()
                raise
    except OSError as error:
        raise GitError(f"git cannot be started: {error}") from None
    if launcher and process.returncode:
        remove_unused_folders(args)
    return subprocess.CompletedProcess(argv, process.returncode, out, error_output)


def _git_environment(args: tuple[str, ...], launcher: tuple[str, ...]) -> dict[str, str]:
    """The person's variables in the sandbox; outside none that lets git load code of an agent.

    Filters and merge drivers are found where the person has them: also in the project.
    """
    if launcher:
        return without_loader_lists(dict(os.environ), launcher)
    path = {} if is_reading(args) else {"PATH": os.environ.get("PATH", os.path.defpath)}
    return own_environment() | path


def _wait_for_git(
    process: subprocess.Popen[bytes], feed: bytes, timeout_seconds: float
) -> tuple[bytes, bytes]:
    """What it prints. A git that waits for a file which never comes is not waited for."""
    deadline, watch = time.monotonic() + timeout_seconds, GitWatch(process.pid)
    while True:
        seconds_left = max(0.0, deadline - time.monotonic())
        try:
            return process.communicate(feed, timeout=min(LOOK_SECONDS, seconds_left))
        except subprocess.TimeoutExpired:
            if not seconds_left:
                raise GitError(f"git did not answer within {timeout_seconds:g} s") from None
            if watch.is_blocked():
                raise GitError(BLOCKED_TEXT) from None


def git_output(root: str, *args: str, feed: bytes = b"") -> str:
    """The output of a command that succeeds in every sound repository."""
    done = run_user_git(root, *args, feed=feed)
    if done.returncode:
        raise GitError(f"`git {' '.join(args[:3])}` failed in {root}: {git_error_text(done)}")
    return os.fsdecode(done.stdout).removesuffix("\n")


def git_output_list(root: str, *args: str) -> tuple[str, ...]:
    """The output of such a command as a list of names."""
    return split_nul(git_output(root, args[0], "-z", *args[1:]))


def split_nul(output: str) -> tuple[str, ...]:
    """The parts of what git prints with -z."""
    return tuple(part for part in output.split("\0") if part)


def git_error_text(done: subprocess.CompletedProcess[bytes]) -> str:
    """Git's error message in one line."""
    words = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())
    return words[:600] or f"exit code {done.returncode}"


def join_names(names: Iterable[str], most: int = 5) -> str:
    """The first names for a sentence, all of them printable."""
    printable = [name if name.isprintable() else ascii(name) for name in sorted(names)]
    text = ", ".join(printable[:most])
    if len(printable) > most:
        text += f" and {len(printable) - most} more"
    return text


def same_path(left: str, right: str) -> bool:
    """Whether two paths lead to the same file or folder."""
    return os.path.normcase(os.path.realpath(left)) == os.path.normcase(os.path.realpath(right))


def commit_at(root: str, name: str = "HEAD") -> str:
    """The full name of a commit; "" where there is none."""
    done = run_user_git(
        root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}"
    )
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()


def contains_commit(root: str, later: str, earlier: str) -> bool:
    """Whether `later` is `earlier` or one of its descendants."""
    done = run_user_git(root, "merge-base", "--is-ancestor", earlier, later)
    if done.returncode > 1:
        raise GitError(
            f"git cannot compare {earlier[:12]} and {later[:12]} in {root}: {git_error_text(done)}"
        )
    return done.returncode == 0


def merge_base(root: str, left: str, right: str) -> str:
    """The last commit that two commits have in common; "" where there is none."""
    done = run_user_git(root, "merge-base", left, right)
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()


def read_checkout(root: str) -> Checkout:
    """Ask git once for all that a Checkout holds."""
    paths = ("--path-format=absolute", "--show-toplevel", "--git-common-dir", "--absolute-git-dir")
    done = run_user_git(root, "rev-parse", *paths, "HEAD", "--symbolic-full-name", "HEAD")
    lines = os.fsdecode(done.stdout).split("\n")
    if done.returncode:
        has_repository = len(lines) > 3  # git printed the paths and failed at HEAD: no commit yet
        return Checkout(*lines[:3]) if has_repository else Checkout()
    top, common_dir, git_dir, head, ref = lines[:5]
    return Checkout(
        top=top,
        common_dir=common_dir,
        git_dir=git_dir,
        head=head,
        branch="" if ref == "HEAD" else ref.removeprefix("refs/heads/"),
    )


def identity_settings(root: str) -> tuple[str, ...]:
    """Flags that give our commits an author where the user has configured none."""
    ours = {"user.name": "Loopwright", "user.email": "loopwright@localhost"}
    done = run_user_git(root, "config", "--name-only", "--get-regexp", r"^user\.(name|email)$")
    configured = os.fsdecode(done.stdout).split()
    missing = [f"{name}={value}" for name, value in ours.items() if name not in configured]
    return tuple(word for setting in missing for word in ("-c", setting))


def list_worktrees(root: str) -> tuple[Worktree, ...]:
    """Every checkout of the repository."""
    worktrees: list[Worktree] = []
    for part in git_output(root, "worktree", "list", "--porcelain", "-z").split("\0"):
        name, _, value = part.partition(" ")
        if name == "worktree":
            worktrees.append(Worktree(value))
        elif name in ("HEAD", "branch"):
            field = {name.lower(): value.removeprefix("refs/heads/")}
            worktrees[-1] = worktrees[-1].but(**field)
    return tuple(worktrees)
