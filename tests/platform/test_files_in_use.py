"""A file that somebody reads, a pipe with a code page, a folder with backslashes: what Windows does to files and words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.platform.systems import START, System, soon
from tests.support.hook import HALT_SCRIPT, SESSION
from tests.support.project import Project


def test_a_mirror_that_an_editor_reads_is_written_when_it_is_done(windows: System, project) -> None:
    here: Project = project()
    windows.loop(here, *START, "--criterion", "docs read well")
    with open(here.root / ".loop/state.json", "rb"):
        pause = windows.begin(
            "import sys; from loopwright.cli.main import main; sys.exit(main(['pause']))",
            cwd=here.root,
        )
        assert not soon(lambda: pause.poll() is not None, 0.6)

    assert pause.communicate()[1] == b""
    assert here.state["status"] == "paused"


def test_its_output_is_utf_8_in_a_pipe(windows: System, project) -> None:
    here: Project = project()
    windows.loop(here, *START, "--check", "grün=true")

    assert "✓ grün" in windows.loop(here, "check").out
    assert (
        windows.run(
            "import sys; from loopwright.cli.main import main; sys.exit(main(['cancel']))",
            cwd=here.root,
        ).code
        == 0
    )
    spec = "fix all failing tests in größe.md"
    words = "import sys; from loopwright.cli.main import main; sys.exit(main(['start', '-', '--score', '9', '--yes']))"
    assert windows.run(words, cwd=here.root, stdin=spec.encode()).code == 0
    assert here.loop.spec == spec


def test_a_halt_is_found_from_a_folder_with_backslashes(tmp_path: Path) -> None:
    shop = Project(tmp_path / "C:/work/shop", {"src/deep/a.py": "a = 1\n"}, git=False)
    shop.start("--criterion", "docs read well", "--session", SESSION)
    shop.run("pause")
    env = {
        "PATH": os.environ["PATH"],
        "CLAUDE_PROJECT_DIR": r"C:\work\shop\src\deep",
        "CLAUDE_CODE_SESSION_ID": SESSION,
    }
    for shell in ("dash", "bash"):
        (shop.root / ".loop/halt").write_text('{"continue":false}\n')
        said = subprocess.run(
            [shell, HALT_SCRIPT], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert (said.stdout, said.stderr) == ('{"continue":false}\n', "")
