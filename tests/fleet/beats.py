"""Agents that can be seen at work: they, and children in sessions of their own, write the time.

Each attempt at a job works in a checkout of its own, so the folder of a beat says which attempt it
belongs to. Two attempts whose beats overlap are two agents on one job.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.fleet.jobs import Job
from tests.fleet.night import DONE, TURN_DOLLARS, FleetNight

BEAT = """import os, sys, time
while True:
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getcwd()} {time.monotonic()}\\n")
    time.sleep(0.05)
"""
# What differs between the leases of a test and those of a night. Workers alone read it.
SHORT_LEASES = """import sys
if "worker" in sys.orig_argv:
    import loopwright.fleet.liveness as liveness
    liveness.AGENT_SECONDS, liveness.LEASE_SECONDS = {agents}, {lease}
"""
SOURCE = Path(__file__).parents[2] / "src"


def submit_beating(night: FleetNight, count: int, first: float, later: float) -> dict[str, Path]:
    """Jobs of one turn that takes so long at the first attempt, and so long later."""
    program = night.folder / "beat.py"
    program.write_text(BEAT)
    beats: dict[str, Path] = {}
    for _ in range(count):
        path = night.folder / f"beats-{time.monotonic_ns()}"
        beat = f"{sys.executable} -I -S {program} {path} </dev/null >/dev/null 2>&1 &"
        run = [
            f"{beat} setsid {beat}",
            f"if mkdir {path}.begun; then sleep {first}; else sleep {later}; fi",
            "echo line >> done.txt",
        ]
        turn = {"run": run, "say": DONE, "each": 0.01, "dollars": TURN_DOLLARS}
        script = json.dumps({"turns": [turn]})
        (job_id,) = night.submit(1, turns=1, files={"script.json": script})
        beats[job_id] = path
    return beats


def attempts(path: Path) -> list[tuple[float, float]]:
    """The first and the last beat of each attempt, in their order."""
    found: dict[str, list[float]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        folder, moment = line.split()
        found.setdefault(folder, []).append(float(moment))
    return sorted((min(moments), max(moments)) for moments in found.values())


def is_at_work(job: Job, path: Path) -> bool:
    """Has the agent of the attempt that holds the job now begun?"""
    return path.exists() and f"{job.id}-{job.fence}/" in path.read_text()


def overlaps(beats: dict[str, Path]) -> list[str]:
    """The jobs that two agents worked on at the same time, and for how long."""
    problems = []
    for job_id, path in beats.items():
        rows = attempts(path)
        for (_, ended), (began, _) in itertools.pairwise(rows):
            if ended > began:
                problems.append(f"{job_id}: two agents for {ended - began:.2f} s")
    return problems


def is_beating(path: Path, seconds: float = 0.5) -> bool:
    """Does anything of this job still write?"""
    before = path.stat().st_size
    time.sleep(seconds)
    return path.stat().st_size > before


def on_host(name: str) -> Callable[[list[str]], list[str]]:
    """A command line as one that runs on a host of this name."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed: apt install util-linux")
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    named = ["unshare", *user, "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', name]
    return lambda words: [*named, *words]


def start_on(
    night: FleetNight, host: str, slots: int = 1, leases: tuple[float, float] | None = None
) -> subprocess.Popen[bytes]:
    env = {}
    if leases:
        site = night.folder / "leases"
        site.mkdir(exist_ok=True)
        text = SHORT_LEASES.format(agents=leases[0], lease=leases[1])
        (site / "sitecustomize.py").write_text(text)
        env["PYTHONPATH"] = os.pathsep.join([str(site), str(SOURCE)])
    root = str(night.folder / host)
    return night.start_worker("--root", root, slots=slots, env=env, prefix=on_host(host))
