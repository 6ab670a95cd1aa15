"""The door for a coding agent's hooks: the event on stdin, exactly one JSON object or nothing on stdout, exit code 0."""

from __future__ import annotations

import argparse
import sys

from ...agents.claude.hooks import ANSWER_FORMATS
from ...hook import __main__ as door

EXAMPLES = "  loop hook claude < event.json\n  loop hook claude --format ok < event.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", choices=("claude",))
    parser.add_argument(
        "--format",
        choices=ANSWER_FORMATS,
        default="",
        help="answer in the seeds' literal schemas: ok, gsd",
    )


def run(args: argparse.Namespace) -> int:
    sys.argv = ["hook", args.agent, *(["--format", args.format] if args.format else [])]
    door.main()
    return 0
