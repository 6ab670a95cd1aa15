"""Hints of a loop name local commands; whoever reads them here needs those of the fleet."""

from __future__ import annotations

import re

JOB_COMMANDS = {
    "run --continue": "retry {id}",
    "continue": "retry {id}",
    "run": "retry {id}",
    "why": "status {id}",
    "status": "status {id}",
    "criteria": "status {id}",
    "answer": "answer {id}",
    "steer": "steer {id}",
    "rule": "rule {id}",
    "pause": "pause {id}",
    "cancel": "cancel {id}",
    "logs": "logs {id}",
    "report": "results {id}",
    "receipt": "results {id}",
    "history": "status --all",
    "start": "submit",
}
# Longest first, and as a whole word: `loop running` is none of them.
HINT = re.compile(rf"\bloop ({'|'.join(sorted(JOB_COMMANDS, key=len, reverse=True))})(?![\w-])")


def respell_hints(text: str, job_id: str) -> str:
    """The text with the commands that work for a job."""
    return HINT.sub(lambda hint: f"loop fleet {JOB_COMMANDS[hint[1]].format(id=job_id)}", text)
