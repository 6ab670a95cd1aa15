"""What a sandbox costs: an iteration of `loop run` whose turn takes one second, inside and outside.

    python bench/sandbox.py [PAIRS]

Prints the seconds of an iteration (the turn, its check and the journal) without and with bubblewrap,
the difference, and what the probe costs once for each run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

TURNS = 5
TARGET = 5.0  # percent of an iteration
LOOP = (sys.executable, "-m", "loopwright.cli.main")


def main(pairs: int) -> int:
    with tempfile.TemporaryDirectory(prefix="loop-bench-") as name:
        seconds: dict[str, list[float]] = {"off": [], "bwrap": []}
        begins: dict[str, list[float]] = {"off": [], "bwrap": []}
        for number in range(pairs):
            for sandbox in seconds:  # alternately, so that a busy machine is unfair to none
                iteration, begin = measure(Path(name, f"{number}-{sandbox}"), sandbox)
                seconds[sandbox].append(iteration)
                begins[sandbox].append(begin)
    outside, inside = (statistics.median(seconds[name]) for name in ("off", "bwrap"))
    share = 100 * (inside - outside) / outside
    probe = statistics.median(begins["bwrap"]) - statistics.median(begins["off"])
    print(f"{'without':>22} {outside:7.3f} s an iteration, its turn takes one second")
    print(f"{'in bubblewrap':>22} {inside:7.3f} s")
    print(f"{'overhead':>22} {share:6.1f} % (target: at most {TARGET:g} %)")
    print(f"{'probe and start':>22} {1000 * probe:5.0f} ms more, once a run")
    return 0 if share <= TARGET else 1


def measure(folder: Path, sandbox: str) -> tuple[float, float]:
    """The median seconds of an iteration, and those before the first turn."""
    project = folder / "project"
    project.mkdir(parents=True)
    home = folder / "home"
    home.mkdir()
    turn = {"seconds": 1, "run": ["date +%N > changed.txt"], "say": "more to do"}
    (folder / "script.json").write_text(json.dumps({"turns": [turn]}))
    env = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    env["LOOP_SANDBOX"] = sandbox
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    start = ("start", "fix it", "--score", "9", "--yes", "--check", "done=test -e done.txt")
    limit = (*start, "--iterations", str(TURNS))
    subprocess.run([*LOOP, *limit], cwd=project, env=env, stdout=subprocess.DEVNULL, check=True)
    began = time.time()
    run = [*LOOP, "run", "--script", str(folder / "script.json"), "--json"]
    subprocess.run(run, cwd=project, env=env, stdout=subprocess.DEVNULL, check=False)
    lines = (project / ".loop/journal.jsonl").read_text().splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    starts = [event["at"] for event in events if event["is"] == "TurnStarted"]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    return statistics.median(gaps), starts[0] - began


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
