"""Plans: lint one before anything runs, see its waves and its longest chain, or write the template of a new one."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from ..core.plan import Plan
from ..core.reading import ERROR, Problem
from ..drive.orders import UserError
from ..importers import plans
from ..importers.plan_new import template
from ..views import waves
from . import exits, here, output

EXAMPLES = """  loop plan new "add CSV export"
  loop plan lint PLAN.md
  loop plan show
  loop plan show PRD.md --json | jq '.critical_path'"""
ACTIONS = ("lint", "show", "new")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("what", nargs="*", metavar="FILE|GOAL", help="the plan (default: that of the loop here, else PLAN.md, …)")
    parser.add_argument("--file", default="", help="where `new` writes (default: PLAN.md)")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    if args.action == "new":
        return new(" ".join(args.what), args.file)
    if args.file or len(args.what) > 1:
        raise UserError(f"one plan at a time: loop plan {args.action} [FILE]")
    given = args.what[0] if args.what else ""
    return lint(given, args.json) if args.action == "lint" else show(given, args.json)


def lint(given: str, as_json: bool) -> int:
    active = None if given else of_the_loop()
    path = os.path.join(here.folder().root, active.file) if active else given or found()
    plan, wrong = read(path)
    if as_json:
        output.show_json({"file": plan.file, "problems": [problem.__dict__ for problem in wrong]})
    else:
        output.show(waves.problems(wrong, given or os.path.relpath(path)))
    return code_of(wrong)


def show(given: str, as_json: bool) -> int:
    """A plan with errors is drawn too: the drawing shows where they are."""
    active = None if given else of_the_loop()
    path = "" if active else given or found()
    plan, wrong = (active, ()) if active else read(path)
    if as_json:
        output.show_json(waves.facts(plan, wrong))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
        output.show(waves.text(plan, width))
        if wrong:
            shown = given or os.path.relpath(path)
            output.show(f"\n{shown}: {waves.verdict(wrong)}. Look: loop plan lint {shown}")
    return code_of(wrong)


def new(goal: str, file: str) -> int:
    if not goal.strip():
        raise UserError('what is the goal? Say it: loop plan new "add CSV export"')
    path = file or os.path.join(here.folder().root, plans.PLAN)
    shown = file or os.path.relpath(path)
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as page:
            page.write(template(goal))
    except FileExistsError:
        raise UserError(f"{shown} is there already, and stays as it is. Another one: --file NAME") from None
    except OSError as error:
        raise UserError(f"cannot write {shown}: {error.strerror}") from error
    output.show(f"{shown} is a template. Fill in what stands between ‹ and ›, then: loop plan lint {shown}")
    return exits.PROVEN


def of_the_loop() -> Plan | None:
    place = here.found()
    loop = place.peek() if place else None
    return loop.plan if loop else None


def found() -> str:
    path = plans.find(here.folder().root)
    if not path:
        raise UserError("no plan here. Write one: loop plan new GOAL. Or name it: loop plan show FILE")
    return path


def read(path: str) -> tuple[Plan, tuple[Problem, ...]]:
    root = here.folder().root
    reading = plans.read(path, root)
    return reading.plan, plans.lint(reading, root)


def code_of(wrong: tuple[Problem, ...]) -> int:
    return exits.ERROR if any(problem.severity == ERROR for problem in wrong) else exits.PROVEN
