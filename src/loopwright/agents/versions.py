"""The version of an agent's program, as it says itself."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

ANSWER_SECONDS = 20.0
MAX_LINE = 80


def ask_version(
    words: Sequence[str],
    folder: str | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = ANSWER_SECONDS,
) -> str | None:
    """The first line that this program prints for --version; None if it does not start or end."""
    try:
        process = subprocess.run(
            [*words, "--version"],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout.decode("utf-8", "replace").partition("\n")[0].strip()[:MAX_LINE]


def version_number(line: str) -> str:
    """The first word of the line that begins with a digit; "" without one."""
    return next((word.rstrip(".,") for word in line.split() if word[:1].isdigit()), "")
