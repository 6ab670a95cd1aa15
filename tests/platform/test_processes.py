"""Checks and agents are ended with all that they started, and a check's line finds its shell: here, and without killpg and sh."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.platform.conftest import write_program
from tests.platform.systems import System, a_family, beats, soon

CHECKS = """
import sys
from loopwright.core.criteria import Check
from loopwright.verify.runner import run_check
root, timeout, *words = sys.argv[1:]
found = run_check(Check(tuple(words) if words[1:] else words[0], int(timeout)), "slow", "t", root, root + "/.loop")
print(found.outcome, found.code, found.passed, found.failures, ascii(found.detail))
"""
AGENT = """
import os, sys
from contextlib import nullcontext
from loopwright.agents.base import About, Agent, TurnRequest
from loopwright.agents.process import TurnCallbacks, TurnTimeouts, run_agent_process
from loopwright.agents.process_guard import ProcessGuard
def turn(command, read, prompt):
    agent = Agent(About("one", "", "unknown"), command, read, lambda heard, call, ending: heard, str, lambda call: {})
    witness = TurnCallbacks(lambda heard, line: None, lambda: "", lambda group: nullcontext())
    return run_agent_process(agent, TurnRequest(1, prompt=prompt), sys.argv[1], os.environ, TurnTimeouts(), witness, ProcessGuard())
"""
REAPS = """
import sys
from loopwright.verify.process_groups import end_orphaned_groups
print(len(end_orphaned_groups(sys.argv[1])))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work/.loop").mkdir(parents=True)
    return tmp_path / "work"


def test_over_its_time_a_check_is_ended_with_all_that_it_started(
    system: System, folder: Path
) -> None:
    found = system.code(CHECKS, str(folder), "2", *a_family(folder / "heart"))

    # On a busy machine it may also say that a child outlived the check.
    assert found.startswith("timeout None False None ")
    assert found[:-1].endswith("[stopped after 2 s]")
    assert (folder / "heart").exists()
    assert not beats(folder / "heart")


def test_what_a_killed_hook_left_running_is_ended_by_the_next(
    any_system: System, folder: Path
) -> None:
    hook = any_system.begin(CHECKS, str(folder), "60", *a_family(folder / "heart"))
    assert soon(
        lambda: (
            beats(folder / "heart", 0.1)
            and any(path.read_text() for path in folder.glob(".loop/running/[0-9]*[0-9]"))
        )
    )
    hook.kill()
    hook.communicate()
    assert beats(folder / "heart")

    assert any_system.code(REAPS, str(folder / ".loop")) == "1"
    assert not beats(folder / "heart")
    assert not (folder / ".loop/running").exists()


def test_a_process_that_is_no_longer_the_recorded_one_is_left_alone(
    any_system: System, folder: Path
) -> None:
    hook = any_system.begin(CHECKS, str(folder), "60", *a_family(folder / "heart"))
    assert soon(
        lambda: (
            beats(folder / "heart", 0.1)
            and any(path.read_text() for path in folder.glob(".loop/running/[0-9]*[0-9]"))
        )
    )
    record = next(folder.glob(".loop/running/[0-9]*[0-9]"))
    written = record.read_text()
    hook.kill()
    hook.communicate()
    record.write_text(f"1{written}")

    assert any_system.code(REAPS, str(folder / ".loop")) == "0"
    assert beats(folder / "heart")
    (folder / ".loop/running").mkdir()
    record.write_text(written)
    assert any_system.code(REAPS, str(folder / ".loop")) == "1"


def test_what_a_living_driver_has_started_is_left_alone(any_system: System, folder: Path) -> None:
    """A session's hook in the same folder must not end what a runner, or another hook, has under way."""
    hook = any_system.begin(CHECKS, str(folder), "60", *a_family(folder / "heart"))
    assert soon(
        lambda: (
            beats(folder / "heart", 0.1)
            and any(path.read_text() for path in folder.glob(".loop/running/[0-9]*[0-9]"))
        )
    )

    assert any_system.code(REAPS, str(folder / ".loop")) == "0"
    assert beats(folder / "heart")
    hook.kill()
    hook.communicate()
    assert any_system.code(REAPS, str(folder / ".loop")) == "1"


def test_an_agent_that_we_no_longer_listen_to_is_ended_with_all_that_it_started(
    system: System, folder: Path
) -> None:
    code = f"""{AGENT}
def read(heard, line, call):
    raise RuntimeError(line)
try:
    turn(lambda call: tuple(sys.argv[2:]), read, "go")
except RuntimeError as error:
    print(error)
"""
    python, flags, parent, *child = a_family(folder / "heart")
    loud = parent.replace("time.sleep", "print('hi', flush=True); time.sleep")

    assert system.code(code, str(folder), python, flags, loud, *child) == "hi"
    assert not beats(folder / "heart")


def test_an_agent_that_does_not_read_its_prompt_is_heard(system: System, folder: Path) -> None:
    code = f"""{AGENT}
deaf = (sys.executable, "-c", "print('bye')")
print(turn(lambda call: deaf, lambda heard, line, call: heard.but(text=line.strip()), "p" * 1_000_000).text)
"""
    assert system.code(code, str(folder)) == "bye"


# --- the shell ---

LINE = "for word in a b; do printf '%s.' \"$word\"; done; exit 3"


def test_a_line_is_read_by_a_posix_shell(system: System, folder: Path) -> None:
    assert system.code(CHECKS, str(folder), "20", LINE) == "exit 3 False None 'a.b.'"
    assert system.code(CHECKS, str(folder), "20", "no-such-command-anywhere").startswith(
        "missing 127 False"
    )


def test_where_only_git_is_on_the_path_its_own_sh_is_taken(
    windows: System, folder: Path, tmp_path: Path
) -> None:
    """As Git installs itself: git in cmd/, sh.exe in bin/, and only the first of them on the PATH."""
    for name in ("cmd", "bin"):
        (tmp_path / "Git" / name).mkdir(parents=True)
    write_program(tmp_path / "Git/cmd/git", "exit 1")
    write_program(tmp_path / "Git/bin/sh.exe", 'echo "git sh"; exec /bin/sh "$@"')
    path = f"{tmp_path}/System32:{tmp_path}/Git/cmd"

    assert (
        windows.code(CHECKS, str(folder), "20", LINE, PATH=path)
        == "exit 3 False None 'git sh\\na.b.'"
    )


def test_without_git_cmd_must_do(windows: System, folder: Path, tmp_path: Path) -> None:
    assert (
        windows.code(CHECKS, str(folder), "20", "exit 3", PATH=f"{tmp_path}/System32")
        == "exit 3 False None 'cmd /c'"
    )


def test_an_argv_sees_no_shell(system: System, folder: Path) -> None:
    argv = (
        sys.executable,
        "-c",
        "import sys; print(sys.argv[1:])",
        "$HOME",
        "; touch pwned",
        "a b",
    )

    assert "['$HOME', '; touch pwned', 'a b']" in system.code(CHECKS, str(folder), "20", *argv)
    assert not (folder / "pwned").exists()


def test_what_a_tool_prints_with_other_line_ends_is_read_alike(
    system: System, folder: Path
) -> None:
    argv = (
        sys.executable,
        "-c",
        r"import sys; sys.stdout.buffer.write(b'2 failed\r\nsee above\r\n')",
    )

    assert system.code(CHECKS, str(folder), "20", *argv) == "exit 0 True 2 '2 failed\\nsee above'"
    (log,) = folder.glob(".loop/evidence/*.log")
    assert log.read_bytes() == b"2 failed\nsee above\n"
