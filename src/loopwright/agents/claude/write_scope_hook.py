"""A PreToolUse hook: a task of a plan may write its own files, and new ones that no task names. Run: python -I -S write_scope_hook.py FILE

Whatever goes wrong here lets the call through: the diff is looked at again when the turn is over.
"""

import json
import os
import subprocess
import sys
from typing import Any


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        fence = json.load(file)
    asked = json.load(sys.stdin).get("tool_input", {})
    target = asked.get("file_path") or asked.get("notebook_path") or ""
    if why := refusal_reason(fence, target):
        answer = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": why,
        }
        print(json.dumps({"hookSpecificOutput": answer}))


def refusal_reason(fence: dict[str, Any], target: str) -> str:
    """Why this file is not the task's to write; "" where it is, or where it lies outside the checkout."""
    root = os.path.realpath(fence["root"])
    name = os.path.relpath(os.path.realpath(os.path.join(root, target)), root).replace(os.sep, "/")
    if not target or name.startswith("../") or name in fence["own"]:
        return ""
    if name in fence["others"]:
        return f"{name} belongs to another task of the plan. Task {fence['task']} may write: {', '.join(fence['own'])}"
    if fence["own"] and is_tracked(root, name):
        return f"{name} is not among the files of task {fence['task']}: {', '.join(fence['own'])}. New files are fine"
    return ""


def is_tracked(root: str, name: str) -> bool:
    argv = [
        "git",
        "-C",
        root,
        "-c",
        "core.fsmonitor=false",
        "ls-files",
        "--error-unmatch",
        "--",
        f":(top,literal){name}",
    ]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception:  # never in the way
        sys.exit(0)
