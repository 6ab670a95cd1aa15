"""Why the loop goes on or has paused: the counters behind the breakers and the failing output."""

from __future__ import annotations

import argparse

from ..views import facts, why
from . import exits, here, output

EXAMPLES = "  loop why\n  loop why --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    _, loop = here.loop()
    if args.json:
        output.show_json({**facts.of(loop), "why": why.headline(loop)})
    else:
        output.show(why.text(loop))
    return exits.PROVEN
