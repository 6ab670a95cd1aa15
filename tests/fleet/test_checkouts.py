"""The folder of a worker: clones that are shared with care, checkouts that are never shared."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from loopwright.drive.errors import UserError
from loopwright.fleet import checkouts, fleet_git
from loopwright.fleet.checkouts import (
    CheckoutError,
    checkout,
    files_folder,
    remove_checkout,
    remove_left_checkouts,
)
from loopwright.fleet.fleet_git import BadAddress, TransferFailed, require_address
from tests.support.project import Project


@pytest.fixture
def root(tmp_path: Path):
    place = tmp_path / "worker"
    yield place
    for name in list(checkouts._held_locks):
        checkouts._held_locks.pop(name).release()


def head_of(here: Project) -> str:
    return here.git("rev-parse", "HEAD").strip()


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def bundle_of(here: Project, *refs: str) -> bytes:
    path = here.root.parent / "made.bundle"
    here.git("bundle", "create", str(path), *(refs or ("main",)))
    return path.read_bytes()


def test_a_checkout_is_the_commit_on_a_branch_of_the_job(project, root: Path) -> None:
    here = project({"a.txt": "1\n", "b/c.txt": "2\n"})
    commit = head_of(here)
    here.write({"a.txt": "later\n"})
    here.commit()

    place = checkout(root, "job-1", 3, str(here.root), commit)

    assert place == root / "jobs/job-1-3/project"
    assert (place / "a.txt").read_text() == "1\n"
    assert git(place, "rev-parse", "HEAD") == commit
    assert git(place, "symbolic-ref", "--short", "HEAD") == "loop/job-1"
    assert git(place, "status", "--porcelain") == ""
    assert git(place, "remote") == ""
    assert files_folder(root, "job-1", 3) == root / "jobs/job-1-3/files"


@pytest.mark.parametrize("refs", [("main",), ("HEAD",), ("HEAD", "main")])
def test_a_bundle_is_as_good_as_an_address(project, root: Path, refs: tuple[str, ...]) -> None:
    here = project({"a.txt": "1\n"})
    place = checkout(root, "job-1", 1, bundle_of(here, *refs), head_of(here))

    assert (place / "a.txt").read_text() == "1\n"
    assert git(place, "rev-parse", "HEAD") == head_of(here)


def test_the_second_checkout_needs_no_repository(project, root: Path, tmp_path: Path) -> None:
    here = project({"a.txt": "1\n"})
    address, commit = str(here.root), head_of(here)
    first = checkout(root, "job-1", 1, address, commit)
    here.root.rename(tmp_path / "away")

    second = checkout(root, "job-2", 1, address, commit)

    (first / "a.txt").write_text("changed by an agent\n")
    assert (second / "a.txt").read_text() == "1\n"


def test_what_an_agent_does_to_its_repository_reaches_no_other_job(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    first = checkout(root, "job-1", 1, str(here.root), head_of(here))
    objects = [path for path in (first / ".git/objects").rglob("*") if path.is_file()]
    assert objects
    assert [path for path in objects if path.stat().st_nlink > 1] == []
    assert not (first / ".git/objects/info/alternates").exists()
    for path in objects:
        path.chmod(0o600)
        path.write_bytes(b"broken")

    second = checkout(root, "job-2", 1, str(here.root), head_of(here))

    assert git(second, "fsck") == ""


def test_a_newer_commit_is_fetched(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    checkout(root, "job-1", 1, str(here.root), head_of(here))
    here.write({"a.txt": "2\n"})
    here.commit()

    place = checkout(root, "job-2", 1, str(here.root), head_of(here))

    assert (place / "a.txt").read_text() == "2\n"


def test_a_commit_that_no_branch_has_is_fetched_by_its_name(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    here.write({"a.txt": "2\n"})
    here.commit()
    commit = head_of(here)
    here.git("update-ref", "refs/pull/1/head", commit)
    here.git("reset", "-q", "--hard", "HEAD~1")
    here.git("config", "uploadpack.allowAnySHA1InWant", "true")

    place = checkout(root, "job-1", 1, str(here.root), commit)

    assert (place / "a.txt").read_text() == "2\n"


def test_a_branch_named_loop_is_not_in_the_way(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    here.git("branch", "-m", "main", "loop")

    place = checkout(root, "job-1", 1, str(here.root), head_of(here))

    assert git(place, "symbolic-ref", "--short", "HEAD") == "loop/job-1"


def test_an_agent_can_commit_where_no_author_is_set_up(project, root: Path, monkeypatch) -> None:
    here = project({"a.txt": "1\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    place = checkout(root, "job-1", 1, str(here.root), head_of(here))

    git(place, "commit", "-q", "--allow-empty", "-m", "x")

    assert git(place, "log", "-1", "--format=%an") == "Loopwright"


def test_the_same_claim_begins_with_fresh_files(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    place = checkout(root, "job-1", 1, str(here.root), head_of(here))
    (place / "a.txt").write_text("2\n")

    again = checkout(root, "job-1", 1, str(here.root), head_of(here))

    assert again == place
    assert (again / "a.txt").read_text() == "1\n"


def test_removal_leaves_nothing_even_of_folders_without_rights(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    place = checkout(root, "job-1", 1, str(here.root), head_of(here))
    (place / "locked/inner").mkdir(parents=True)
    (place / "locked/inner/x").write_text("x")
    (place / "locked").chmod(0o500)

    remove_checkout(root, "job-1", 1)

    assert list((root / "jobs").iterdir()) == []


# --- workers that died, and workers at once ---

DIES = """
import os, sys
from pathlib import Path
from loopwright.fleet.checkouts import checkout
checkout(Path(sys.argv[1]), "job-1", 1, sys.argv[2], sys.argv[3])
os._exit(9)
"""


def test_what_a_dead_worker_left_is_removed_and_what_a_living_one_has_stays(
    project, root: Path
) -> None:
    here = project({"a.txt": "1\n"})
    argv = [sys.executable, "-c", DIES, str(root), str(here.root), head_of(here)]
    assert subprocess.run(argv, check=False).returncode == 9
    mine = checkout(root, "job-2", 1, str(here.root), head_of(here))
    assert (root / "jobs/job-1-1").exists()

    removed = remove_left_checkouts(root)

    assert removed == ["job-1-1"]
    assert mine.exists()
    assert sorted(path.name for path in (root / "jobs").iterdir()) == ["job-2-1", "job-2-1.lock"]


def test_clones_that_no_job_uses_are_removed(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    checkout(root, "job-1", 1, str(here.root), head_of(here))
    assert remove_left_checkouts(root) == []
    lock = next((root / "repositories").glob("*.lock"))
    long_ago = time.time() - 40 * 86_400
    os.utime(lock, (long_ago, long_ago))

    assert remove_left_checkouts(root) == [lock.stem]
    assert list((root / "repositories").iterdir()) == []


def _work(root: Path, address: str, commit: str, name: str) -> None:
    for fence in range(3):
        place = checkout(root, name, fence, address, commit)
        assert (place / "a.txt").read_text() == "1\n"
        remove_checkout(root, name, fence)


def test_workers_use_one_clone_at_once(project, root: Path) -> None:
    here = project({"a.txt": "1\n"})
    address, commit = str(here.root), head_of(here)
    context = multiprocessing.get_context("spawn")
    other = context.Process(target=_work, args=(root, address, commit, "other"))
    other.start()
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            _work(root, address, commit, name)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"job-{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.join()

    assert errors == []
    assert other.exitcode == 0
    assert len(list((root / "repositories").glob("*.git"))) == 1


@pytest.mark.parametrize("damage", ["HEAD", "objects", "locks"])
def test_a_clone_that_was_cut_short_is_repaired(project, root: Path, damage: str) -> None:
    here = project({"a.txt": "1\n"})
    checkout(root, "job-1", 1, str(here.root), head_of(here))
    clone = next((root / "repositories").glob("*.git"))
    if damage == "HEAD":
        (clone / "HEAD").unlink()
    elif damage == "objects":
        for path in (clone / "objects").rglob("*"):
            if path.is_file():
                path.chmod(0o600)
                path.write_bytes(b"")
    else:
        (clone / "packed-refs.lock").touch()
        here.write({"a.txt": "2\n"})
        here.commit()

    place = checkout(root, "job-2", 1, str(here.root), head_of(here))

    assert git(place, "rev-parse", "HEAD") == head_of(here)
    assert git(place, "fsck") == ""


# --- what cannot be done ---


@pytest.mark.parametrize(
    "address",
    [
        "--upload-pack=touch /tmp/x",
        "-oProxyCommand=x",
        "ext::sh -c 'touch /tmp/x'",
        "fd::17",
        "transport::https://host/x",
        "ssh://-oProxyCommand=touch/x",
        "git@-oProxyCommand=x:y",
        "relative/path",
        "../up",
        "file://host/path",
        "https://host/a\nb",
        "https://host/a b",
        "ftp://host/x",
        "",
    ],
)
def test_an_address_that_is_more_than_a_place_is_refused(root: Path, address: str) -> None:
    with pytest.raises(BadAddress, match="not an address of a repository"):
        checkout(root, "job-1", 1, address, "0" * 40)
    assert not list(root.glob("repositories/*.git"))


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/user/name.git",
        "https://user:word@host:8443/a/b",
        "ssh://git@host:22/name.git",
        "git@github.com:user/name.git",
        "host:name",
        "/srv/git/name.git",
        "file:///srv/git/name.git",
    ],
)
def test_usual_addresses_are_accepted(address: str) -> None:
    assert require_address(address) == address


@pytest.mark.parametrize("job", ["../x", "a/b", "", "-x", ".hidden"])
def test_a_name_of_a_job_never_leads_elsewhere(root: Path, job: str) -> None:
    with pytest.raises(CheckoutError, match="not the name of a job"):
        checkout(root, job, 1, "/srv/x", "0" * 40)


def test_a_repository_that_is_not_there_is_said(root: Path, tmp_path: Path) -> None:
    with pytest.raises(TransferFailed, match=r"nowhere is not reachable: .*not.*repository"):
        checkout(root, "job-1", 1, str(tmp_path / "nowhere"), "0" * 40)
    assert list((root / "jobs").iterdir()) == []


def test_a_password_in_the_address_is_not_shown(root: Path) -> None:
    with pytest.raises(TransferFailed) as caught:
        checkout(root, "job-1", 1, "http://me:hunter22@127.0.0.1:9/x.git", "0" * 40)
    assert "hunter22" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_commit_that_is_not_there_is_said(project, root: Path) -> None:
    here = project()
    with pytest.raises(CheckoutError, match="does not have the commit 1111"):
        checkout(root, "job-1", 1, str(here.root), "1" * 40)
    with pytest.raises(CheckoutError, match="does not have its commit 1111"):
        checkout(root, "job-1", 1, bundle_of(here), "1" * 40)
    with pytest.raises(CheckoutError, match="not the full name of a commit"):
        checkout(root, "job-1", 1, str(here.root), "main")


def test_a_bundle_that_is_none_is_said(root: Path) -> None:
    with pytest.raises(TransferFailed, match="the bundle of the job cannot be read"):
        checkout(root, "job-1", 1, b"no bundle", "1" * 40)
    with pytest.raises(CheckoutError, match="neither an address nor a bundle"):
        checkout(root, "job-1", 1, b"", "1" * 40)


def test_a_full_disk_is_said(project, root: Path, monkeypatch) -> None:
    here = project()
    full = subprocess.CompletedProcess([], 128, b"", b"fatal: write error: No space left on device")
    real = fleet_git.run_git

    def run_git(folder: str, *args: str, **named: object):
        return full if "fetch" in args else real(folder, *args, **named)

    monkeypatch.setattr(fleet_git, "run_git", run_git)
    with pytest.raises(UserError, match="The disk is full: make room") as caught:
        checkout(root, "job-1", 1, str(here.root), head_of(here))
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert list((root / "jobs").iterdir()) == []
