"""`loop fleet worker`: its options, accounts and drain; and `loop fleet init`."""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from loopwright.cli.fleet import worker as command
from loopwright.cli.fleet.job_words import job_run_config
from loopwright.cli.fleet.options import add_worker
from loopwright.drive.errors import UserError
from loopwright.fleet.database import Database, open_database
from loopwright.fleet.limits import read_limits
from loopwright.fleet.liveness import (
    DRAINING,
    WORKING,
    ask_to_drain,
    renew_time,
)
from loopwright.fleet.settings import default_database, read_settings
from loopwright.fleet.work import JobWork
from tests.fleet.test_status_and_orders import a_worker
from tests.support.project import Project


def account_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "team.env"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_an_account_is_a_file_with_variables(tmp_path: Path) -> None:
    path = account_file(tmp_path, "# ours\n\nKEY=a=b\nexport OTHER='two words'\nEMPTY=\n")
    assert command.read_account(f"team={path}") == (
        "team",
        (("KEY", "a=b"), ("OTHER", "two words"), ("EMPTY", "")),
    )


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("KEY=x", 0o640, "other users can read"),
        ("sk-ant-secret", 0o600, "line 1: no line such as NAME=VALUE"),
        ("1KEY=secret", 0o600, "line 1"),
        ("", 0o600, "has no line such as"),
    ],
)
def test_a_wrong_account_file_is_refused_without_showing_it(
    tmp_path: Path, text: str, mode: int, message: str
) -> None:
    path = account_file(tmp_path, text, mode)
    with pytest.raises(UserError, match=message) as error:
        command.read_account(f"team={path}")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("text", ["team", "=file", "team=", "a b=/dev/null", "team=/nowhere"])
def test_a_wrong_account_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--account"):
        command.read_account(text)


def test_a_worker_has_a_label_for_each_installed_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command.agent_labels() == []
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert command.agent_labels() == ["agent:codex"]


@pytest.mark.parametrize("slots", ["0", "-1", "65"])
def test_a_wrong_number_of_slots_is_refused(here: Project, slots: str) -> None:
    assert (
        "--slots takes a number from 1 to 64" in here.run("fleet", "worker", "--slots", slots).err
    )


def test_the_words_begin_the_same_worker_again() -> None:
    parser = argparse.ArgumentParser()
    add_worker(parser)
    words = ["--slots=4", "--label=gpu", "--label=big", "--account=a=/x", "--until-idle"]
    args = parser.parse_args(words)
    assert command.command_words(args) == ["fleet", "worker", *words]
    assert vars(parser.parse_args(command.command_words(args)[2:])) == vars(args)


# --- drain ---


def state_after_renewal(database: Database, name: str) -> str:
    with database.writing() as connection:
        return renew_time(connection, database, name, WORKING)


def test_a_worker_that_was_asked_to_drain_learns_it_when_it_renews_its_time(
    database: Database,
) -> None:
    a_worker(database, "w1", lock_number=5001)
    a_worker(database, "w2", lock_number=5002)
    with database.writing() as connection:
        assert ask_to_drain(connection, worker="w1") == ["w1"]
    assert state_after_renewal(database, "w1") == DRAINING
    assert state_after_renewal(database, "w2") == WORKING
    with database.writing() as connection:
        assert ask_to_drain(connection, host=socket.gethostname()) == ["w1", "w2"]
        assert ask_to_drain(connection, host="elsewhere") == []


def test_drain_asks_the_workers_of_this_machine_or_one_by_name(here: Project) -> None:
    assert "No worker is running on this machine" in here.run("fleet", "worker", "--drain").out
    assert "no worker 'w1' is running" in here.run("fleet", "worker", "--drain", "w1").err
    database = open_database(default_database())
    a_worker(database, "w1", lock_number=5001)
    assert (
        "Worker w1 finishes its turns and ends" in here.run("fleet", "worker", "--drain", "w1").out
    )
    assert "Worker w1 finishes" in here.run("fleet", "worker", "--drain").out
    assert state_after_renewal(database, "w1") == DRAINING
    database.close()


# --- init ---


def test_init_keeps_the_address_and_creates_the_tables(here: Project) -> None:
    said = here.run(
        "fleet", "init", "--database", "my.db", "--budget", "50", "--results", "../r.git"
    )

    assert said.code == 0, said.err
    assert "On this machine: loop fleet worker" in said.out
    path = str(here.root / "my.db")
    assert read_settings().database == path
    assert read_settings().results == str(here.root.parent / "r.git")
    database = open_database(path)
    with database.reading() as connection:
        (limit,) = read_limits(connection, database)
    database.close()
    assert (limit.scope, limit.budget) == ("fleet", 50.0)
    assert here.run("fleet", "init", "--json").json["results"].endswith("r.git")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--database", "mysql://host/x"), "a fleet cannot use"),
        (("--database", "sqlite://"), "a fleet cannot use"),
        (("--database", "postgresql://u:secret@127.0.0.1:1/x"), "does not answer"),
        (("--results", "https://u:secret@h/x.git"), "has a password"),
        (("--budget", "much"), "--budget takes"),
    ],
)
def test_a_wrong_setting_is_not_kept(here: Project, words: tuple[str, ...], message: str) -> None:
    said = here.run("fleet", "init", *words)

    assert said.code == (64 if message in ("--budget takes", "has a password") else 1)
    assert message in said.err
    assert "secret" not in said.err + said.out
    assert read_settings().database == ""


def test_the_file_of_the_database_is_private(here: Project) -> None:
    here.run("fleet", "init")
    assert os.stat(os.path.dirname(default_database())).st_mode & 0o777 == 0o700


def test_a_segment_is_stalled_when_the_engine_takes_no_step(tmp_path: Path) -> None:
    job = SimpleNamespace(id="a1b2c3d4", fence=1)
    work = JobWork(job, tmp_path, job_run_config, ())  # type: ignore[arg-type]
    assert not work.is_stalled(-1)  # the engine was not asked yet
    work.workflow = "a1b2c3d4-1-1"
    work.start_waiting()
    assert work.is_stalled(-1)
    assert not work.is_stalled(60)
    with work.step_under_way():
        work.start_waiting()  # the database went away meanwhile
        assert not work.is_stalled(-1)
    assert work.is_stalled(-1)
