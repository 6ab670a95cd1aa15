"""`loop fleet results`: where the results are, and how they come into the person's repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from loopwright.fleet.checkpoint import pack_checkpoint
from loopwright.fleet.database import open_database
from loopwright.fleet.jobs import JobRequest, submit_jobs
from loopwright.fleet.ledger import save_checkpoint
from loopwright.fleet.settings import default_database
from loopwright.fleet.tables import ENDED, RUNNING, jobs
from tests.support.project import Project


@pytest.fixture
def worked(project: Callable[..., Project]) -> Project:
    """A checkout of a worker in which a loop has changed a file."""
    there = project()
    there.start()
    there.write({"readme.md": "hello\n"})
    return there


def a_job_with(worked: Project, **columns: Any) -> str:
    """A job whose checkpoint is the state of this checkout."""
    base = worked.git("rev-parse", "HEAD").strip()
    database = open_database(default_database())
    (job_id,) = submit_jobs(database, [JobRequest("greet", "app", base, bundle=b"x")])
    with database.writing() as connection:
        save_checkpoint(connection, job_id, 2, pack_checkpoint(worked.root, base), 1.0)
        values = {"state": ENDED, "grade": "proven", "loop_facts": {"unmet": []}, **columns}
        connection.execute(sa.update(jobs).where(jobs.c.id == job_id).values(**values))
    database.close()
    return job_id


def clone_of(worked: Project, folder: Path) -> Project:
    worked.git("clone", "-q", str(worked.root), str(folder))
    return Project(folder, {}, git=False)


def test_results_are_named_and_fetched_as_a_branch(worked: Project, tmp_path: Path) -> None:
    job_id = a_job_with(worked)
    mine = clone_of(worked, tmp_path / "mine")
    said = mine.run("fleet", "results", "greet")
    assert said.code == 0
    assert f"Job {job_id} is ended, proven: greet" in said.out
    assert f"Bring the branch loop/{job_id} here: loop fleet results {job_id} --fetch" in said.out

    fetched = mine.run("fleet", "results", "greet", "--fetch")
    assert fetched.code == 0, fetched.err
    assert f"Fetched: branch loop/{job_id} has the results" in fetched.out
    assert mine.git("show", f"loop/{job_id}:readme.md") == "hello\n"
    assert mine.git("status", "--porcelain") == ""

    facts = mine.run("fleet", "results", "greet", "--json").json
    assert (facts["branch"], facts["checkpoint_turn"]) == (f"loop/{job_id}", 2)
    assert facts["receipt_ref"] == f"refs/loop-receipts/{job_id}"


def test_what_was_pushed_and_what_is_not_met_is_shown(worked: Project) -> None:
    a_job_with(
        worked,
        grade="reported",
        published="branch x is in y",
        loop_facts={"unmet": ["docs"], "verdict": {"why": "a person must look"}},
    )
    said = worked.run("fleet", "results", "greet")

    assert said.code == 10
    assert "Verdict: a person must look\nNot met: docs" in said.out
    assert "Results: branch x is in y" in said.out


def test_a_running_job_has_results_too(worked: Project) -> None:
    a_job_with(worked, state=RUNNING, grade="")

    assert "In the database after turn 2" in worked.run("fleet", "results", "greet").out


def test_what_cannot_be_fetched_is_explained(worked: Project, tmp_path: Path) -> None:
    job_id = a_job_with(worked)
    no_git = Project(tmp_path / "plain", {"x": "y"}, git=False)
    assert "is no git repository" in no_git.run("fleet", "results", job_id, "--fetch").err
    other = Project(tmp_path / "other", {"x": "y"})
    assert "does not have the commit" in other.run("fleet", "results", job_id, "--fetch").err
    database = open_database(default_database())
    submit_jobs(database, [JobRequest("new", "app", "a" * 40, bundle=b"x")])
    database.close()
    assert "It has not begun" in worked.run("fleet", "results", "new").out
    assert "nothing to fetch" in worked.run("fleet", "results", "new", "--fetch").err


def test_an_agent_may_read_results_but_not_fetch_them(worked: Project) -> None:
    a_job_with(worked)

    assert worked.run("fleet", "results", "greet", LOOP_CHILD="1").code == 0
    assert (
        "person's to run" in worked.run("fleet", "results", "greet", "--fetch", LOOP_CHILD="1").err
    )
