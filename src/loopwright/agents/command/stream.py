"""What any command prints is its answer. A limit is believed only from the last line of a command that failed."""

from __future__ import annotations

import re

from ..base import MAX_TEXT, ProcessExit, TurnOutput, TurnRequest, judge_exit

USAGE_LIMIT = re.compile(
    r"(?:error:? *)?(?:you.ve hit your (?:usage )?limit|(?:usage|rate) limit (?:reached|exceeded)|429(?::| too many requests|$))",
    re.I,
)


def read(heard: TurnOutput, line: str, call: TurnRequest) -> TurnOutput:
    return heard.but(text=(heard.text + line)[-MAX_TEXT:])


def judge(heard: TurnOutput, call: TurnRequest, ending: ProcessExit) -> TurnOutput:
    done = not ending.cut and ending.code == 0 and bool(heard.text.strip())
    heard = judge_exit(heard.but(results=int(done)), "the command", ending)
    last = (ending.stderr.strip() or heard.text.strip()).rpartition("\n")[2]
    return heard.but(
        unpriced=("the command",), limited=bool(heard.failure and USAGE_LIMIT.match(last))
    )


def tell(line: str) -> str:
    return line.rstrip()
