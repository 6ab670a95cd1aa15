"""A hook that is stopped in the middle of its work: the next one does not wait, and its late result does not count."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.disk import lock
from tests.support.hook import HOOK_SCRIPT, SESSION, block, client_stdin, stop, stop_event
from tests.support.project import Project

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

NAME = "it works"
DONE = block({NAME: True}, exit=True)


def check_that_waits(name: str, end: str) -> str:
    """It says that it has begun, waits for a word of the test, and ends with this command."""
    return f"[ ! -e {name}.slow ] || {{ : > {name}.in; until [ -e {name}.out ]; do sleep 0.02; done; }}; {end}"


def wait_for(path: Path) -> None:
    for _ in range(1500):
        if path.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} did not appear")


@contextmanager
def frozen_hook(here: Project, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Stop whose hook is stopped while it runs the check; it is continued at the end of the block."""
    (here.root / f"{name}.slow").touch()
    with client_stdin(json.dumps(stop_event(here, DONE)).encode()) as stdin:
        argv = (sys.executable, "-I", "-S", HOOK_SCRIPT, "claude")
        hook = subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE, cwd="/")
        try:
            wait_for(here.root / f"{name}.in")
            hook.send_signal(signal.SIGSTOP)
            (here.root / f"{name}.slow").unlink()
            yield hook
        finally:
            (here.root / f"{name}.out").touch()
            hook.send_signal(signal.SIGCONT)
            hook.communicate(timeout=600)


def start(here: Project, name: str, end: str) -> None:
    here.write({".gitignore": "*.in\n*.out\n*.slow\n"})
    here.start("--check", f"{NAME}={check_that_waits(name, end)}", "--session", SESSION)


def test_a_stopped_hook_is_not_waited_for_and_its_late_result_is_dropped(project) -> None:
    here = project()
    start(here, "first", "false")
    here.write({"readme.md": "work\n"})

    with frozen_hook(here, "first"):
        answer = stop(here, DONE)  # a hook that waited would not answer within the test's minute
        assert answer.prompt.startswith(f"unmet criteria: {NAME}")
        counted = here.loop.spend.iterations

    dropped = [event["why"] for event in here.events("CheckResultDropped")]
    assert dropped == ["another round has begun"]
    assert (here.loop.status, here.loop.spend.iterations) == ("running", counted)


def test_the_result_of_a_loop_that_has_ended_does_not_reach_the_next_one(project) -> None:
    here = project()
    start(here, "first", "true")
    here.write({"readme.md": "work\n"})

    with frozen_hook(here, "first") as old:
        assert here.run("cancel").code == 0
        start(here, "second", "false")
        here.write({"readme.md": "more work\n"})
        with frozen_hook(here, "second"):
            assert here.loop.check_round is not None
            before = len(here.events())
            (here.root / "first.out").touch()
            old.send_signal(signal.SIGCONT)
            old.wait(timeout=600)
            assert here.events()[before:] == []
    assert here.loop.status == "running"
    assert not here.loop.criteria[0].proof.passed


def test_a_holder_that_shows_signs_of_life_is_waited_for_and_a_silent_one_is_not(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(lock, "BEAT_SECONDS", 0.05)
    path = str(tmp_path / "lock")
    holder = lock.HeartbeatLock(path, 1.0)
    holder.__enter__()
    threading.Timer(2.5, holder.release).start()
    with lock.HeartbeatLock(path, 1.0):  # FolderBusy after one second, if it were silent
        pass

    with lock.FileLock(path, 1.0), pytest.raises(lock.FolderBusy):
        lock.HeartbeatLock(path, 0.1).__enter__()
