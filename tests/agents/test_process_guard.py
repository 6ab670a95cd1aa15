"""Whatever an agent started ends with its runner, however that dies, and with a lease that is not renewed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.agents import supervisor
from loopwright.agents.process_guard import LeaseExpired, ProcessGuard, lease_clock
from loopwright.verify.process_groups import processes_with_variable
from tests.e2e.waiting import until
from tests.support.runner import (
    IGNORING_SIGNALS,
    Runner,
    Turn,
    alive,
    command,
    read_when_complete,
    start_checked_loop,
    wait_until_gone,
)

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="no other system has a subreaper")

# A child in its group, one in a session of its own, and one whose parents have all ended.
FAMILY = f"""{IGNORING_SIGNALS}
child = subprocess.Popen(["sleep", "300"])
apart = subprocess.Popen(["sleep", "300"], start_new_session=True)
twice = "import os\\nif os.fork() == 0:\\n os.setsid()\\n if os.fork() == 0:\\n  print(os.getpid(), flush=True)\\n  os.execvp('sleep', ['sleep', '300'])"
daemon = subprocess.Popen([sys.executable, "-I", "-S", "-c", twice], stdout=subprocess.PIPE)
print(os.getpid(), child.pid, apart.pid, int(daemon.stdout.readline()), file=open(PIDS, "w"), flush=True)
time.sleep(300)
"""
HOLDER = """
import sys
from loopwright.agents.process_guard import ProcessGuard, lease_clock
guard = ProcessGuard()
process = guard.start(("/bin/sh", "-c", "sleep 301 & setsid sleep 301 & wait"), "/", {})
print(process.pid, flush=True)
for line in sys.stdin:
    guard.renew(lease_clock() + float(line))
    print("renewed", flush=True)
"""


@pytest.fixture
def guard() -> Iterator[ProcessGuard]:
    made = ProcessGuard()
    yield made
    made.end_all()


class LeaseHolder:
    """A runner as a process, with an agent and its children."""

    def __init__(self) -> None:
        argv, pipe = [sys.executable, "-c", HOLDER], subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        assert self.process.stdout
        self.group = int(self.process.stdout.readline())
        until(lambda: len(members(self.group)) == 3, lambda: "the children never came")

    def renew(self, seconds: float) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{seconds}\n")
        assert self.process.stdout.readline() == "renewed\n"


@pytest.fixture
def holder() -> Iterator[LeaseHolder]:
    made = LeaseHolder()
    yield made
    made.process.kill()
    made.process.communicate()


def members(group: int) -> list[int]:
    """The processes below the supervisor of this group."""
    return supervisor.descendants(parent_of(group))


def parent_of(pid: int) -> int:
    text = Path(f"/proc/{pid}/stat").read_text()
    return int(text.rpartition(")")[2].split()[1])


def test_killed_in_mid_turn_a_runner_takes_all_along_that_its_agent_started(
    project, tmp_path: Path
) -> None:
    here, pids = start_checked_loop(project), tmp_path / "pids"
    with Runner(here, *command(here, f"PIDS = {str(pids)!r}\n{FAMILY}")) as runner:
        family = [int(pid) for pid in read_when_complete(pids).split()]
        assert all(map(alive, family))
        runner.kill()

    assert wait_until_gone(*family)


@linux_only
def test_a_frozen_runner_loses_all_that_it_started_when_its_lease_ends(
    holder: LeaseHolder,
) -> None:
    family = members(holder.group)
    holder.renew(0.5)
    holder.process.send_signal(signal.SIGSTOP)

    assert wait_until_gone(*family)
    assert holder.process.poll() is None


@linux_only
def test_a_lease_that_is_renewed_is_kept(holder: LeaseHolder) -> None:
    holder.renew(2.0)
    holder.renew(600.0)
    time.sleep(2.2)

    assert len(members(holder.group)) == 3


def test_after_its_lease_nothing_is_started(guard: ProcessGuard, tmp_path: Path) -> None:
    guard.renew(lease_clock() - 1.0)
    process = guard.start(("/bin/sh", "-c", "echo > begun"), str(tmp_path), {})

    assert process.is_expired
    assert process.end(0.0) == -signal.SIGKILL
    assert not (tmp_path / "begun").exists()


def test_a_turn_whose_lease_ends_is_no_turn(tmp_path: Path) -> None:
    one = Turn(tmp_path, "time.sleep(60)")
    one.guard.renew(lease_clock() + 1.0)
    with pytest.raises(LeaseExpired):
        one.take()


@linux_only
def test_an_agent_ends_with_its_supervisor(guard: ProcessGuard) -> None:
    process = guard.start(("/bin/sleep", "300"), "/", {})
    os.kill(parent_of(process.pid), signal.SIGKILL)

    assert wait_until_gone(process.pid)
    assert process.end(1.0) == -signal.SIGKILL


@linux_only
def test_orphans_are_reaped_while_the_agent_works(guard: ProcessGuard) -> None:
    """Each would keep a number of the system for as long as the turn takes."""
    line = "for n in 1 2 3 4 5; do (sh -c 'exit 0' &); done; exec sleep 300"
    process = guard.start(("/bin/sh", "-c", line), "/", {"PATH": os.environ["PATH"]})

    until(lambda: members(process.pid) == [process.pid], lambda: f"{members(process.pid)}")


def test_the_exit_code_is_that_of_the_process(guard: ProcessGuard) -> None:
    for line, code in (("exit 7", 7), ("kill -9 $$", -9), ("exit 0", 0)):
        process = guard.start(("/bin/sh", "-c", line), "/", {})
        until(process.has_exited, lambda: "it lives on")
        assert process.end(1.0, everything=False) == code


def test_what_cannot_be_started_is_an_error_with_its_reason(guard: ProcessGuard) -> None:
    with pytest.raises(FileNotFoundError, match="/nowhere/at/all"):
        guard.start(("/nowhere/at/all",), "/", {})
    with pytest.raises(OSError, match="Argument list too long"):
        guard.start(("/bin/sh", "-c", ":", "x" * 3_000_000), "/", {})


def test_words_and_variables_are_the_agents_alone(guard: ProcessGuard) -> None:
    process = guard.start(("/bin/sleep", "300.25"), "/", {"LOOP_CHILD": "guarded"})

    assert [pid for pid, _ in processes_with_variable("LOOP_CHILD=guarded")] == [process.pid]
    shown = Path(f"/proc/{parent_of(process.pid)}/cmdline").read_bytes()
    assert b"300.25" not in shown


def test_a_process_ends_with_its_group_also_where_python_has_no_waitid(
    guard: ProcessGuard, tmp_path: Path, monkeypatch
) -> None:
    """As on a Mac before Python 3.13."""
    old = tmp_path / "old.py"
    old.write_text(
        f"import os, runpy\ndel os.waitid\nrunpy.run_path({supervisor.__file__!r}, {{}}, '__main__')"
    )
    monkeypatch.setattr(supervisor, "__file__", str(old))
    line = "sleep 300 & echo $!; exit 7"
    process = guard.start(("/bin/sh", "-c", line), "/", os.environ, stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as out:
        child = int(out.readline())
    until(process.has_exited, lambda: "it lives on")
    assert alive(child)
    assert process.end(1.0, everything=False) == 7
    assert wait_until_gone(child)
