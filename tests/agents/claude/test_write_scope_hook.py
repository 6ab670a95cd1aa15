"""The fence of a task, as the process that Claude Code starts before it writes a file."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.base import TurnRequest
from loopwright.agents.claude.command import WRITE_SCOPE_HOOK, command
from loopwright.agents.claude.write_scope_hook import is_tracked
from tests.support.project import Project

OWN = ["src/a.py", "notes/new.md"]


@pytest.fixture
def scoped_project(project) -> Project:
    made = project(
        {"src/a.py": "a\n", "src/b.py": "b\n", "readme.md": "x\n", "odd*name.txt": "x\n"}
    )
    (made.root / "link.py").symlink_to("src/b.py")
    (made.root.parent / "elsewhere.txt").write_text("x\n")
    return made


def fence(here: Project, **changes: Any) -> Path:
    body = {
        "task": "01",
        "root": str(here.root),
        "own": OWN,
        "others": ["src/b.py", "src/later.py"],
        **changes,
    }
    path = here.root.parent / "fence.json"
    path.write_text(json.dumps(body))
    return path


def asked(here: Project, file: Path | str, said: bytes) -> str:
    """Why the call is denied; "" where it is let through."""
    argv = [sys.executable, "-I", "-S", WRITE_SCOPE_HOOK, str(file)]
    done = subprocess.run(
        argv, input=said, cwd=here.root, capture_output=True, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    return str(answer["permissionDecisionReason"])


def writing(path: str, name: str = "file_path") -> bytes:
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {name: path, "content": "x"},
    }
    return json.dumps(event).encode()


def test_what_a_task_may_write_and_what_not(scoped_project: Project) -> None:
    file = fence(scoped_project)
    root = scoped_project.root
    others = (
        "src/b.py belongs to another task of the plan. Task 01 may write: src/a.py, notes/new.md"
    )
    listed = "is not among the files of task 01: src/a.py, notes/new.md. New files are fine"
    answers = {
        f"{root}/src/a.py": "",
        "src/a.py": "",
        f"{root}/src/../src/a.py": "",
        f"{root}/notes/new.md": "",
        f"{root}/src/helper.py": "",
        f"{root}/../elsewhere.txt": "",
        f"{root}/src/b.py": others,
        f"{root}/src/../src/b.py": others,
        f"{root}/link.py": others,
        f"{root}/src/later.py": others.replace("src/b.py", "src/later.py"),
        f"{root}/readme.md": f"readme.md {listed}",
        f"{root}/odd*name.txt": f"odd*name.txt {listed}",
    }

    assert {path: asked(scoped_project, file, writing(path)) for path in answers} == answers
    assert asked(scoped_project, file, writing(f"{root}/src/b.py", "notebook_path")) == others


def test_a_task_that_names_no_file_may_write_all_that_no_other_names(
    scoped_project: Project,
) -> None:
    file = fence(scoped_project, own=[])

    assert asked(scoped_project, file, writing(f"{scoped_project.root}/readme.md")) == ""
    assert asked(scoped_project, file, writing(f"{scoped_project.root}/src/b.py")).startswith(
        "src/b.py belongs to another task"
    )


def test_garbage_lets_the_call_through(scoped_project: Project) -> None:
    for said in [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"tool_input": null}',
        b'{"tool_input": {"file_path": 7}}',
        b"\xff\xfe",
        b'{"tool_input": {}}',
    ]:
        assert asked(scoped_project, fence(scoped_project), said) == ""


def test_without_its_file_or_a_sound_one_it_is_in_nobodys_way(scoped_project: Project) -> None:
    said = writing(f"{scoped_project.root}/src/b.py")
    assert asked(scoped_project, scoped_project.root / "gone.json", said) == ""
    for text in ("{", "[]", "{}"):
        broken = scoped_project.root.parent / "fence.json"
        broken.write_text(text)
        assert asked(scoped_project, broken, said) == ""


def test_a_fenced_turn_has_settings_with_the_hook_that_runs(scoped_project: Project) -> None:
    file = scoped_project.root.parent / "a folder with 'quotes'"
    file.mkdir()
    given = fence(scoped_project).rename(file / "f.json")
    words = command(TurnRequest(1, write_scope_file=str(given)))
    settings = json.loads(words[words.index("--settings") + 1])
    hook = settings["hooks"]["PreToolUse"][0]

    assert hook["matcher"] == "Edit|Write|MultiEdit|NotebookEdit"
    argv = shlex.split(hook["hooks"][0]["command"])
    done = subprocess.run(
        argv,
        input=writing(f"{scoped_project.root}/src/b.py"),
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert b'"permissionDecision": "deny"' in done.stdout
    assert "--settings" not in command(TurnRequest(1))


def test_git_is_asked_without_the_watcher_of_the_repository(
    scoped_project: Project, tmp_path: Path
) -> None:
    scoped_project.git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")

    assert is_tracked(str(scoped_project.root), "readme.md")
    assert not (tmp_path / "ran").exists()
