"""List, add or drop criteria. A change resets the stuck counter and is recorded in the journal."""

from __future__ import annotations

import argparse
import os

from ...checks.detection.repository import repository_checks
from ...core.start.intake import parse_named_check
from ...drive import checks
from ...drive.errors import UserError
from ...views import board, facts
from .. import exits, here, output
from ..argument_kinds import add_json, add_word

EXAMPLES = """  loop criteria
  loop criteria add "lint clean=ruff check ."
  loop criteria add "nothing is broken=@tests"   # the repository's own; also @lint, @types, @build
  loop criteria drop "lint clean\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=("list", "add", "drop"),
        default="list",
        help="what to do (default: list)",
    )
    add_word(parser, "name", "NAME, or NAME=COMMAND to add it with a check")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    if args.what == "list":
        if args.json:
            output.show_json(facts.loop_facts(loop)["criteria"])
        else:
            output.show_text("\n".join(board.criterion_line(c, loop) for c in loop.criteria))
        return exits.PROVEN
    try:
        name, check = parse_named_check(args.name)
    except ValueError as error:
        raise UserError(str(error)) from error
    if check and args.what == "add":
        detected = repository_checks(folder.root, check.timeout, os.getcwd())
        check = checks.named_kind_of_check(name, check, detected) or check
    reply = checks.change_criteria(folder, loop, args.what, name, check)
    output.show_text(reply.message)
    return exits.PROVEN
