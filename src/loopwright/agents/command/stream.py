"""What a command prints is its answer.

A usage limit counts only in the last line of a command that failed.
"""

from __future__ import annotations

import re

from ..base import MAX_TEXT, ProcessExit, TurnOutput, TurnRequest, judge_exit

USAGE_LIMIT = re.compile(
    r"(?:error:? *)?(?:you.ve hit your (?:usage )?limit"
    r"|(?:usage|rate) limit (?:reached|exceeded)"
    r"|429(?::| too many requests|$))",
    re.I,
)


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    return output.but(text=(output.text + line)[-MAX_TEXT:])


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    done = not process_exit.cut and process_exit.code == 0 and bool(output.text.strip())
    output = judge_exit(output.but(results=int(done)), "the command", process_exit)
    printed = process_exit.stderr.strip() or output.text.strip()
    last_line = printed.rpartition("\n")[2]
    limited = bool(output.failure and USAGE_LIMIT.match(last_line))
    return output.but(unpriced=("the command",), limited=limited)


def tell(line: str) -> str:
    return line.rstrip()
