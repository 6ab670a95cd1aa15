"""loop install: three things a plugin cannot add itself, each only on a person's word, and nothing of theirs is lost."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from loopwright.cli.commands.install import loop_shell_command
from loopwright.drive.doctor.client import block_cap

LOCAL = ".claude/settings.local.json"


def home() -> Path:
    return Path.home()


def test_the_block_cap_goes_into_the_local_settings_beside_what_is_there(project) -> None:
    here = project({LOCAL: json.dumps({"env": {"A": "1"}, "permissions": {"allow": ["Bash"]}})})

    assert here.run("install", "--block-cap").code == 0

    assert json.loads((here.root / LOCAL).read_text()) == {
        "env": {"A": "1", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "50"},
        "permissions": {"allow": ["Bash"]},
    }
    assert block_cap(here.folder) == 50
    assert here.run("install", "--block-cap=30").code == 0
    assert block_cap(here.folder) == 30
    assert here.run("install", "--block-cap", "--remove").code == 0
    assert json.loads((here.root / LOCAL).read_text())["env"] == {"A": "1"}


def test_from_a_folder_below_it_is_the_checkouts_settings(project) -> None:
    here = project({"sub/a.txt": "a"})

    assert here.run("install", "--block-cap", at="sub").code == 0

    assert (here.root / LOCAL).exists()
    assert not (here.root / "sub/.claude").exists()


@pytest.mark.parametrize("content", ["{ broken", "[]", '"text"', "\xff"])
def test_settings_that_cannot_be_read_are_left_as_they_are(project, content: str) -> None:
    here = project()
    path = here.root / LOCAL
    path.parent.mkdir()
    path.write_bytes(content.encode("latin-1"))

    said = here.run("install", "--block-cap")

    assert said.code == 1
    assert "left as it is" in said.err
    assert path.read_bytes() == content.encode("latin-1")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 1, "say what to install: a client such as codex, --all, --alias, --status-line"),
        (("--block-cap=3",), 1, "a cap of 3 would end it before"),
        (("--block-cap=many",), 64, "--block-cap takes a number"),
    ],
)
def test_what_makes_no_sense_is_refused(
    project, words: tuple[str, ...], code: int, says: str
) -> None:
    here = project()
    said = here.run("install", *words)

    assert said.code == code
    assert says in said.err
    assert not (here.root / ".claude").exists()


def test_the_status_line_is_put_in_and_taken_out_and_somebodys_own_is_kept(project) -> None:
    here = project()
    settings = home() / ".claude/settings.json"

    assert here.run("install", "--status-line").code == 0
    assert json.loads(settings.read_text())["statusLine"]["command"].endswith("statusline")
    assert here.run("install", "--status-line", "--remove").code == 0
    assert json.loads(settings.read_text()) == {}

    settings.write_text(json.dumps({"statusLine": {"type": "command", "command": "mine.sh"}}))
    said = here.run("install", "--status-line")
    assert said.code == 1
    assert "call `loop statusline` from it" in said.err
    assert json.loads(settings.read_text())["statusLine"]["command"] == "mine.sh"


def test_the_command_of_the_status_line_can_be_called_from_anywhere(tmp_path, monkeypatch) -> None:
    def inside(plugin: Path) -> str:
        for path in (plugin / "bin/loop", plugin / "vendor/loopwright/__main__.py"):
            path.parent.mkdir(parents=True)
            path.write_text(f"#!/bin/sh\necho {plugin.name}\n")
            path.chmod(0o755)
        return str(plugin / "vendor/loopwright/__main__.py")

    def said() -> str:
        return subprocess.run(
            loop_shell_command(), shell=True, capture_output=True, text=True, check=True
        ).stdout

    monkeypatch.setattr("sys.argv", [inside(tmp_path / "my plugin")])
    assert said() == "my plugin\n"
    monkeypatch.setattr("sys.argv", [inside(tmp_path / "a b/plugins/cache/market/loop/0.1.0")])
    assert said() == "0.1.0\n"
    newer = inside(tmp_path / "a b/plugins/cache/market/loop/0.2.0")
    os.utime(Path(newer).parents[2] / "bin/loop", (2e9, 2e9))
    assert said() == "0.2.0\n", "after an update, the newest"
    clone = tmp_path / "clone/plugins/claude"
    package = Path(inside(clone)).parent
    package.rename(tmp_path / "clone/src")
    package.symlink_to("../../../src")
    monkeypatch.setattr("sys.argv", [str(package / "__main__.py")])
    assert said() == "claude\n", "in a clone the package is a link"
    monkeypatch.setattr("sys.argv", ["/usr/bin/loop"])
    assert loop_shell_command() == "/usr/bin/loop"


def test_the_alias_is_the_start_skill_under_another_name_and_goes_again(project) -> None:
    here = project()
    file = home() / ".claude/commands/loop.md"

    assert here.run("install", "--alias").code == 0
    text = file.read_text()
    assert text.startswith("---\ndescription: Start autonomous iteration loop")
    assert "$ARGUMENTS" in text
    assert "CLAUDE_PLUGIN_ROOT" not in text, "only plugins have that"
    assert here.run("install", "--alias").code == 0, "again is no harm"

    assert here.run("install", "--alias", "--remove").code == 0
    assert not file.exists()
    assert "there is no" in here.run("install", "--alias", "--remove").out


def test_an_agent_may_not(project) -> None:
    here = project()

    assert here.run("install", "--alias", CLAUDECODE="1").code == 1
    assert not (home() / ".claude").exists()


def test_a_client_that_keeps_its_things_elsewhere_is_followed(project, tmp_path) -> None:
    here, elsewhere = project(), {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}

    assert here.run("install", "--alias", "--status-line", **elsewhere).code == 0

    assert (tmp_path / "config/commands/loop.md").exists()
    assert (tmp_path / "config/settings.json").exists()
    assert not (home() / ".claude").exists()
