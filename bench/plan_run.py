"""Time a whole run of four tasks in four lanes: agents, checks, verification, clean checkout.

The ideal has nothing but the agents and the checks: each step takes as long as its longest part,
and the steps that must follow each other do. A check that fails at first takes just as long.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS = 4
TASKS = ("01", "02", "03", "04")
STEPS = (
    "checks tried in a lane",
    "agents",
    "checks of the tasks",
    "verification",
    "clean checkout",
)
TASK = """<task id="{0}" wave="1">
  <files>
    <file action="create">{0}.txt</file>
  </files>
  <action>
    Write {0}.txt.
  </action>
  <verify>
    <check type="test" cmd="sleep {1}; test -f {0}.txt">{0}.txt is there</check>
  </verify>
  <done>it is there</done>
</task>
"""


def measure_run(source: Path) -> dict[str, Any]:
    """Seconds of the whole run, when each step was over, and what would be ideal."""
    with tempfile.TemporaryDirectory(prefix="loopwright-bench-") as folder:
        base = Path(os.path.realpath(folder))
        world = _World(base, source)
        world.loop("start", "--plan", "PLAN.md", "--yes")
        world.loop("allow", "--yes")
        world.loop("cancel")
        # Now the start may run the checks, so the clean checkout is calibrated.
        world.loop("start", "--plan", "PLAN.md", "--yes")
        began = time.time()
        words = ("--script", str(base / "script.json"), "--parallel", "--max-parallel", "4")
        said = world.loop("run", *words)
        seconds = time.time() - began
        marks = _marks(base / "project", began)
    if "passed in a clean checkout" not in said:
        raise SystemExit(f"the run was not proven in a clean checkout:\n{said}")
    ideal = SECONDS * len(STEPS)
    return {"seconds": seconds, "ideal": ideal, "ratio": seconds / ideal, "marks": marks}


class _World:
    """A repository with the plan, and a command line with a home of its own."""

    def __init__(self, base: Path, source: Path) -> None:
        self.root = base / "project"
        (base / "home").mkdir()
        self.root.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(base / "home"),
            "XDG_STATE_HOME": str(base / "state"),
            "PYTHONPATH": str(source),
            "PYTHONPYCACHEPREFIX": str(base / "bytecode"),
        }
        compile_all = [sys.executable, "-m", "compileall", "-q", str(source / "loopwright")]
        subprocess.run(compile_all, env=self.environment, check=True)
        plan = "---\nphase: 1\ntitle: Four files\n---\n\n# Four files\n\n## Wave 1\n\n"
        plan += "\n".join(TASK.format(name, SECONDS) for name in TASKS)
        (self.root / "PLAN.md").write_text(plan)
        turns = [
            {
                "when": [f'<task id="{name}"'],
                "run": [f"sleep {SECONDS}"],
                "write": {f"{name}.txt": "written\n"},
                "say": f"TASK COMPLETE: {name}",
            }
            for name in TASKS
        ]
        (base / "script.json").write_text(json.dumps({"turns": turns}))
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        for line in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "the plan")):
            subprocess.run(["git", "-C", str(self.root), *line], check=True, env=self.environment)

    def loop(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "loopwright", *words],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr


def _marks(root: Path, began: float) -> dict[str, float]:
    """When the first agent began, all tasks had landed, and the loop had ended."""
    journals = sorted(root.glob(".loop/history/*/journal.jsonl"))
    marks: dict[str, float] = {}
    for line in journals[-1].read_text().splitlines():
        move = json.loads(line)
        for event in move["events"]:
            at = move["at"] - began
            if event["is"] == "LaneStarted":
                marks.setdefault("the first agent begins", at)
            elif event["is"] == "TaskFinished":
                marks["the last task has landed and the plan is verified"] = at
            elif event["is"] == "LoopFinished":
                marks["the clean checkout has proven it"] = at
    return marks


def as_markdown(facts: dict[str, Any]) -> str:
    """The run in words."""
    steps = ", ".join(STEPS)
    moments = "; ".join(f"{what} after {at:.1f} s" for what, at in facts["marks"].items())
    return (
        f"- {len(TASKS)} tasks of {SECONDS} s agent and {SECONDS} s check in {len(TASKS)} lanes: "
        f"{facts['seconds']:.1f} s for the whole run. Ideal {facts['ideal']} s, {SECONDS} s for "
        f"each step that must follow the one before ({steps}): {facts['ratio']:.2f} times as long\n"
        f"- {moments}"
    )
