"""A PreToolUse hook: a task of a plan may write its own files, and new ones that no task names.

Run: python -I -S write_scope_hook.py FILE

Any error here lets the call through: the diff is checked again when the turn is over.
"""

import json
import os
import subprocess
import sys
from typing import Any


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        scope = json.load(file)
    tool_input = json.load(sys.stdin).get("tool_input", {})
    target = tool_input.get("file_path") or tool_input.get("notebook_path") or ""
    reason = refusal_reason(scope, target)
    if reason:
        answer = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
        print(json.dumps({"hookSpecificOutput": answer}))


def refusal_reason(scope: dict[str, Any], target: str) -> str:
    """Why the task may not write this file; "" when it may, or when it is outside the checkout."""
    root = os.path.realpath(scope["root"])
    path = os.path.realpath(os.path.join(root, target))
    name = os.path.relpath(path, root).replace(os.sep, "/")
    if not target or name.startswith("../") or name in scope["own"]:
        return ""
    task, own_files = scope["task"], ", ".join(scope["own"])
    if name in scope["others"]:
        return f"{name} belongs to another task of the plan. Task {task} may write: {own_files}"
    if scope["own"] and is_tracked(root, name):
        return f"{name} is not among the files of task {task}: {own_files}. New files are fine"
    return ""


def is_tracked(root: str, name: str) -> bool:
    git = ["git", "-C", root, "-c", "core.fsmonitor=false"]
    argv = [*git, "ls-files", "--error-unmatch", "--", f":(top,literal){name}"]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception:  # never block the agent because of our own error
        sys.exit(0)
