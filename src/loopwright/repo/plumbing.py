"""How we call git on the user's critical path: quick, quiet, and deaf to what a repository would have it run."""

from __future__ import annotations

import os
import sys
import time

SILENCE_SECONDS = 600  # seconds; hashing what is new takes long, and git says nothing meanwhile
STALE_LOCK_SECONDS = 60  # seconds; a git of ours is done with a file by then
# Programs that the settings of a repository would have git run, whatever we ask it for.
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
# Nor is anything fetched: a repository may say that objects are missing, and name the program that brings them.
NO_NETWORK = {"GIT_ALLOW_PROTOCOL": "none"}


def run_git(
    root: str,
    git: str,
    *args: str,
    stdin: str = "",
    own_config: bool = True,
    more: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Exit code and output. Spawned by hand: importing subprocess costs more than the call. `more` are variables for git."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", **NO_NETWORK}
    if own_config:
        null = os.devnull
        env |= {
            "GIT_DIR": git,
            "GIT_WORK_TREE": root,
            "GIT_CONFIG_GLOBAL": null,
            "GIT_CONFIG_SYSTEM": null,
        }
    env |= more or {}
    argv = ["git", "-C", root, *NO_PROGRAMS, *args]
    feed = os.path.join(git, stdin) if stdin else os.devnull
    if sys.platform == "win32":
        import subprocess

        with open(feed, "rb") as source:
            done = subprocess.run(argv, env=env, stdin=source, capture_output=True, check=False)
        return done.returncode, done.stdout
    reader, writer = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, feed, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        try:
            pid = os.posix_spawnp("git", argv, env, file_actions=actions)
        finally:
            os.close(writer)
        out = _read_output(reader, pid)
    finally:
        os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out


def _read_output(reader: int, git: int) -> bytes:
    """All that it prints. One that falls silent for good is ended: a pipe named .gitignore would keep us waiting for ever."""
    import select

    pipe, parts = select.poll(), list[bytes]()
    pipe.register(reader)
    while pipe.poll(SILENCE_SECONDS * 1000):
        parts.append(os.read(reader, 1 << 20))
        if not parts[-1]:
            return b"".join(parts)
    os.kill(git, 9)
    os.waitpid(git, 0)
    raise OSError(f"git has said nothing for {SILENCE_SECONDS} s")


def remove_stale_locks(folder: str) -> bool:
    """Did a git that was killed leave its lock here? While it lies there, no other git of ours writes."""
    try:
        locks = [entry for entry in os.scandir(folder) if entry.name.endswith(".lock")]
        left = [
            lock.path for lock in locks if time.time() - lock.stat().st_mtime > STALE_LOCK_SECONDS
        ]
        for path in left:
            os.remove(path)
    except OSError:
        return False
    return bool(left)
