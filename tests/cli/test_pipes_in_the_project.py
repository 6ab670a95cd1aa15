"""Pipes that an agent left where we look for a file: no later command waits for a writer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.disk.files import read_bytes, read_text
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")

SECONDS = 100
PIPES = (
    *("package.json", ".venv/bin/python", ".venv/pyvenv.cfg", "node_modules/.bin/x"),
    *("node_modules/.package-lock.json", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini"),
    *("Makefile", "Cargo.toml", "go.mod", "conftest.py", "tests/test_pipe.py", ".env", ".envrc"),
    *("PLAN.md", "CLAUDE.md", "AGENTS.md", ".claude/settings.json", ".claude/settings.local.json"),
    *(".codex/config.toml", ".mcp.json", "src/module.py", ".venv/lib/site.pth"),
)
COMMANDS = {
    "start": ("start", "goal", "--check", "t=false"),
    "doctor": ("doctor",),
    "run": ("run", "goal", "--check", "t=test -e ok", "--agent-command", "touch ok"),
}


@pytest.mark.parametrize("name", every(4, [*COMMANDS]))
def test_a_command_does_not_wait_for_pipes_in_place_of_files(name: str, project) -> None:
    here: Project = project()
    for path in PIPES:
        (here.root / path).parent.mkdir(parents=True, exist_ok=True)
        (here.root / path).unlink(missing_ok=True)
        os.mkfifo(here.root / path)

    done = subprocess.run(
        [sys.executable, "-m", "loopwright", *COMMANDS[name]],
        cwd=here.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_pipe_and_a_device_are_files_that_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero"):
        assert read_text(path, 10) is None
        with pytest.raises(OSError, match="no regular file"):
            read_bytes(path)
