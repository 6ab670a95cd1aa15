"""Agents die with the runner, however it dies: the shell that waits for that ends their groups, and only theirs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.agents.process_guard import GUARD_SCRIPT, guard_processes
from tests.hook.test_gate import SHELLS, needed
from tests.hook.test_gate import program as brisk
from tests.support.runner import (
    IGNORING_SIGNALS,
    Runner,
    alive,
    command,
    read_when_complete,
    start_checked_loop,
    wait_until_gone,
)

FAMILY = f"""{IGNORING_SIGNALS}
child = subprocess.Popen(["sleep", "300"])
print(os.getpid(), child.pid, file=open(PIDS, "w"), flush=True)
time.sleep(300)
"""


@pytest.fixture
def groups() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Some groups, each of one process that only SIGKILL ends; those that are left are ended."""
    argv = ["sh", "-c", "trap '' TERM; echo ready; exec sleep 300"]
    made = [
        subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) for _ in range(3)
    ]
    for process in made:
        assert process.stdout is not None
        with process.stdout as out:
            assert out.readline() == b"ready\n"
    yield made
    for process in made:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_killed_in_mid_turn_a_runner_takes_its_agent_along(project, tmp_path: Path) -> None:
    here, pids = start_checked_loop(project), tmp_path / "pids"
    with Runner(here, *command(here, f"PIDS = {str(pids)!r}\n{FAMILY}")) as runner:
        family = [int(pid) for pid in read_when_complete(pids).split()]
        assert all(map(alive, family))
        runner.kill()

    assert wait_until_gone(*family)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_ends_the_groups_that_are_held_and_no_other(
    shell: str, groups, tmp_path: Path
) -> None:
    first, second, third = (one.pid for one in groups)
    argv = [*SHELLS[needed(shell)], GUARD_SCRIPT]
    brisk(tmp_path / "sleep", f'exec "{shutil.which("sleep")}" 0.3')
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    said = "".join(
        f"{word}\n"
        for word in (f"+ {first}", f"+ {second}", f"- {first}", f"+ {third}", f"- {third}")
    )
    done = subprocess.run(
        argv,
        input=said.encode(),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )

    assert done.stdout == b""
    assert groups[1].wait(timeout=60) == -signal.SIGKILL
    assert alive(first)
    assert alive(third)


def test_after_an_orderly_turn_nothing_is_ended(groups) -> None:
    with guard_processes() as hold, hold(groups[0].pid), hold(groups[1].pid):
        pass

    assert alive(groups[0].pid)
    assert alive(groups[1].pid)


def test_nobody_is_held_any_more_when_a_turn_breaks(groups) -> None:
    with pytest.raises(ZeroDivisionError), guard_processes() as hold, hold(groups[0].pid):
        raise ZeroDivisionError

    assert alive(groups[0].pid)


def test_the_script_is_clean() -> None:
    needed("shellcheck")
    done = subprocess.run(
        ["shellcheck", "-s", "sh", GUARD_SCRIPT], capture_output=True, text=True, check=False
    )

    assert done.stdout == ""
