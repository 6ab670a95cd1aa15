"""The client's own sandbox in a session: what doctor says of it, and what `loop install --sandbox` writes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.sandbox


@pytest.fixture
def client_sandbox_project(project, tmp_path, monkeypatch) -> Project:
    """With the programs that Claude Code's sandbox needs on Linux."""
    for name in ("bwrap", "socat"):
        stand_in = tmp_path / "programs" / name
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text("#!/bin/sh\n")
        stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{tmp_path / 'programs'}")
    return project()


def settings() -> Path:
    return Path(os.environ["HOME"], ".claude/settings.json")


def test_the_settings_require_the_sandbox_and_keep_what_was_there(client_sandbox_project):
    settings().parent.mkdir()
    mine = {"model": "x", "sandbox": {"filesystem": {"denyRead": ["~/mine"]}, "enabled": False}}
    settings().write_text(json.dumps(mine))

    said = client_sandbox_project.run("install", "--sandbox")

    written = json.loads(settings().read_text())
    assert "on and required" in said.out
    assert written["model"] == "x"
    assert written["sandbox"]["enabled"] is True
    assert written["sandbox"]["failIfUnavailable"] is True
    assert {"~/mine", "~/.ssh"} <= set(written["sandbox"]["filesystem"]["denyRead"])
    assert "loop *" in written["sandbox"]["excludedCommands"]


MINE = '{"sandbox": {"enabled": false,   "filesystem": {"denyRead": ["~/mine"]}}}'


def test_removing_restores_the_file(client_sandbox_project):
    settings().parent.mkdir()
    settings().write_text(MINE)

    client_sandbox_project.run("install", "--sandbox")
    client_sandbox_project.run("install", "--sandbox")
    client_sandbox_project.run("install", "--sandbox", "--remove")

    assert settings().read_text() == MINE


def test_removing_leaves_no_file_where_there_was_none(client_sandbox_project):
    client_sandbox_project.run("install", "--sandbox")
    client_sandbox_project.run("install", "--sandbox", "--remove")

    assert not settings().parent.exists()


def test_of_a_file_that_was_changed_since_only_our_own_entries_go(client_sandbox_project):
    client_sandbox_project.run("install", "--sandbox")
    written = json.loads(settings().read_text())
    written["sandbox"]["filesystem"] |= {"denyRead": ["~/mine", "~/.ssh"], "disabled": True}
    settings().write_text(json.dumps({**written, "model": "x"}))

    client_sandbox_project.run("install", "--sandbox", "--remove")

    kept = {"filesystem": {"denyRead": ["~/mine"], "disabled": True}}
    assert json.loads(settings().read_text()) == {"model": "x", "sandbox": kept}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it needs no programs")
def test_without_the_programs_that_it_needs_nothing_is_changed(
    client_sandbox_project, tmp_path, monkeypatch
):
    """With failIfUnavailable the client would refuse to start."""
    client_sandbox_project.run("install", "--sandbox")
    monkeypatch.setenv("PATH", "/nonexistent")
    diagnosed = client_sandbox_project.run("doctor")
    client_sandbox_project.run("install", "--sandbox", "--remove")

    said = client_sandbox_project.run("install", "--sandbox")

    assert "Claude Code does not start: its sandbox is required and needs bwrap" in diagnosed.out
    assert said.code == 1
    assert "its sandbox needs bwrap and socat. Install first" in said.err
    assert not settings().exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "the sandbox of Claude Code is off: commands of a session run as you"),
        ({"enabled": True}, "where it is missing, commands run all the same"),
        ({"enabled": True, "failIfUnavailable": True}, "is on, and required"),
    ],
)
def test_doctor_reports_the_sandbox_of_claude_code(client_sandbox_project, given, words):
    (client_sandbox_project.root / ".claude").mkdir(exist_ok=True)
    (client_sandbox_project.root / ".claude/settings.json").write_text(
        json.dumps({"sandbox": given})
    )

    assert words in client_sandbox_project.run("doctor").out


def test_doctor_reports_the_sandbox_of_codex_and_ours(client_sandbox_project):
    folder = Path(os.environ["HOME"], ".codex")
    folder.mkdir()
    (folder / "config.toml").write_text('sandbox_mode = "danger-full-access"\n')

    said = client_sandbox_project.run("doctor").out

    assert "the sandbox of Codex is off in your settings" in said
    assert "`loop run` and checks" in said


def test_doctor_names_a_setting_that_no_sandbox_answers_to(client_sandbox_project):
    client_sandbox_project.run("config", "sandbox.use", "dokcer")

    said = client_sandbox_project.run("doctor").out

    assert "your setting sandbox.use: " in said
    assert "did you mean docker?" in said
    assert "fix: loop config sandbox.use auto" in said
