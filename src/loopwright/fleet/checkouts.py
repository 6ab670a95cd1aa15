"""The worker's own folder: a bare clone of each repository, and one checkout per job and fence.

    ROOT/repositories/KEY.git        shared by the workers of a machine, under KEY.lock
    ROOT/jobs/JOB-FENCE/project/     the checkout of one claim; never shared
    ROOT/jobs/JOB-FENCE.lock         held while the worker lives

A checkout has copies of the objects, no links to them: what an agent does to its repository never
reaches another job.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

from ..core.record import digest
from ..disk.files import make_folder, remove_file, write_private
from ..disk.lock import FileLock, FolderBusy
from ..disk.problems import disk_problem
from ..drive.errors import UserError
from ..repo.git import identity_settings
from .fleet_git import (
    COMMIT_NAME,
    TransferFailed,
    require_address,
    require_git,
    run_git,
    shown_address,
)
from .local_record import drop_old_records, forget_checkout

REPOSITORY_SECONDS = 7200.0  # to wait while another worker clones the same repository
UNUSED_DAYS = 30  # after that, a clone is removed
JOB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
ALL_REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")

# The locks of the checkouts that this process works in, by their folder.
_held_locks: dict[str, FileLock] = {}
_held_guard = Lock()


class CheckoutError(UserError):
    """The files of a job cannot be brought here; the message says why."""


def checkout(root: Path, job: str, fence: int, repository: str | bytes, commit: str) -> Path:
    """A fresh checkout of the commit for this claim, on the branch `loop/JOB`.

    `repository` is an address, or a git bundle.
    """
    if not COMMIT_NAME.fullmatch(commit):
        raise CheckoutError(f"{commit[:80]!r} is not the full name of a commit")
    folder = _claim_folder(root, job, fence)
    remove_checkout(root, job, fence)
    try:
        make_folder(str(folder.parent))
        _hold(folder)
        make_folder(str(folder))
        _clone_repository(root, folder, job, repository, commit)
    except BaseException as error:
        remove_checkout(root, job, fence)
        if isinstance(error, OSError):
            problem, way_out = disk_problem(error)
            raise CheckoutError(
                f"{folder} cannot be written: {problem or error}. {way_out or 'Look at it'}, "
                "then the job is tried again"
            ) from error
        raise
    return folder / "project"


def files_folder(root: Path, job: str, fence: int) -> Path:
    """Where files that came with the job are put, beside its checkout."""
    return _claim_folder(root, job, fence) / "files"


def remove_checkout(root: Path, job: str, fence: int) -> None:
    """Remove the files of this claim, and what this machine keeps of its loop outside them."""
    folder = _claim_folder(root, job, fence)
    _remove_claim(folder)
    with _held_guard:
        lock = _held_locks.pop(str(folder), None)
    if lock:
        lock.release()


def remove_left_checkouts(root: Path) -> list[str]:
    """Remove what dead workers left, and clones that no job has used for long; their names."""
    drop_old_records()
    removed = []
    jobs = root / "jobs"
    names = {entry.name.removesuffix(".lock") for entry in jobs.iterdir()} if jobs.is_dir() else ()
    for name in sorted(names):
        with suppress(FolderBusy), FileLock(f"{jobs / name}.lock", 0.0):
            _remove_claim(jobs / name)
            removed.append(name)
    return removed + _remove_unused_repositories(root / "repositories")


def _claim_folder(root: Path, job: str, fence: int) -> Path:
    if not JOB_NAME.fullmatch(job):
        raise CheckoutError(f"{job[:80]!r} is not the name of a job")
    return root.absolute() / "jobs" / f"{job}-{fence}"


def _hold(folder: Path) -> None:
    """Keep the lock until the claim is removed. The system releases it when we die."""
    lock = FileLock(f"{folder}.lock", 0.0)
    try:
        lock.__enter__()
    except FolderBusy:
        raise CheckoutError(f"another worker works in {folder}") from None
    with _held_guard:
        _held_locks[str(folder)] = lock


def _remove_claim(folder: Path) -> None:
    forget_checkout(str(folder / "project"))
    _remove_folder(folder)
    remove_file(f"{folder}.lock")


def _remove_folder(path: Path) -> None:
    """Remove it all. An agent may have left folders that cannot be written."""
    shutil.rmtree(path, ignore_errors=True)
    if not path.exists():
        return
    for parent, folders, _ in os.walk(path):
        for name in folders:
            with suppress(OSError):
                os.chmod(os.path.join(parent, name), 0o700)
    shutil.rmtree(path, ignore_errors=True)


# --- repositories ---


def _clone_repository(
    root: Path, folder: Path, job: str, repository: str | bytes, commit: str
) -> None:
    """Copy the repository with the commit, and check the commit out on a branch of the job."""
    place = _repository_path(root, repository)
    project = folder / "project"
    make_folder(str(place.parent))
    with FileLock(f"{place}.lock", REPOSITORY_SECONDS):
        os.utime(f"{place}.lock")
        try:
            _copy_commit(place, project, job, repository, commit)
        except TransferFailed:
            if _is_whole(place):
                raise
            _remove_folder(place)
            _remove_folder(project)
            _copy_commit(place, project, job, repository, commit)


def _is_whole(place: Path) -> bool:
    """Has our clone all its objects? A full disk or a power cut may have taken some."""
    words = ("fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    return run_git(str(place), *words).returncode == 0


def _copy_commit(
    place: Path, project: Path, job: str, repository: str | bytes, commit: str
) -> None:
    _bring_commit(place, repository, commit)
    words = ("clone", "--quiet", "--no-checkout", "--no-hardlinks", "--template=", "--")
    what = "the clone cannot be copied"
    require_git(str(place.parent), *words, str(place), str(project), what=what)
    _check_out(str(project), job, commit)


def _repository_path(root: Path, repository: str | bytes) -> Path:
    folder = root.absolute() / "repositories"
    if isinstance(repository, bytes):
        return folder / f"bundle-{digest(repository)}.git"
    return folder / f"{digest(require_address(repository).encode())}.git"


def _bring_commit(place: Path, repository: str | bytes, commit: str) -> None:
    """Have the commit in our clone. The network is used only if it is not there yet."""
    if not (place / "HEAD").exists():
        _remove_folder(place)
        make_folder(str(place))
        require_git(
            str(place), "init", "--quiet", "--bare", "--template=", what="git cannot make a clone"
        )
    _remove_stale_files(place)
    if _has_commit(place, commit):
        return
    if isinstance(repository, bytes):
        _fetch_bundle(place, repository, commit)
    else:
        _fetch_address(place, repository, commit)


def _has_commit(place: Path, commit: str) -> bool:
    return run_git(str(place), "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def _remove_stale_files(place: Path) -> None:
    """Remove what a killed git left. We hold the lock, so no living one uses it."""
    for folder in (place, place / "objects/pack"):
        for entry in list(folder.iterdir()) if folder.is_dir() else ():
            if entry.is_file() and (entry.name.endswith(".lock") or entry.name.startswith("tmp_")):
                entry.unlink()


def _fetch_bundle(place: Path, bundle: bytes, commit: str) -> None:
    if not bundle:
        raise CheckoutError("the job has neither an address nor a bundle of its repository")
    path = place / "arriving.bundle"
    refs = ["+refs/*:refs/bundle/*", *(["+HEAD:refs/bundle-head"] if _names_head(bundle) else [])]
    words = ("fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--", str(path))
    try:
        write_private(str(path), bundle)
        require_git(str(place), *words, *refs, what="the bundle of the job cannot be read")
    finally:
        path.unlink(missing_ok=True)
    if not _has_commit(place, commit):
        raise CheckoutError(f"the bundle of the job does not have its commit {commit}")


def _names_head(bundle: bytes) -> bool:
    """Does the bundle have HEAD as a name of its own?"""
    header = bundle.partition(b"\n\n")[0]
    return any(line.endswith(b" HEAD") for line in header.split(b"\n"))


def _fetch_address(place: Path, address: str, commit: str) -> None:
    words = ("fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--", address)
    require_git(str(place), *words, *ALL_REFS, what=f"{shown_address(address)} is not reachable")
    if _has_commit(place, commit):
        return
    # No branch or tag has it: a host may still give it by its name.
    ref = f"+{commit}:refs/commits/{commit}"
    if run_git(str(place), *words, ref).returncode or not _has_commit(place, commit):
        raise CheckoutError(
            f"{shown_address(address)} does not have the commit {commit}. "
            "Push it, then: loop fleet retry"
        )


def _check_out(project: str, job: str, commit: str) -> None:
    what = "git cannot check the job's commit out"
    require_git(project, "update-ref", "--no-deref", "HEAD", commit, what=what)
    # Nothing is pushed from here, and a branch of the repository could be in the way of ours.
    require_git(project, "remote", "remove", "origin", what=what)
    branches = require_git(project, "for-each-ref", "--format=%(refname)", "refs/heads", what=what)
    rows = "".join(f"delete {ref}\n" for ref in branches.split())
    require_git(project, "update-ref", "--stdin", what=what, feed=rows.encode())
    require_git(project, "checkout", "--quiet", "--force", "-b", f"loop/{job}", what=what)
    for setting in identity_settings(project)[1::2]:
        name, _, value = setting.partition("=")
        require_git(project, "config", name, value, what=what)


def _remove_unused_repositories(folder: Path) -> list[str]:
    oldest = time.time() - UNUSED_DAYS * 86_400
    removed = []
    for lock_file in sorted(folder.glob("*.lock")):
        if lock_file.stat().st_mtime > oldest:
            continue
        with suppress(FolderBusy), FileLock(str(lock_file), 0.0):
            _remove_folder(lock_file.with_suffix(""))
            lock_file.unlink()
            removed.append(lock_file.stem)
    return removed
