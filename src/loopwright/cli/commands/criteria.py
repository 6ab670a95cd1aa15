"""List, add or drop criteria. A change resets the stuck counter and is recorded in the journal."""

from __future__ import annotations

import argparse
import os
import time

from ...core.criteria import Check, Criterion
from ...core.intake import parse_named_check
from ...core.loop import Loop
from ...core.signals import Ordered
from ...drive import detected_checks
from ...drive.errors import UserError
from ...drive.step import step
from ...views import board, facts
from .. import exits, here, output
from ..start.request import named_kind_of_check

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
    parser.add_argument(
        "name", nargs="?", default="", help="NAME, or NAME=COMMAND to add it with a check"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


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
    if args.what == "drop":
        changed = criteria_without(name, loop)
    else:
        if check:
            detected = detected_checks.repository_checks(folder.root, check.timeout, os.getcwd())
            check = named_kind_of_check(name, check, detected) or check
        changed = criteria_with(name, check, loop)
    reply = step(folder, Ordered(time.time(), "criteria", criteria=changed))
    output.show_text(reply.message)
    return exits.PROVEN


def criteria_without(name: str, loop: Loop) -> tuple[Criterion, ...]:
    remaining = tuple(c for c in loop.criteria if c.name != name)
    if len(remaining) == len(loop.criteria):
        names = ", ".join(c.name for c in loop.criteria)
        raise UserError(f"no criterion {name!r}; there are: {names}")
    if not remaining and not loop.backlog:
        raise UserError(
            "a loop without criteria could never end. Add another first, or: loop cancel"
        )
    return remaining


def criteria_with(name: str, check: Check | None, loop: Loop) -> tuple[Criterion, ...]:
    """The criteria with a new one at the end; it replaces a criterion of the same name."""
    if loop.backlog and not check:
        raise UserError(f'a guard needs a command: loop criteria add "{name}=COMMAND"')
    others = [c for c in loop.criteria if c.name != name]
    return (*others, Criterion(name, check))
