"""After an edit that weakens a test the agent reads one line; after any other edit, nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.hook import SESSION, SOURCE, event, prompts, run_hook
from tests.support.project import Project

EDITED_SCRIPT = str(SOURCE / "hook" / "edited.sh")
TEST = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
NAME = "tests/test_cart.py"


@pytest.fixture
def tested_project(project) -> Project:
    """A loop in a project with one test."""
    made = project({NAME: TEST, "cart.py": "total = sum\n"})
    made.start("--criterion", "docs read well", "--without", "tests")
    prompts(made, "begin")
    return made


def edit(here: Project, name: str, text: str, tool: str = "Edit") -> str:
    """What the agent reads after it has written this text."""
    path = here.root / name
    path.write_text(text)
    fields = {"tool_name": tool, "tool_input": {"file_path": str(path)}}
    answer = run_hook(event("PostToolUse", here, **fields))
    return answer.prompt


def test_a_removed_assertion_is_named_once(tested_project: Project) -> None:
    weaker = TEST.replace(" == 3", "")

    line = edit(tested_project, NAME, weaker)

    assert line.startswith(
        f"[LOOP] {NAME}:5: assertion loosened since the start: assert total([1, 2]) == 3."
    )
    assert "\n" not in line
    assert edit(tested_project, NAME, f"{weaker}\n# more\n") == ""


def test_any_other_edit_is_silent(tested_project: Project) -> None:
    for name, text in [
        (NAME, TEST + "\n\ndef test_nothing():\n    assert total([]) == 0\n"),
        ("tests/test_new.py", "def test_a():\n    pass\n"),
        ("cart.py", "total = len\n"),
    ]:
        assert edit(tested_project, name, text) == ""


def test_a_file_that_may_change_is_silent(project) -> None:
    made = project({NAME: TEST, "cart.py": "total = sum\n"})
    made.start("--criterion", "docs read well", "--may-change", "tests", "--without", "tests")
    prompts(made, "begin")

    assert edit(made, NAME, "") == ""


def gate_calls(folder: Path, project: Path, payload: dict[str, object], **env: str) -> list[str]:
    """The calls of gate.sh that the script makes; a copy of it beside a gate of our own."""
    folder.mkdir(exist_ok=True)
    (folder / "edited.sh").write_text(Path(EDITED_SCRIPT).read_text())
    (folder / "gate.sh").write_text(f'echo "$1" >>"{folder}/calls"; cat >/dev/null\n')
    subprocess.run(
        ["dash", str(folder / "edited.sh")],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "CLAUDE_PROJECT_DIR": str(project),
            "CLAUDE_CODE_SESSION_ID": SESSION,
            **env,
        },
        input=json.dumps(payload, separators=(",", ":")),
        cwd="/",
        text=True,
        check=True,
    )
    calls = folder / "calls"
    return calls.read_text().split() if calls.exists() else []


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("/p/tests/test_cart.py", ["PostToolUse"]),
        ("/p/src/cart.spec.ts", ["PostToolUse"]),
        ("/p/CartTest.java", ["PostToolUse"]),
        ("/p/cart.py", []),
    ],
)
def test_the_shell_starts_python_only_for_the_names_of_tests(
    tested_project: Project, tmp_path: Path, path: str, calls: list[str]
) -> None:
    payload = {"tool_input": {"file_path": path, "new_string": '"file_path":"a_test.py"'}}

    assert gate_calls(tmp_path / "hooks", tested_project.root, payload) == calls


def test_the_shell_starts_nothing_without_a_loop_or_below_a_runner(
    tested_project: Project, tmp_path: Path
) -> None:
    payload = {"tool_input": {"file_path": "/p/tests/test_cart.py"}}

    assert gate_calls(tmp_path / "hooks", tmp_path / "elsewhere", payload) == []
    assert gate_calls(tmp_path / "hooks", tested_project.root, payload, LOOP_CHILD="1") == []
