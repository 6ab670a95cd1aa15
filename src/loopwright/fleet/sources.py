"""Where the work of a job comes from: the repository here as a bundle, or an address and a commit.

A bundle holds the history of one commit. Files that git ignores, and changes that are not
committed, stay behind.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass

from ..disk.files import open_at_once
from ..disk.temporary import own_prefix
from ..drive.errors import UserError, WrongValue
from ..repo.git import git_error_text, git_output, run_user_git
from ..repo.user_repo import current_branch, current_commit
from .fleet_git import COMMIT_NAME, error_text, require_address, run_git, shown_address
from .settings import has_password

MAX_BUNDLE = 256_000_000  # bytes
REMOTE_SECONDS = 60.0


@dataclass(frozen=True)
class WorkSource:
    """A repository at a commit."""

    repository: str  # the name under which limits know it
    base_commit: str
    address: str = ""
    bundle: bytes = b""


def local_source(root: str) -> WorkSource:
    """The repository of this folder at HEAD, with its history as a bundle."""
    commit = current_commit(root)
    if not commit:
        raise UserError(
            f"{root} has no commit, so there is nothing to send. Commit the files first, "
            "or name a repository: --repository ADDRESS"
        )
    if git_output(root, "rev-parse", "--is-shallow-repository") == "true":
        raise UserError(
            "this is a shallow clone, which cannot be sent. Complete it: git fetch --unshallow. "
            "Or let the workers clone it: --repository ADDRESS"
        )
    return WorkSource(repository_name(root), commit, bundle=_pack_bundle(root))


def _pack_bundle(root: str) -> bytes:
    """HEAD and its history. It is packed into a file first: it may be larger than our memory."""
    branch = current_branch(root)
    names = ["HEAD", *([f"refs/heads/{branch}"] if branch else [])]
    with tempfile.TemporaryDirectory(prefix=own_prefix("bundle")) as folder:
        path = os.path.join(folder, "bundle")
        packed = run_user_git(root, "bundle", "create", "--quiet", path, *names)
        if packed.returncode:
            raise UserError(f"git could not pack {root}: {git_error_text(packed)}")
        size = os.path.getsize(path)
        if size > MAX_BUNDLE:
            raise UserError(
                f"the repository has {size // 1_000_000} MB, and the database takes at most "
                f"{MAX_BUNDLE // 1_000_000} MB. Let the workers clone it: --repository ADDRESS"
            )
        with open(path, "rb", opener=open_at_once) as file:
            return file.read()


def repository_name(root: str) -> str:
    """The address of `origin` without user and password; else the path of the folder."""
    found = run_user_git(root, "remote", "get-url", "origin")
    address = os.fsdecode(found.stdout).strip() if found.returncode == 0 else ""
    return shown_address(address) or os.path.realpath(root)


def remote_source(address: str, ref: str) -> WorkSource:
    """The repository at this address; the commit that the ref names there now."""
    address = full_address(address, "--repository")
    commit = ref if COMMIT_NAME.fullmatch(ref) else _commit_of_ref(address, ref or "HEAD")
    return WorkSource(shown_address(address), commit, address=address)


def full_address(address: str, option: str) -> str:
    """The address as another folder can use it; one with a password is refused."""
    if has_password(address):
        raise WrongValue(
            f"{option} has a password, which every reader of the database would see. Leave it out, "
            "and give the workers' git its own access: an ssh key or a credential helper"
        )
    is_path = "://" not in address and (":" not in address or os.path.exists(address))
    if is_path and not address.startswith("-"):
        address = os.path.abspath(os.path.expanduser(address))
    return require_address(address)


def _commit_of_ref(address: str, ref: str) -> str:
    names = (f"refs/tags/{ref}^{{}}", f"refs/heads/{ref}", f"refs/tags/{ref}", ref)
    found = _list_remote(address, ref, f"{ref}^{{}}")
    commit = next((found[name] for name in names if name in found), "")
    if not commit:
        raise UserError(
            f"{shown_address(address)} has no branch or tag {ref!r}. "
            "Name one, or a full commit: --ref REF"
        )
    return commit


def _list_remote(address: str, *patterns: str) -> dict[str, str]:
    """Name → commit of the refs there that match."""
    words = ("ls-remote", "--quiet", "--", address, *patterns)
    done = run_git(os.path.abspath(os.sep), *words, timeout_seconds=REMOTE_SECONDS)
    if done.returncode:
        raise UserError(
            f"git cannot read {shown_address(address)}: {error_text(done).rstrip('.')}. "
            "Is the address right, and may you read it?"
        )
    rows = (line.partition("\t") for line in os.fsdecode(done.stdout).splitlines())
    return {name: commit for commit, _, name in rows if COMMIT_NAME.fullmatch(commit)}
