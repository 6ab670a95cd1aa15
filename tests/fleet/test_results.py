"""The results of a job reach the place that a person named, once, and are never in their way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from loopwright.fleet.checkouts import checkout
from loopwright.fleet.checkpoint import pack_checkpoint, unpack_checkpoint
from loopwright.fleet.placement import FenceLost
from loopwright.fleet.results import NotPublished, fetch_results, publish_results
from tests.fleet.test_checkouts import git, head_of, root  # noqa: F401 - a fixture
from tests.fleet.test_checkpoint import take_turns
from tests.support.project import Project
from tests.support.runner import DONE, script

FILES = {"readme.md": "a project\n", "gone.txt": "1\n", "VERIFICATION.md": "tracked, and ours\n"}
WORK = {
    "run": ["rm gone.txt", "printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh", "ln -s run.sh link"],
    "write": {"ü.txt": "é\n"},
    "say": "working",
}


@pytest.fixture
def job(project, root: Path):  # noqa: F811
    """A job after one turn, in the checkout of a worker; and the repository of the person."""
    person = project(FILES)
    place = checkout(root, "job-1", 1, str(person.root), head_of(person))
    there = Project.__new__(Project)
    there.root = place
    there.start("--check", "done=test -e done.txt")
    take_turns(there, script(there, WORK, DONE), 1)
    return person, there


@pytest.fixture
def results(tmp_path: Path) -> Path:
    place = tmp_path / "results.git"
    subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    return place


def finish(there: Project) -> None:
    take_turns(there, script(there, WORK, DONE), 1)
    assert there.ended.status == "finished"


def refs_of(place: Path) -> str:
    return git(place, "for-each-ref")


def test_branch_kept_trees_and_receipt_are_pushed(job, results: Path) -> None:
    person, there = job
    finish(there)

    said = publish_results(there.root, "job-1", str(results))

    assert said == (
        f"branch loop/job-1, its kept trees and refs/loop-receipts/job-1 are in {results}"
    )
    names = git(results, "ls-tree", "-r", "--name-only", "-z", "loop/job-1").split("\0")
    assert sorted(filter(None, names)) == sorted(
        ["VERIFICATION.md", "readme.md", "run.sh", "link", "ü.txt", "done.txt"]
    )
    assert git(results, "rev-parse", "loop/job-1~1") == head_of(person)
    assert git(results, "log", "-1", "--format=%s", "loop/job-1").startswith("loop: fix all")
    receipt = git(results, "show", "refs/loop-receipts/job-1:receipt.md")
    assert receipt.startswith("### SHIP")
    assert "STALE" not in receipt
    facts = json.loads(git(results, "show", "refs/loop-receipts/job-1:receipt.json"))
    assert facts["loop"] == there.ended.id
    loop_id = there.ended.id
    assert f"refs/loop/{loop_id}/1" in refs_of(results)
    assert f"refs/loop/{loop_id}/end" in refs_of(results)
    assert f"refs/loop/{loop_id}/checkpoint" not in refs_of(results)
    assert git(results, "fsck", "--strict") == ""


def test_to_repeat_it_changes_nothing(job, results: Path, project, root: Path) -> None:  # noqa: F811
    """Also from another checkout, after a worker died between the push and its record."""
    person, there = job
    finish(there)
    checkpoint = pack_checkpoint(there.root, head_of(person))
    publish_results(there.root, "job-1", str(results))
    before = refs_of(results)

    publish_results(there.root, "job-1", str(results))
    assert refs_of(results) == before
    second = checkout(root, "job-1", 2, str(person.root), head_of(person))
    unpack_checkpoint(second, checkpoint)
    publish_results(second, "job-1", str(results))
    assert refs_of(results) == before


def test_commits_of_the_agent_stay_as_they_are(job, results: Path) -> None:
    _, there = job
    there.commit("the agent's own commit")
    finish(there)
    there.commit("its last commit")

    publish_results(there.root, "job-1", str(results))

    assert git(results, "rev-parse", "loop/job-1") == head_of(there)
    assert git(results, "log", "-1", "--format=%s", "loop/job-1") == "its last commit"


def test_later_results_replace_earlier_ones_but_no_work_of_a_person(job, results: Path) -> None:
    person, there = job
    finish(there)
    publish_results(there.root, "job-1", str(results))
    there.write({"more.txt": "after an order\n"})
    publish_results(there.root, "job-1", str(results))
    assert "more.txt" in git(results, "ls-tree", "--name-only", "loop/job-1")

    person.git("fetch", "-q", str(results), "loop/job-1:mine")
    person.git("checkout", "-q", "mine")
    person.commit("a person continues")
    person.git("push", "-q", str(results), "mine:loop/job-1")
    there.write({"other.txt": "and again\n"})
    with pytest.raises(NotPublished, match="has a branch loop/job-1 with other commits"):
        publish_results(there.root, "job-1", str(results))
    assert git(results, "rev-parse", "loop/job-1") == head_of(person)


def test_a_worker_that_was_frozen_in_between_replaces_nothing_of_the_next_one(
    job,
    results: Path,
    root: Path,  # noqa: F811
) -> None:
    """It has looked what is there, sleeps, and wakes up after the job is over elsewhere."""
    person, there = job
    finish(there)
    checkpoint = pack_checkpoint(there.root, head_of(person))
    refs = []

    def sleep_meanwhile() -> None:
        second = checkout(root, "job-1", 2, str(person.root), head_of(person))
        unpack_checkpoint(second, checkpoint)
        (second / "more.txt").write_text("of the second attempt\n")
        publish_results(second, "job-1", str(results))
        refs.append(refs_of(results))

    with pytest.raises(NotPublished, match="refused the branch loop/job-1"):
        publish_results(there.root, "job-1", str(results), sleep_meanwhile)
    assert [refs_of(results)] == refs
    assert "more.txt" in git(results, "ls-tree", "--name-only", "loop/job-1")


def test_a_worker_that_no_longer_has_the_job_pushes_nothing(job, results: Path) -> None:
    _, there = job
    finish(there)

    def refuse() -> None:
        raise FenceLost("job-1")

    with pytest.raises(FenceLost):
        publish_results(there.root, "job-1", str(results), refuse)
    assert refs_of(results) == ""


def test_a_job_that_ends_without_proof_says_so(job, results: Path) -> None:
    _, there = job
    assert there.run("cancel").code == 0

    publish_results(there.root, "job-1", str(results))

    receipt = git(results, "show", "refs/loop-receipts/job-1:receipt.md")
    assert receipt.startswith("There is no receipt: loop")
    assert "cancelled" in git(results, "show", "refs/loop-receipts/job-1:summary.md")
    assert "ü.txt" in git(results, "ls-tree", "--name-only", "-z", "loop/job-1")


def test_settings_and_hooks_of_the_agent_are_not_used(job, results: Path, tmp_path: Path) -> None:
    _, there = job
    seen = tmp_path / "seen"
    hook = there.root / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {seen}\n")
    hook.chmod(0o755)
    there.git("config", f"url.{tmp_path / 'elsewhere'}.insteadOf", str(results))
    there.git("config", "core.fsmonitor", f"touch {seen}")

    publish_results(there.root, "job-1", str(results))

    assert "refs/heads/loop/job-1" in refs_of(results)
    assert not seen.exists()


def test_a_place_that_refuses_the_other_refs_gets_the_branch(job, results: Path) -> None:
    _, there = job
    hook = results / "hooks/update"
    hook.write_text("#!/bin/sh\ncase $1 in refs/heads/*) ;; *) echo no such refs; exit 1;; esac\n")
    hook.chmod(0o755)
    finish(there)

    said = publish_results(there.root, "job-1", str(results))

    assert said.startswith(f"branch loop/job-1 is in {results}. The kept trees and the receipt are")
    assert "refs/heads/loop/job-1" in refs_of(results)


@pytest.mark.parametrize("address", ["ext::touch x", "-x", "nowhere", "/no/such/place"])
def test_a_place_that_is_none_is_said(job, address: str) -> None:
    _, there = job
    with pytest.raises(NotPublished, match=r"not an address of a repository|is not reachable"):
        publish_results(there.root, "job-1", address)


# --- into the repository of the person ---


def bundle_of_job(person: Project, there: Project) -> bytes:
    return pack_checkpoint(there.root, head_of(person)).bundle


def test_results_are_fetched_into_a_branch(job) -> None:
    person, there = job
    finish(there)
    (person.root / "dirty.txt").write_text("work of the person\n")

    said = fetch_results(bundle_of_job(person, there), person.root, "job-1")

    assert said.startswith(
        "branch loop/job-1 has the results. To look: git log -p HEAD..loop/job-1"
    )
    assert "done.txt" in person.git("ls-tree", "--name-only", "loop/job-1")
    assert "SHIP" in person.git(*said.rpartition(": git ")[2].split(" "))
    assert person.git("status", "--porcelain") == "?? dirty.txt\n"
    assert "/checkpoint" not in person.git("for-each-ref")


def test_to_fetch_again_follows_the_job_until_the_person_works_on_the_branch(job) -> None:
    person, there = job
    fetch_results(bundle_of_job(person, there), person.root, "job-1")
    finish(there)
    bundle = bundle_of_job(person, there)
    fetch_results(bundle, person.root, "job-1")
    fetch_results(bundle, person.root, "job-1")
    assert "done.txt" in person.git("ls-tree", "--name-only", "loop/job-1")

    person.git("checkout", "-q", "loop/job-1")
    person.commit("a person continues")
    mine = head_of(person)
    there.write({"more.txt": "x\n"})
    with pytest.raises(
        NotPublished, match=r"has other commits here. The results are in refs/loop/"
    ):
        fetch_results(
            pack_checkpoint(there.root, person.git("rev-parse", "main").strip()).bundle,
            person.root,
            "job-1",
        )
    assert head_of(person) == mine


def test_a_repository_without_the_base_commit_is_told_what_to_do(job, project) -> None:
    person, there = job
    other = project({"other.txt": "x\n"})

    with pytest.raises(NotPublished, match="does not have the commit that job job-1 began with"):
        fetch_results(bundle_of_job(person, there), other.root, "job-1")


def test_no_changes_and_no_bundle_are_said(job) -> None:
    person, _ = job
    assert fetch_results(b"", person.root, "job-1") == "job job-1 has changed nothing"
    with pytest.raises(NotPublished, match="the results cannot be read"):
        fetch_results(b"no bundle", person.root, "job-1")
