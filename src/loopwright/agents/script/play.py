"""Plays one turn of a script: python -I play.py SCRIPT.json TURN, with the prompt on stdin.

A script is {"turns": [{"write": {PATH: TEXT}, "run": [COMMAND, ...], "say": TEXT, "dollars": N,
"seconds": N}, ...]}. "each": N is the cost in dollars of each tool call.

A turn with "when": TEXT, or a list of texts, is played when the prompt contains all of them; the
first such turn wins. The other turns are played in their order, and the last one is repeated.

A turn may also be {"fail": TEXT}, as when an API fails, with "limit": SECONDS for a usage limit
that is reset after that time; or {"exit": CODE}, which prints nothing.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

WORDS = {"when", "write", "run", "say", "dollars", "seconds", "each", "fail", "limit", "exit"}


def main(script: str, number: int) -> None:
    with open(script, encoding="utf-8") as file:
        turns = json.load(file)["turns"]
    if unknown := sorted({word for turn in turns for word in turn} - WORDS):
        sys.exit(f"{script}: a turn has no {', '.join(unknown)}, but: {', '.join(sorted(WORDS))}")
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    turn = choose_turn(turns, prompt, number)
    each = turn.get("each", 0.0)
    time.sleep(turn.get("seconds", 0))
    for path, text in turn.get("write", {}).items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print_event(type="tool", tool="write", key=path, error="", dollars=each)
    for command in turn.get("run", []):
        code, printed = run_command(command)
        error = f"Exit code {code}\n{printed}"[:500] if code else ""
        print_event(
            type="tool", tool="run", key=command, error=error, result=printed[:500], dollars=each
        )
    if "exit" in turn:
        sys.exit(turn["exit"])
    if "fail" in turn:
        print_event(
            type="failure",
            text=turn["fail"],
            limited="limit" in turn,
            until=time.time() + turn.get("limit", 0),
        )
        sys.exit(1)
    print_event(type="text", text=turn.get("say", ""), dollars=turn.get("dollars", 0.0))


def run_command(command: str) -> tuple[int, str]:
    """The exit code of the command, and what it printed."""
    done = subprocess.run(  # noqa: S602 - a shell line of the script
        command,
        shell=True,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.returncode, f"{done.stdout}{done.stderr}"


def choose_turn(turns: list[dict[str, Any]], prompt: str, number: int) -> dict[str, Any]:
    for turn in turns:
        texts = turn.get("when", [])
        if isinstance(texts, str):
            texts = [texts]
        if texts and all(text in prompt for text in texts):
            return turn
    others = [turn for turn in turns if "when" not in turn]
    return others[min(number, len(others)) - 1]


def print_event(**event: object) -> None:
    print(json.dumps(event), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
