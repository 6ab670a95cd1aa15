"""What any command prints is its answer. A limit is believed only from the last line of a command that failed."""

from __future__ import annotations

import re

from ..base import MOST_TEXT, Call, Ending, Heard, came_to

LIMITED = re.compile(
    r"(?:error:? *)?(?:you.ve hit your (?:usage )?limit|(?:usage|rate) limit (?:reached|exceeded)|429(?::| too many requests|$))",
    re.I,
)


def read(heard: Heard, line: str, call: Call) -> Heard:
    return heard.but(text=(heard.text + line)[-MOST_TEXT:])


def judge(heard: Heard, call: Call, ending: Ending) -> Heard:
    done = not ending.cut and ending.code == 0 and bool(heard.text.strip())
    heard = came_to(heard.but(results=int(done)), "the command", ending)
    last = (ending.stderr.strip() or heard.text.strip()).rpartition("\n")[2]
    return heard.but(unpriced=("the command",), limited=bool(heard.failure and LIMITED.match(last)))


def tell(line: str) -> str:
    return line.rstrip()
