"""Measure the time from an answer of the model to the client's next request, with and without us.

python bench/session.py [--rounds N]

Needs the real client (`make setup`); only the model is scripted. It asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.e2e.client import FREELY, find, launch  # noqa: E402
from tests.e2e.model import Model  # noqa: E402
from tests.e2e.plugin import OWN, WITH  # noqa: E402
from tests.e2e.turn import Turn, runs, says  # noqa: E402
from tests.support.hook import block  # noqa: E402
from tests.support.project import Project  # noqa: E402

TURNS = 12
THOUGHT = 0.2  # seconds
ECHO = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "go on"}}
SHELL = {
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": f"echo '{json.dumps(ECHO)}'", "timeout": 5}]}
        ]
    }
}
TOOL = "tool call, no plugin"
TOOL_PLUGIN = "tool call, plugin, no loop"
TOOL_LOOP = "tool call, plugin, active loop"
ECHOED = "stop, held by a one-line shell hook"
HELD = "stop, held by the loop"
CHECKED = "stop, held by the loop, which runs a check"
TALKED = "stop without a tool call, held by the loop"
Script = Callable[[int, dict], Turn]


def tool_turn(number: int, body: dict) -> Turn:
    return runs("true") if number <= TURNS else says("Done.")


def step_turn(number: int, body: dict) -> Turn:
    """An answer that finishes a step, so that no breaker trips; it takes time, as a model does."""
    return says(block({"x": False}, f"STEP_DONE: step {number}"), delay=THOUGHT)


def tool_then_step(number: int, body: dict) -> Turn:
    return runs("true") if number % 2 else step_turn(number, body)


def edit_then_step(number: int, body: dict) -> Turn:
    """Changes a file, so the check runs at every stop."""
    return runs(f"echo {number} > file") if number % 2 else step_turn(number, body)


CASES: dict[str, tuple[tuple[str, ...], Script, tuple[str, ...]]] = {
    TOOL: ((), tool_turn, ()),
    TOOL_PLUGIN: (WITH, tool_turn, ()),
    TOOL_LOOP: (WITH, tool_turn, ("--criterion", "x")),
    ECHOED: (("--settings", json.dumps(SHELL), "--max-turns", str(TURNS)), tool_then_step, ()),
    HELD: (WITH, tool_then_step, ("--criterion", "x")),
    CHECKED: (WITH, edit_then_step, ("--check", "x=false")),
    TALKED: (WITH, step_turn, ("--criterion", "x")),
}


def measure_gaps(client: Path, folder: Path, case: str) -> list[float]:
    """Milliseconds between an answer and the next request, without the first two."""
    args, script, loop = CASES[case]
    home = folder / "home"
    home.mkdir()
    os.environ |= {"HOME": str(home), "XDG_STATE_HOME": str(home / ".local/state")}
    project = Project(folder / "project", {"readme.md": "a project\n"})
    if loop:
        limits = ("--iterations", str(TURNS), "--yes", "--score", "9")
        assert project.run("start", "measure every gap of readme.md", *loop, *limits).code == 0
    # The client runs once, without a person: it may drive the free loop of the folder.
    variables = {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": str(TURNS), "LOOP_SESSION": "*"}
    with Model(script) as model:
        launch(
            client,
            "go",
            model,
            *args,
            FREELY,
            home=home,
            cwd=project.root,
            env={**OWN, **variables},
        ).wait()
    gaps = [
        (following.at - request.answered) * 1000
        for request, following in pairwise(model.lane())
        if bool(request.turn.tools) == case.startswith("tool")
    ]
    return gaps[2:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    client = find()
    if client is None:
        sys.exit("the client is not here; `make setup` installs it, or set LOOP_CLIENT")
    gaps: dict[str, list[float]] = {case: [] for case in CASES}
    for _ in range(rounds):
        for case in CASES:  # interleaved, so that a busy machine slows all cases alike
            with tempfile.TemporaryDirectory() as folder:
                gaps[case] += measure_gaps(client, Path(folder), case)
    version = subprocess.run(
        [client, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    print(f"{version}, {rounds} rounds\n")
    print("| answer to next request | n | quarter ms | median ms | three quarters ms |")
    print("|---|--:|--:|--:|--:|")
    for case, times in gaps.items():
        low, _, high = quantiles(times, n=4)
        print(f"| {case} | {len(times)} | {low:.0f} | {median(times):.0f} | {high:.0f} |")


if __name__ == "__main__":
    main()
