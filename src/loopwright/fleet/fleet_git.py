"""Runs git against a repository elsewhere: with the worker's own access, and nothing but git.

Addresses come from whoever submits a job, so they may only name a place.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess

from ..disk.programs import own_environment, own_program
from ..drive.errors import UserError, WrongValue
from ..repo.git import git_error_text
from ..repo.plumbing import NO_PROGRAM_SETTINGS
from ..verify.redact import redact_text

PROTOCOLS = "https:http:ssh:git:file"
TRANSFER_SECONDS = 3600.0
SETTINGS = {
    **NO_PROGRAM_SETTINGS,
    "protocol.ext.allow": "never",
    "protocol.fd.allow": "never",
    "core.longpaths": "true",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    # A connection that hangs ends the attempt, and the next worker tries again.
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "120",
}
SETTING_FLAGS = tuple(
    word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")
)
# They would lead git to another repository than the one that we name.
LEFT_OUT = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
URL = re.compile(r"(?:https?|ssh|git)://(?:[^\s/@]+@)?(?P<host>[^\s/@:]+)(?::\d+)?/\S+")
FILE_URL = re.compile(r"file:///[^\s]+")
# user@host:path, as ssh writes it.
SSH_PLACE = re.compile(r"(?:[A-Za-z0-9._-]+@)?(?P<host>[A-Za-z0-9._-]+):(?!//)[^\s:]\S*")
COMMIT_NAME = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
USER_IN_URL = re.compile(r"(?<=://)[^\s/@]+@")
LEAST_FREE_BYTES = 1_000_000
DISK_FULL = re.compile(r"no space left on device|disk quota exceeded", re.I)


class BadAddress(WrongValue):
    """The address names no repository that we would go to."""


class TransferFailed(UserError):
    """Git could not reach the repository, or was refused; the message says why."""


def require_address(address: str) -> str:
    """The address, if it can only be a place; BadAddress otherwise.

    An address that git takes for an option or for a program would run what it names.
    """
    if address.startswith("-") or not address.isprintable() or "::" in address:
        raise BadAddress(_address_problem(address))
    if os.path.isabs(address) or FILE_URL.fullmatch(address):
        return address
    match = URL.fullmatch(address) or SSH_PLACE.fullmatch(address)
    if match is None or match["host"].startswith("-"):
        raise BadAddress(_address_problem(address))
    return address


def _address_problem(address: str) -> str:
    return (
        f"{shown_address(ascii(address))[:200]} is not an address of a repository. Use "
        "https://host/name.git, ssh://host/name.git, user@host:name.git or an absolute path"
    )


def shown_address(address: str) -> str:
    """The address without a user and a password, which may be a token."""
    return USER_IN_URL.sub("", address)


def run_git(
    folder: str, *args: str, feed: bytes = b"", timeout_seconds: float = TRANSFER_SECONDS
) -> subprocess.CompletedProcess[bytes]:
    """Run one command in a repository of ours, which may talk to one elsewhere."""
    program = own_program("git", folder)
    if not program:
        raise TransferFailed("git cannot be started: it is not installed")
    env = {name: value for name, value in own_environment().items() if name not in LEFT_OUT}
    env |= {
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
        "GIT_TERMINAL_PROMPT": "0",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(folder)),
        "LC_ALL": "C",
    }
    argv = [program, "-C", folder, *SETTING_FLAGS, *args]
    try:
        return subprocess.run(
            argv,
            env=env,
            input=feed,
            capture_output=True,
            check=False,
            timeout=timeout_seconds,
            start_new_session=True,  # without a terminal, ssh asks for nothing and fails instead
        )
    except subprocess.TimeoutExpired:
        raise TransferFailed(f"git {args[0]} took longer than {timeout_seconds:g} s") from None
    except OSError as error:
        raise TransferFailed(f"git cannot be started: {error}") from None


def require_git(folder: str, *args: str, what: str, feed: bytes = b"") -> str:
    """The output of a command that must succeed; `what` begins the message if it does not."""
    done = run_git(folder, *args, feed=feed)
    if done.returncode:
        text = error_text(done)
        raise TransferFailed(f"{what}: {text}") from full_disk(folder, text)
    return os.fsdecode(done.stdout).strip()


def error_text(done: subprocess.CompletedProcess[bytes]) -> str:
    """Git's message without passwords, and the way out where the disk is full."""
    text = redact_text(shown_address(git_error_text(done)))
    if DISK_FULL.search(text):
        return f"{text}. The disk is full: make room, then try again"
    return text


def full_disk(folder: str, text: str) -> OSError | None:
    """The error of a full disk, if that is why git failed; it is not the fault of a job."""
    if DISK_FULL.search(text) or shutil.disk_usage(folder).free < LEAST_FREE_BYTES:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)
    return None
