"""Dollars that each kind of useless agent costs until `loop run` stops it, with default settings.

python bench/waste.py [AGENT...] [--json]

Each call of an agent costs $0.50. Only the check of the loop is ours: a test that counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CALL = 0.5
CLAIM = '---LOOP_STATUS---\nEXIT_SIGNAL: true\nCRITERIA: {"tests pass": true}\nNEXT: -\n---END_STATUS---'
WORKS = {"run": ["date +%N >> work.txt"], "dollars": CALL}
# A call takes a moment, as a model call before it does.
FAILING = "sleep 0.3; echo 'connection to the database refused'; exit 1"
# Name: the turns, the most that they may cost, and the pause or end that is right.
AGENTS: dict[str, tuple[list[dict[str, Any]], float, str]] = {
    "idle": ([{"say": "Let me think.", "dollars": CALL}], 1.5, "idle"),
    "idle liar": ([{"say": CLAIM, "dollars": CALL}], 1.5, "idle"),
    "busy liar": ([{**WORKS, "say": CLAIM}], 3.0, "stuck"),
    "stuck": ([{**WORKS, "say": "I look into it."}], 3.0, "stuck"),
    "finished but silent": (
        [
            {"write": {"done.txt": "x"}, "say": "Here it is.", "dollars": CALL},
            {"say": "Anything else?", "dollars": CALL},
        ],
        1.0,
        "finished",
    ),
    "polishing after the end": (
        [
            {"write": {"done.txt": "x"}, "say": "Here it is.", "dollars": CALL},
            {**WORKS, "say": "A little nicer still."},
        ],
        1.0,
        "finished",
    ),
    "calls that differ in one argument": (
        [
            {
                "run": [f"sleep 0.3; echo not yet # {n}" for n in range(62)],
                "each": CALL,
                "say": "Nothing.",
            }
        ],
        5.0,
        "turn",
    ),
    "the same successful read": (
        [{"run": ["sleep 0.3; ls -a"] * 62, "each": CALL, "say": "I have read it."}],
        5.0,
        "turn",
    ),
    "polling": (
        [{"run": ["sleep 0.3; echo in progress"] * 62, "each": CALL, "say": "It still runs."}],
        5.0,
        "turn",
    ),
    "repeated failing call in one turn": (
        [{"run": [FAILING] * 62, "each": CALL, "say": "It does not work."}],
        2.0,
        "same-error",
    ),
}
CHECK = "tests pass=test -e done.txt || { echo '1 failed, 3 passed'; exit 1; }"


def measure(name: str, base: Path) -> dict[str, Any]:
    """Start a loop, run the agent, and read what it cost and how it ended."""
    turns, most, right = AGENTS[name]
    root = base / name.replace(" ", "-")
    root.mkdir()
    env = {
        **{key: value for key, value in os.environ.items() if not key.startswith("CLAUDE")},
        "HOME": str(base),
        "XDG_STATE_HOME": str(base / "state"),
        "PYTHONPATH": str(HERE.parent / "src"),
    }
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "start"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    script = base / f"{root.name}.json"
    script.write_text(json.dumps({"turns": turns}), encoding="utf-8")

    argv = [sys.executable, "-m", "loopwright.cli.main", "run", "fix the failing tests", "--json"]
    argv += ["--check", CHECK, "--script", str(script)]
    said = subprocess.run(argv, cwd=root, env=env, capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    if not events or events[-1]["event"] != "end":
        raise SystemExit(f"{name}: it did not end: {said.stdout[-500:]} {said.stderr[-500:]}")
    loop = events[-1]["loop"]
    return {
        "dollars": loop["dollars"],
        "most": most,
        "turns": loop["iterations"],
        "ended": loop["cause"] or loop["status"],
        "right": right,
    }


def is_fine(row: dict[str, Any]) -> bool:
    return bool(row["dollars"] <= row["most"] and row["ended"] == row["right"])


def as_markdown(rows: dict[str, dict[str, Any]]) -> str:
    lines = ["| agent | dollars | target | turns | ended by | |", "|---|--:|--:|--:|---|---|"]
    for name, row in rows.items():
        lines.append(
            f"| {name} | {row['dollars']:.2f} | {row['most']:.2f} | {row['turns']} | {row['ended']} | "
            f"{'ok' if is_fine(row) else 'MISSED'} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", help="names; all of them without one")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loop-waste-") as base:
        rows = {name: measure(name, Path(base)) for name in args.agents or AGENTS}
    print(json.dumps(rows, indent=2) if args.json else as_markdown(rows))
    return 0 if all(map(is_fine, rows.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
