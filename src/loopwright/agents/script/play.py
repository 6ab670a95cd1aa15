"""One turn of a script, played as a process of its own: python -I play.py SCRIPT.json TURN, the prompt on stdin.

A script is {"turns": [{"write": {PATH: TEXT}, "run": [COMMAND, ...], "say": TEXT, "dollars": N, "seconds": N}, ...]}.
A turn with "when": TEXT, or a list of texts, is played where the prompt holds them all, the first such turn first; the others
are played in their order, and past their end the last one again.
A turn may also be {"fail": TEXT}, as an API fails, with "limit": SECONDS for a usage limit that is reset so much later; or
{"exit": CODE} without a word.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any


def main(script: str, number: int) -> None:
    with open(script, encoding="utf-8") as file:
        turns = json.load(file)["turns"]
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    turn = choose_turn(turns, prompt, number)
    time.sleep(turn.get("seconds", 0))
    for path, text in turn.get("write", {}).items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print_event(type="tool", tool="write", key=path, error="")
    for command in turn.get("run", []):
        done = subprocess.run(
            command,
            shell=True,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )  # noqa: S602
        error = (
            f"Exit code {done.returncode}\n{done.stdout}{done.stderr}"[:500]
            if done.returncode
            else ""
        )
        print_event(type="tool", tool="run", key=command, error=error)
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


def choose_turn(turns: list[dict[str, Any]], prompt: str, number: int) -> dict[str, Any]:
    for turn in turns:
        texts = turn.get("when", [])
        if texts and all(text in prompt for text in ([texts] if isinstance(texts, str) else texts)):
            return turn
    others = [turn for turn in turns if "when" not in turn]
    return others[min(number, len(others)) - 1]


def print_event(**event: object) -> None:
    print(json.dumps(event), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
