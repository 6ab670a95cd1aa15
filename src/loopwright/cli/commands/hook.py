"""Handle a hook event of a coding agent.

Reads the event on stdin, and prints one JSON object or nothing. The exit code is always 0.
"""

from __future__ import annotations

import argparse
import sys

from ...agents.claude.hooks import ANSWER_FORMATS
from ...agents.registry import HOST_NAMES
from ...hook import __main__ as hook_script

EXAMPLES = """  loop hook claude < event.json
  loop hook claude --format ok < event.json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", choices=HOST_NAMES, help="the agent that sends the event")
    parser.add_argument("--event", default="", help="the event, if the input does not say it")
    parser.add_argument(
        "--format",
        choices=ANSWER_FORMATS,
        default="",
        help="the JSON format of the answer (default: claude)",
    )


def run(args: argparse.Namespace) -> int:
    words = (("--event", args.event), ("--format", args.format))
    sys.argv = ["hook", args.agent, *(word for pair in words if pair[1] for word in pair)]
    hook_script.main()
    return 0
