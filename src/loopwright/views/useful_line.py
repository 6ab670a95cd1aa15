"""The line of an output that a person wants to read first: the failing assertion or the error."""

from __future__ import annotations

import re

MAX_LINE = 300  # a pattern takes long on a line of a megabyte
# From the most to the least telling; the first line that matches the first of them.
PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^E {2,}\S|(?:AssertionError|AssertionFailedError)\b|\bpanicked at\b",
        r"^\s*[\w.]*(?:Error|Exception)\b.*:",
        r"\berror(?:\[\w+\])?:|\b[Ee]xpected\b|: error\b",
        r"^(?:--- )?FAIL|^not ok\b|^\s*[✕✗✘●]|\bFAILED\b",
    )
)


def find_useful_line(output: str) -> int:
    """Its number from 0; 0 if no line tells what failed."""
    lines = [line[:MAX_LINE] for line in output.splitlines()]
    for pattern in PATTERNS:
        for number, line in enumerate(lines):
            if pattern.search(line):
                return number
    return 0
