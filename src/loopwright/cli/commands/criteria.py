"""List the criteria, or change them. Changing starts the stuck counter anew and is journaled."""

from __future__ import annotations

import argparse
import time

from ...core.criteria import Criterion
from ...core.intake import parse_named_check
from ...core.signals import Ordered
from ...drive.errors import UserError
from ...drive.step import step
from ...views import board, facts
from .. import exits, here, output

EXAMPLES = '  loop criteria\n  loop criteria add "lint clean=ruff check ."\n  loop criteria drop "lint clean"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=("list", "add", "drop"), default="list")
    parser.add_argument("name", nargs="?", default="", help="NAME or NAME=COMMAND")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
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
    kept = tuple(c for c in loop.criteria if c.name != name)
    if args.what == "drop" and len(kept) == len(loop.criteria):
        raise UserError(
            f"no criterion {name!r}; there are: {', '.join(c.name for c in loop.criteria)}"
        )
    if args.what == "add" and loop.backlog and not check:
        raise UserError(f'a guard needs a command: loop criteria add "{name}=COMMAND"')
    changed = kept if args.what == "drop" else (*kept, Criterion(name, check))
    if not changed and not loop.backlog:
        raise UserError(
            "a loop without criteria could never end. Add another first, or: loop cancel"
        )
    said = step(place, Ordered(time.time(), "criteria", criteria=changed))
    output.show_text(said.message)
    return exits.PROVEN
