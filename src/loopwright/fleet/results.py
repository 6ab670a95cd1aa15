"""The results of a job: the branch `loop/JOB`, the kept trees and the receipt.

They are pushed to the place that the person named, or fetched from the checkpoint. Whoever works
on the branch afterwards loses nothing: only a branch that is still as we left it is replaced.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..disk.files import write_private
from ..disk.temporary import own_prefix
from ..drive.errors import UserError
from ..repo import kept_trees
from ..repo.git import GitError, git_output, read_checkout
from ..repo.plumbing import object_store
from ..store.folder import LoopFolder
from ..store.history import last_ended_loop
from .fleet_git import (
    BadAddress,
    TransferFailed,
    error_text,
    require_address,
    require_git,
    run_git,
    shown_address,
)
from .result_refs import INDEX_REF, RECEIPT_REF, RESULT_REF, TIP_FILE, TREE_REF, keep_result

OF_CHECKPOINT = (TREE_REF, INDEX_REF)
SHA256_LENGTH = 64


class NotPublished(UserError):
    """The results could not be brought to their place; the message says why."""


def branch_of(job: str) -> str:
    return f"loop/{job}"


def receipt_ref(job: str) -> str:
    return f"refs/loop-receipts/{job}"


# --- push ---


def publish_results(
    checkout: Path, job: str, address: str, check_hold: Callable[[], None] = lambda: None
) -> str:
    """Push the results of the job in this checkout; returns in words what is where.

    Repeated, it pushes the same commits, so it changes nothing. `check_hold` raises if another
    worker has the job. It is asked after we read what is there and before we push, and each push
    replaces only what we read. So a worker that was frozen anywhere in between replaces nothing of
    the worker that has the job now.
    """
    try:
        require_address(address)
        loop_id, commits = _results_of(checkout)
        with _clean_repository(str(checkout), commits[RESULT_REF]) as repository:
            there = _read_refs(repository, address, job, loop_id)
            _refuse_other_work(repository, address, job, commits[RESULT_REF], there)
            check_hold()
            return _push(repository, address, job, loop_id, commits, there)
    except (BadAddress, TransferFailed) as error:
        raise NotPublished(str(error)) from error
    except (GitError, kept_trees.KeptTreeError) as error:
        raise NotPublished(f"the work in {checkout} cannot be read: {error}") from error


def _results_of(checkout: Path) -> tuple[str, dict[str, str]]:
    """The id of the loop, and its commits by their names below refs/loop/ID/."""
    folder = LoopFolder(str(checkout))
    loop = folder.read_loop() or last_ended_loop(folder)
    if loop is None:
        raise NotPublished(f"there is no loop in {checkout}, so there are no results")
    root, ref = folder.root, kept_trees.kept_tree_ref(loop.id, TREE_REF)
    _, kept = kept_trees.keep_current_tree(root, folder.path, loop.settings.volatile_globs, ref)
    keep_result(folder, loop, read_checkout(root).head, kept)
    prefix = kept_trees.kept_tree_ref(loop.id, "")
    rows = git_output(root, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
    named = (row.split(" ") for row in rows.splitlines())
    commits = {ref.removeprefix(prefix): commit for commit, ref in named}
    return loop.id, {name: commits[name] for name in commits if name not in OF_CHECKPOINT}


@contextmanager
def _clean_repository(checkout: str, commit: str) -> Iterator[str]:
    """A repository of ours that borrows the objects of the checkout.

    We do not push from the checkout itself: the agent could have told its git to run a program or
    to go elsewhere, and we go there with the person's access.
    """
    kind = "sha256" if len(commit) == SHA256_LENGTH else "sha1"
    with tempfile.TemporaryDirectory(prefix=own_prefix("results")) as folder:
        words = ("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
        require_git(folder, *words, what="git cannot make a repository")
        os.makedirs(os.path.join(folder, "objects", "info"), exist_ok=True)
        alternates = os.path.join(folder, "objects", "info", "alternates")
        write_private(alternates, os.fsencode(f"{object_store(checkout)}\n"))
        yield folder


def _push(
    repository: str,
    address: str,
    job: str,
    loop_id: str,
    commits: dict[str, str],
    there: dict[str, str],
) -> str:
    """Push the branch, then the kept trees and the receipt; `there` is what they may replace."""
    branch = branch_of(job)
    done = _push_refs(repository, address, {f"refs/heads/{branch}": commits[RESULT_REF]}, there)
    if done.returncode:
        raise NotPublished(
            f"{shown_address(address)} refused the branch {branch}: {error_text(done)}"
        )
    kept = [name for name in commits if name not in (RESULT_REF, RECEIPT_REF)]
    refs = {kept_trees.kept_tree_ref(loop_id, name): commits[name] for name in kept}
    if RECEIPT_REF in commits:
        refs[receipt_ref(job)] = commits[RECEIPT_REF]
    place = shown_address(address)
    done = _push_refs(repository, address, refs, there)
    if done.returncode:
        return (
            f"branch {branch} is in {place}. The kept trees and the receipt are not: "
            f"{error_text(done)}"
        )
    return f"branch {branch}, its kept trees and {receipt_ref(job)} are in {place}"


def _push_refs(
    repository: str, address: str, refs: dict[str, str], there: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Push these refs, each on condition that it is there as it was when we looked."""
    leases = [f"--force-with-lease={ref}:{there.get(ref, '')}" for ref in refs]
    words = [f"{commit}:{ref}" for ref, commit in refs.items()]
    return run_git(repository, "push", "--quiet", *leases, "--", address, *words)


def _read_refs(repository: str, address: str, job: str, loop_id: str) -> dict[str, str]:
    """What the place has of this job: its refs with their commits."""
    names = (f"refs/heads/{branch_of(job)}", receipt_ref(job))
    rows = require_git(
        repository,
        *("ls-remote", "--", address, *names, kept_trees.kept_tree_ref(loop_id, "*")),
        what=f"{shown_address(address)} is not reachable",
    )
    return {ref: commit for commit, ref in (row.split("\t") for row in rows.splitlines())}


def _refuse_other_work(
    repository: str, address: str, job: str, tip: str, there: dict[str, str]
) -> None:
    """Raise unless our commit may replace the branch that is there.

    It may if ours continues it, or if it is what we pushed before, as the receipt there says.
    """
    branch, proof = f"refs/heads/{branch_of(job)}", receipt_ref(job)
    place = shown_address(address)
    before = there.get(branch, "")
    if before in ("", tip):
        return
    refs = [
        f"+{ref}:refs/there/{ref.removeprefix('refs/')}" for ref in (branch, proof) if ref in there
    ]
    words = ("fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--", address)
    require_git(repository, *words, *refs, what=f"{place} is not reachable")
    if run_git(repository, "merge-base", "--is-ancestor", before, tip).returncode == 0:
        return
    pushed = run_git(repository, "show", f"refs/there/{proof.removeprefix('refs/')}:{TIP_FILE}")
    if pushed.returncode == 0 and pushed.stdout.decode("ascii", "replace").strip() == before:
        return
    raise NotPublished(
        f"{place} has a branch {branch_of(job)} with other commits. Rename or delete it there, "
        f"then: loop fleet retry {job}"
    )


# --- fetch ---


def fetch_results(bundle: bytes, repository: Path, job: str) -> str:
    """Bring the results from the bundle of a checkpoint into the person's repository.

    Returns in words what is there now. Their checkout, and their other branches, stay.
    """
    root = str(repository)
    if not bundle:
        return f"job {job} has changed nothing"
    try:
        with tempfile.TemporaryDirectory(prefix=own_prefix("results")) as folder:
            path = os.path.join(folder, "results.bundle")
            write_private(path, bundle)
            return _fetch(root, path, job)
    except TransferFailed as error:
        raise NotPublished(str(error)) from error


def _fetch(root: str, path: str, job: str) -> str:
    heads = require_git(root, "bundle", "list-heads", path, what="the results cannot be read")
    named = (row.split(" ", 1) for row in heads.splitlines())
    refs = [ref for _, ref in named if ref.startswith("refs/loop/")]
    refs = [ref for ref in refs if ref.rpartition("/")[2] not in OF_CHECKPOINT]
    result = next((ref for ref in refs if ref.endswith(f"/{RESULT_REF}")), "")
    before = _commit_at(root, result) if result else ""
    words = ("-c", "fetch.fsckObjects=true", "fetch", "--quiet", "--no-write-fetch-head")
    done = run_git(root, *words, "--no-tags", "--", path, *(f"+{ref}:{ref}" for ref in refs))
    if done.returncode:
        raise NotPublished(_fetch_problem(root, job, error_text(done)))
    if not result:
        return f"job {job} has changed nothing"
    return _move_branch(root, branch_of(job), _commit_at(root, result), before, result)


def _fetch_problem(root: str, job: str, text: str) -> str:
    if "lacks these prerequisite commits" in text:
        return (
            f"{root} does not have the commit that job {job} began with. Fetch it there first: "
            "git fetch --all"
        )
    return f"the results of job {job} cannot be fetched: {text}"


def _move_branch(root: str, branch: str, commit: str, before: str, result: str) -> str:
    """Let the branch name the result, unless the person has worked on it."""
    now = _commit_at(root, f"refs/heads/{branch}")
    if now and now not in (commit, before):
        raise NotPublished(
            f"{branch} has other commits here. The results are in {result}. "
            f"To compare: git diff {branch} {result}"
        )
    if now != commit:
        done = run_git(root, "branch", "--quiet", "--no-track", "--force", branch, commit)
        if done.returncode:
            raise NotPublished(
                f"{branch} cannot be moved: {error_text(done)}. The results are in {result}"
            )
    proof = f"{result.rpartition('/')[0]}/{RECEIPT_REF}"
    text = f"branch {branch} has the results. To look: git log -p HEAD..{branch}"
    if _commit_at(root, proof):
        text += f". The receipt: git show {proof}:receipt.md"
    return text


def _commit_at(root: str, ref: str) -> str:
    words = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    done = run_git(root, *words)
    return "" if done.returncode else done.stdout.decode("ascii", "replace").strip()
