"""The client's own sandbox in a session: what doctor says of it, and what `loop install --sandbox` writes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.project import Project


@pytest.fixture
def here(project) -> Project:
    return project()


def settings() -> Path:
    return Path(os.environ["HOME"], ".claude/settings.json")


def test_the_settings_require_the_sandbox_and_keep_what_was_there(here):
    settings().parent.mkdir()
    mine = {"model": "x", "sandbox": {"filesystem": {"denyRead": ["~/mine"]}, "enabled": False}}
    settings().write_text(json.dumps(mine))

    said = here.run("install", "--sandbox")

    written = json.loads(settings().read_text())
    assert "on and required" in said.out
    assert written["model"] == "x"
    assert written["sandbox"]["enabled"] is True
    assert written["sandbox"]["failIfUnavailable"] is True
    assert {"~/mine", "~/.ssh"} <= set(written["sandbox"]["filesystem"]["denyRead"])
    assert "loop *" in written["sandbox"]["excludedCommands"]


def test_removing_leaves_only_what_the_person_had(here):
    settings().parent.mkdir()
    settings().write_text('{"sandbox": {"filesystem": {"denyRead": ["~/mine"]}}}')

    here.run("install", "--sandbox")
    here.run("install", "--sandbox", "--remove")

    assert json.loads(settings().read_text()) == {
        "sandbox": {"filesystem": {"denyRead": ["~/mine"]}}
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "the sandbox of Claude Code is off: commands of a session run as you"),
        ({"enabled": True}, "where it is missing, commands run all the same"),
        ({"enabled": True, "failIfUnavailable": True}, "is on, and required"),
    ],
)
def test_doctor_reports_the_sandbox_of_claude_code(here, given, words):
    (here.root / ".claude").mkdir(exist_ok=True)
    (here.root / ".claude/settings.json").write_text(json.dumps({"sandbox": given}))

    assert words in here.run("doctor").out


def test_doctor_reports_the_sandbox_of_codex_and_ours(here):
    folder = Path(os.environ["HOME"], ".codex")
    folder.mkdir()
    (folder / "config.toml").write_text('sandbox_mode = "danger-full-access"\n')

    said = here.run("doctor").out

    assert "the sandbox of Codex is off in your settings" in said
    assert "`loop run` and checks" in said
