"""kill -9 at any moment: the journal reads, and nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import subprocess
import sys
import time

from loopwright.store import journal
from tests.support.builders import a_loop_without_checks
from tests.torture.size import size

LIVES = size(commit=10, long=30)

COMMITTER = """
import sys, time
from loopwright.core.signals import Ordered
from loopwright.drive.step import step
from loopwright.store.folder import LoopFolder
folder, life = LoopFolder(sys.argv[1]), sys.argv[2]
for n in range(100_000):
    step(folder, Ordered(time.time(), "refused", by="agent", reason=f"{life}-{n}" + "x" * 3000))
    sys.stdout.write(f"{life}-{n}\\n"); sys.stdout.flush()
"""


def test_killed_again_and_again_it_loses_nothing_that_was_acknowledged(project) -> None:
    here, chance = project(git=False), random.Random(4)
    here.create(a_loop_without_checks("docs read well"))
    acknowledged: list[str] = []
    for life in range(LIVES):
        argv = [sys.executable, "-S", "-c", COMMITTER, str(here.root), str(life)]
        env = {
            "PYTHONPATH": ":".join(path for path in sys.path if path.endswith("src")),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        victim = subprocess.Popen(argv, stdout=subprocess.PIPE, env={**_state(), **env}, text=True)
        assert victim.stdout is not None
        first = victim.stdout.readline()  # it lives and has committed at least once
        time.sleep(chance.random() * 0.03)
        victim.kill()
        acknowledged += [first.strip(), *victim.stdout.read().split()]
        victim.wait()
        victim.stdout.close()
        journal.read(here.folder.journal_path)

    told = [event["order"].rstrip("x") for event in here.events("OrderRefused")]
    assert set(acknowledged) <= set(told)
    assert len(told) == len(set(told)), "nothing is written twice"
    assert len(told) <= len(acknowledged) + LIVES, "at most one unacknowledged event a life"
    assert here.loop.status == "running"
    assert here.state["spec"] == here.loop.spec


def _state() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("HOME", "XDG_STATE_HOME", "PATH")}
