"""Runs git where speed matters: without subprocess, and without programs of the repository.

The hook and the tree hash call git through this module; lanes use the fuller settings of git.py.
"""

from __future__ import annotations

import sys
import time

from ..disk.files import read_text
from ..disk.light_os import os
from ..disk.programs import own_environment, own_program, without_loader_lists
from .git_box import git_launcher
from .git_limits import LOOK_SECONDS, BlockedGit, GitWatch, bound_memory, refuse_odd_files

# Hashing many new files takes long, and git prints nothing meanwhile.
SILENCE_SECONDS = 600
# Every git process of ours has released its lock file by then.
STALE_LOCK_SECONDS = 60
# Without these settings a repository can make git run its own programs, whatever the command.
NO_PROGRAM_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
NO_PROGRAMS = tuple(
    word for name, value in NO_PROGRAM_SETTINGS.items() for word in ("-c", f"{name}={value}")
)
# A repository may claim that objects are missing and name a program that fetches them.
NO_NETWORK = {"GIT_ALLOW_PROTOCOL": "none"}
# Git syncs the refs that it writes but not the objects: after a power cut, the user's repository
# would have refs to missing objects. With these settings it sends each new object to the disk. The
# fsync of the commit object, which follows before any ref, makes the disk keep all of them; git's
# own way to wait for many objects at once makes folders for it and takes 3 ms longer.
WRITTEN_OUT = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsync",
    "GIT_CONFIG_VALUE_0": "committed",
    "GIT_CONFIG_KEY_1": "core.fsyncMethod",
    "GIT_CONFIG_VALUE_1": "writeout-only",
}
NO_SUCH_PROGRAM = 127  # the exit code of a shell that cannot find the program


BLOCKED_TEXT = "git waits for a file that never comes. Look for a pipe: find . -type p"


class GitFailed(OSError):
    """A git command that must succeed failed; the message names it."""


def run_git(
    root: str,
    git: str,
    *args: str,
    stdin: str = "",
    own_config: bool = True,
    variables: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Run git in `root` and return its exit code and output.

    `git` is our own git folder; without `own_config` the user's repository and settings apply.
    `stdin` names a file in `git`, and `variables` are added to the environment.
    """
    program = own_program("git", root)
    if not program:
        raise FileNotFoundError("git is not installed")
    # With variables of ours a command in the user's repository only reads, without its filters.
    only_reads = own_config or variables is not None
    launcher = () if only_reads else git_launcher(root, args)
    # In the sandbox, filters are found where the person has them: also in the project.
    env = without_loader_lists(dict(os.environ), launcher) if launcher else own_environment()
    env = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **NO_NETWORK}
    if own_config:
        env["GIT_DIR"] = git
        env["GIT_WORK_TREE"] = root
        env["GIT_CONFIG_GLOBAL"] = env["GIT_CONFIG_SYSTEM"] = os.devnull
    refuse_odd_files(root)
    env |= variables or {}
    argv = [*launcher, program, "-C", root, *NO_PROGRAMS, *args]
    input_path = os.path.join(git, stdin) if stdin else os.devnull
    if sys.platform == "win32":
        import subprocess

        with open(input_path, "rb") as source:
            done = subprocess.run(
                argv,
                env=env,
                stdin=source,
                capture_output=True,
                check=False,
                timeout=SILENCE_SECONDS,
            )
        return done.returncode, done.stdout
    return _spawn_git(argv, env, input_path, is_bounded=not launcher)


def _spawn_git(
    argv: list[str], env: dict[str, str], input_path: str, is_bounded: bool
) -> tuple[int, bytes]:
    """The same as subprocess.run, whose import alone costs more than the call."""
    reader, writer = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, input_path, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        try:
            pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
        finally:
            os.close(writer)
        if is_bounded:  # in a sandbox, that has bounds of its own
            bound_memory(pid)
        out = _read_output(reader, pid)
    finally:
        os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out


def _read_output(reader: int, pid: int) -> bytes:
    """All that git prints. A silent git is killed: a pipe named .gitignore blocks it forever."""
    import select

    pipe, parts = select.poll(), list[bytes]()
    pipe.register(reader)
    watch, printed_at = GitWatch(pid), time.monotonic()
    while True:
        if pipe.poll(LOOK_SECONDS * 1000):
            parts.append(os.read(reader, 1 << 20))
            if not parts[-1]:
                return b"".join(parts)
            watch, printed_at = GitWatch(pid), time.monotonic()
        elif time.monotonic() - printed_at > SILENCE_SECONDS or watch.is_blocked():
            break
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise BlockedGit(BLOCKED_TEXT)


def require_git(
    root: str,
    git: str,
    *args: str,
    stdin: str = "",
    variables: dict[str, str] | None = None,
) -> bytes:
    """The output of a command that must succeed; without `git` it runs in the user's repository.

    A lock file that a killed git left in our folder is removed, and the command runs once more.
    """
    own_config = git != ""
    code, out = run_git(root, git, *args, stdin=stdin, own_config=own_config, variables=variables)
    if code and own_config and remove_stale_locks(git):
        code, out = run_git(root, git, *args, stdin=stdin, variables=variables)
    if code:
        raise GitFailed(f"git {args[0]} failed with {code}")
    return out


def user_git_dir(root: str) -> str:
    """The git folder of the user's repository; for a worktree that of its main checkout.

    The path does not come from our files in .loop/: a branch that is checked out may bring its own.
    """
    git_dir = os.path.join(root, ".git")
    # "." is the one that our sandbox places: it names the folder itself.
    common = read_text(os.path.join(git_dir, "commondir"), 10)
    if os.path.isfile(os.path.join(git_dir, "HEAD")) and common in (None, ".\n"):
        return git_dir
    words = ("rev-parse", "--path-format=absolute", "--git-common-dir")
    return os.fsdecode(require_git(root, "", *words).strip())


def object_store(root: str) -> str:
    """Where the user's repository keeps its objects."""
    return os.path.join(user_git_dir(root), "objects")


def ask_user_git(
    root: str, *args: str, variables: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Exit code and output of the user's git; 127 where git is not installed."""
    try:
        return run_git(root, "", *args, own_config=False, variables=variables)
    except OSError:
        return NO_SUCH_PROGRAM, b""


def user_git_text(root: str, *args: str) -> str:
    """What the user's git prints, as text; "" where it fails."""
    code, out = ask_user_git(root, *args)
    return "" if code else out.decode("utf-8", "replace").strip()


def remove_stale_locks(folder: str) -> bool:
    """Remove lock files that a killed git left; returns whether there were any."""
    try:
        locks = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".lock")]
    except OSError:
        return False
    removed = [path for path in locks if remove_stale_lock(path)]
    return bool(removed)


def remove_stale_lock(path: str) -> bool:
    """Remove a lock file that is there and old; returns whether it was."""
    try:
        if time.time() - os.stat(path).st_mtime <= STALE_LOCK_SECONDS:
            return False
        os.remove(path)
    except OSError:
        return False
    return True
