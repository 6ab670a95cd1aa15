"""Look for keys, tokens and passwords in what a lane would bring into main."""

from __future__ import annotations

import os

from ...core.prompts.task_failures import secret_text
from ...repo.git import git_output
from ...verify.redact import SECRET_PATTERNS, secret_values

MAX_DIFF = 5_000_000
DIFF_FLAGS = ("--no-ext-diff", "--no-textconv", "--no-renames", "-U0")


def secrets_problem(root: str, commit: str) -> str:
    """Why the commit must not land: it adds what looks like a secret; "" if it does not."""
    diff = git_output(root, "diff", *DIFF_FLAGS, f"{commit}^", commit)[:MAX_DIFF]
    authors = {value for name, value in os.environ.items() if "AUTHOR" in name}
    values = [value for value in secret_values() if value not in authors]
    file, found = "", dict[str, None]()
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            file = line[6:]
        elif line.startswith("+") and _has_secret(line[1:], values):
            found[file] = None
    return secret_text(", ".join(found)) if found else ""


def _has_secret(line: str, values: list[str]) -> bool:
    return any(value in line for value in values) or any(
        pattern.search(line) for pattern in SECRET_PATTERNS
    )
