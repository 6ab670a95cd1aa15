"""Eight processes tell one loop what happened, as fast as they can, through the real step and store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from loopwright.core.limits import Limits
from loopwright.disk.lock import FileLock
from loopwright.store import chain
from tests.support.builders import SESSION, a_loop_without_checks
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.size import size

PROCESSES, ENDLESS = 8, Limits(*[10**9] * len(Limits.FIELDS))
# A signal that met a busy folder was not heard, so it is told again; one that was acknowledged is in the journal.
TELLER = """
import random, sys, time
from loopwright.core.signals import Ordered, TurnOver
from loopwright.drive.step import step
from loopwright.disk.lock import FolderBusy
from loopwright.store.folder import LoopFolder
folder, seed, session = LoopFolder(sys.argv[1]), sys.argv[2], sys.argv[4]
chance = random.Random(int(seed))
for n in range(int(sys.argv[3])):
    word = chance.choice(("turn", f"{seed}-{n}"))
    while True:
        at = time.time()
        try:
            step(folder, TurnOver(at, session, tool_calls=1) if word == "turn" else Ordered(at, "refused", by="agent", reason=word))
            break
        except FolderBusy:
            print("busy", flush=True)
    print(word, flush=True)
"""


def test_eight_processes_at_once_lose_nothing(
    project: Callable[..., Project], figure: Figure
) -> None:
    here, each = project(git=False), size(commit=20, long=1000)
    here.create(a_loop_without_checks("docs read well", limits=ENDLESS))
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("src")),
    }
    argv = [
        [sys.executable, "-S", "-c", TELLER, str(here.root), str(seed), str(each), SESSION]
        for seed in range(PROCESSES)
    ]
    with ThreadPoolExecutor(PROCESSES) as pool:
        said = list(
            pool.map(
                lambda words: subprocess.run(
                    words, env=env, capture_output=True, text=True, timeout=1800
                ),
                argv,
            )
        )
    bad = [
        f"process {seed} died: {one.stderr[-500:]}"
        for seed, one in enumerate(said)
        if one.returncode
    ]
    heard = Counter(word for one in said for word in one.stdout.split())
    busy, turns = heard.pop("busy", 0), heard.pop("turn", 0)

    told = Counter(event["order"] for event in here.events("OrderRefused"))
    odd = [word for word in {*heard, *told} if not heard[word] == told[word] == 1]
    bad += [
        f"{word} was acknowledged {heard[word]} times and written {told[word]} times"
        for word in odd
    ]
    counted = {
        turns,
        len(here.events("TurnEnded")),
        here.loop.spend.iterations,
        here.state["iteration"] - 1,
    }
    if len(counted) > 1 or turns + len(heard) != PROCESSES * each:
        bad.append(
            f"{turns} turns and {len(heard)} orders were acknowledged; turns by journal, loop and mirror: {counted}"
        )
    bad += chain.chain_errors(here.folder.journal_path)
    bad += [
        f"left behind: {name}" for name in os.listdir(here.folder.path) if name.endswith(".tmp")
    ]
    with FileLock(here.folder.path_of("lock"), timeout_seconds=1.0):
        figure(
            "concurrency",
            of=PROCESSES * each,
            bad=bad,
            note=f"{PROCESSES} × {each} signals, {busy} waits over 5 s",
        )
