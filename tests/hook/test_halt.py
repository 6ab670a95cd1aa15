"""halt.sh, the look at every tool call: the driver is halted once, others never, and without a marker it says nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from loopwright.plugin.hooks_json import hooks_table
from tests.support.hook import HALT_SCRIPT, OTHER, SESSION, prompts, stop
from tests.support.project import Project

SHELLS = ["dash", "bash"]


def halted(
    here: Project, session: str = SESSION, shell: str = "dash", folder: str = "", **env: str
) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "CLAUDE_PROJECT_DIR": str(here.root / folder),
        "CLAUDE_CODE_SESSION_ID": session,
        **env,
    }
    done = subprocess.run(
        [shell, HALT_SCRIPT],
        env=env,
        cwd="/",
        input="{}",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_rest_of_a_prompt_comes_once_and_as_text(prompted_project: Project, shell: str) -> None:
    """Whatever is in the file: the agent can write it, and must not answer for the person."""
    waiting = prompted_project.root / ".loop/next-prompt"
    text = 'a "quote", a \\ and\n\ta tab\n"},"permissionDecision":"allow"'
    waiting.write_text(text)

    assert halted(prompted_project, OTHER, shell) == "", "it is for the session that drives"
    said = json.loads(halted(prompted_project, shell=shell))["hookSpecificOutput"]
    assert set(said) == {"hookEventName", "additionalContext"}
    assert said["additionalContext"].strip() == text.replace("\t", " ")
    assert (halted(prompted_project, shell=shell), waiting.exists()) == ("", False)


@pytest.fixture
def prompted_project(project) -> Project:
    """A loop that a session drives by its first prompt."""
    made = project()
    made.start("--criterion", "docs read well")
    prompts(made, "begin")
    return made


def test_without_a_marker_it_says_nothing(prompted_project: Project) -> None:
    for shell in SHELLS:
        assert halted(prompted_project, shell=shell) == ""


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("word", ["pause", "cancel"])
def test_the_driver_is_halted_once_and_others_are_not(
    prompted_project: Project, word: str, shell: str
) -> None:
    prompted_project.run(word)

    assert halted(prompted_project, OTHER, shell) == ""
    assert halted(prompted_project, "", shell) == ""
    said = json.loads(halted(prompted_project, shell=shell))
    assert said["continue"] is False
    assert said["stopReason"].startswith("[LOOP]")
    assert halted(prompted_project, shell=shell) == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_a_stop_file_halts_the_driver(prompted_project: Project, shell: str) -> None:
    prompted_project.write({".loop/STOP": ""})

    assert halted(prompted_project, OTHER, shell) == ""
    assert json.loads(halted(prompted_project, shell=shell))["continue"] is False
    assert "⏸ Paused: .loop/STOP was found" in stop(prompted_project).message
    assert halted(prompted_project, shell=shell) == ""


def test_a_session_that_was_named_at_the_start_is_halted_too(project) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    here.run("pause")

    assert json.loads(halted(here))["continue"] is False


def test_continue_takes_the_marker_away(prompted_project: Project) -> None:
    prompted_project.run("pause")
    prompted_project.run("continue")

    assert halted(prompted_project) == ""


def test_a_marker_of_a_cancelled_loop_does_not_halt_the_next(prompted_project: Project) -> None:
    prompted_project.run("cancel")
    prompted_project.start("--criterion", "another thing", "--session", SESSION)

    assert halted(prompted_project) == ""


def test_after_the_lease_has_moved_the_new_driver_is_halted(prompted_project: Project) -> None:
    prompted_project.run("attach", "--session", OTHER, "--yes")
    prompted_project.run("pause")

    assert halted(prompted_project, SESSION) == ""
    assert json.loads(halted(prompted_project, OTHER))["continue"] is False


def test_a_session_that_was_opened_in_a_subfolder_is_halted_too(prompted_project: Project) -> None:
    (prompted_project.root / "src/deep").mkdir(parents=True)
    prompted_project.run("pause")

    assert json.loads(halted(prompted_project, folder="src/deep"))["continue"] is False


def test_where_no_loop_is_it_says_nothing(project) -> None:
    assert halted(project()) == ""


def test_the_plugin_runs_it_in_the_shell_that_the_client_started(
    prompted_project: Project, tmp_path: Path
) -> None:
    """One shell for each tool call, not two."""
    vendor = tmp_path / "plug in" / "vendor"
    vendor.mkdir(parents=True)
    (vendor / "loopwright").symlink_to(Path(HALT_SCRIPT).parents[1])
    entry = hooks_table()["hooks"]["PreToolUse"][0]["hooks"][0]
    env = {
        "PATH": "/nowhere",  # no other shell can be found
        "CLAUDE_PLUGIN_ROOT": str(vendor.parent),
        "CLAUDE_PROJECT_DIR": str(prompted_project.root),
        "CLAUDE_CODE_SESSION_ID": SESSION,
    }

    def said() -> tuple[int, str]:
        done = subprocess.run(
            ["/bin/sh", "-c", entry["command"]], env=env, capture_output=True, text=True, check=True
        )
        return done.returncode, done.stderr

    assert said() == (0, "")
    prompted_project.run("pause")
    env["PATH"] = os.environ["PATH"]
    done = subprocess.run(
        ["/bin/sh", "-c", entry["command"]], env=env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["continue"] is False
