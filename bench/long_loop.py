"""Measure `loop why` and `loop report` on loops of 10 and of 10,000 iterations.

python bench/long_loop.py [--rounds N] [--iterations N]

The journal is real turns of a scripted agent, repeated. It asserts no time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("why", "report")
TURN = {"run": ["date +%N >> n.txt"], "say": "worked", "dollars": 0.1}


def start_project(place: Path, env: dict[str, str]) -> Path:
    """A project with a loop that has worked for three iterations."""
    project = place / "project"
    project.mkdir()
    (project / "readme.md").write_text("x\n")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=project, env=env, check=True)
    (place / "script.json").write_text(json.dumps({"turns": [TURN]}))
    check = ("--check", "done=test -e done.txt", "--iterations", "3", "--score", "9", "--yes")
    run_loop(project, env, "start", "fix readme.md", *check)
    run_loop(project, env, "run", "--script", str(place / "script.json"))
    return project


def run_loop(project: Path, env: dict[str, str], *words: str) -> None:
    argv = [sys.executable, "-m", "loopwright", *words]
    subprocess.run(argv, cwd=project, env=env, capture_output=True, check=False)


def repeat_last_turn(project: Path, times: int) -> None:
    """Append the turn before the last one so many times, as a valid journal."""
    from loopwright.core.record import digest
    from loopwright.store import journal, journal_moves
    from loopwright.store.folder import LoopFolder

    folder = LoopFolder(str(project))
    moves = list(journal_moves.events_by_move(folder.journal_path))
    starts = [at for at, move in enumerate(moves) if type(move[0]).__name__ == "TurnStarted"]
    turn = moves[starts[-2] : starts[-1]]
    tail = journal.read(folder.journal_path)
    loop = tail.loop.but(status="running")
    with open(folder.journal_path, "ab") as file:
        for move in turn * times:
            for event in move:
                loop = event.apply(loop)
            data = journal.encode_move(tail, loop, move, "", 1.0, "")
            file.write(data)
            tail = tail.but(seq=tail.seq + 1, head=digest(data[:-1]))
    folder.write_note(loop.id, tail.head, tail.head)


def processor_seconds(project: Path, env: dict[str, str], command: str) -> float:
    """The processor time of one call: on a busy machine the time of the clock says nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_loop(project, env, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=10_000)
    options = parser.parse_args()
    print("| iterations | command | min s | median s |\n|--:|---|--:|--:|")
    for iterations in (10, options.iterations):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            own = {"HOME": name, "XDG_STATE_HOME": f"{name}/state", "XDG_CONFIG_HOME": f"{name}/c"}
            env = {**os.environ, **own, "PYTHONPATH": str(ROOT / "src")}
            os.environ.update(own)
            project = start_project(place, env)
            repeat_last_turn(project, iterations - 3)
            for command in COMMANDS:
                times = [processor_seconds(project, env, command) for _ in range(options.rounds)]
                print(
                    f"| {iterations} | `loop {command}` | {min(times):.2f} | {median(times):.2f} |"
                )


if __name__ == "__main__":
    main()
