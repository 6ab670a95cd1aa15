"""Plans: lint one before anything runs, see its waves and its longest chain, or write the template of a new one."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from ...core.plan.plan import Plan
from ...core.plan.reading import ERROR, PlanProblem
from ...drive.errors import UserError
from ...importers import plan_lint, plans
from ...importers.plan_new import plan_template
from ...views import plan_waves
from .. import exits, here, output

EXAMPLES = """  loop plan new "add CSV export"
  loop plan lint PLAN.md
  loop plan show
  loop plan show PRD.md --json | jq '.critical_path'"""
ACTIONS = ("lint", "show", "new")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument(
        "what",
        nargs="*",
        metavar="FILE|GOAL",
        help="the plan (default: that of the loop here, else PLAN.md, …)",
    )
    parser.add_argument("--file", default="", help="where `new` writes (default: PLAN.md)")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    if args.action == "new":
        return write_template(" ".join(args.what), args.file)
    if args.file or len(args.what) > 1:
        raise UserError(f"one plan at a time: loop plan {args.action} [FILE]")
    given = args.what[0] if args.what else ""
    return lint_plan(given, args.json) if args.action == "lint" else show_plan(given, args.json)


def lint_plan(given: str, as_json: bool) -> int:
    active = None if given else active_plan()
    path = (
        os.path.join(here.loop_folder().root, active.file)
        if active
        else given or default_plan_path()
    )
    plan, wrong = read_and_lint(path)
    if as_json:
        output.show_json({"file": plan.file, "problems": [problem.__dict__ for problem in wrong]})
    else:
        output.show_text(plan_waves.problems_text(wrong, given or os.path.relpath(path)))
    return lint_exit_code(wrong)


def show_plan(given: str, as_json: bool) -> int:
    """A plan with errors is drawn too: the drawing shows where they are."""
    active = None if given else active_plan()
    path = "" if active else given or default_plan_path()
    plan, wrong = (active, ()) if active else read_and_lint(path)
    if as_json:
        output.show_json(plan_waves.facts(plan, wrong))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
        output.show_text(plan_waves.text(plan, width))
        if wrong:
            shown = given or os.path.relpath(path)
            output.show_text(
                f"\n{shown}: {plan_waves.lint_verdict(wrong)}. Look: loop plan lint {shown}"
            )
    return lint_exit_code(wrong)


def write_template(goal: str, file: str) -> int:
    if not goal.strip():
        raise UserError('what is the goal? Say it: loop plan new "add CSV export"')
    path = file or os.path.join(here.loop_folder().root, plans.PLAN)
    shown = file or os.path.relpath(path)
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as page:
            page.write(plan_template(goal))
    except FileExistsError:
        raise UserError(
            f"{shown} is there already, and stays as it is. Another one: --file NAME"
        ) from None
    except OSError as error:
        raise UserError(f"cannot write {shown}: {error.strerror}") from error
    output.show_text(
        f"{shown} is a template. Fill in what stands between ‹ and ›, then: loop plan lint {shown}"
    )
    return exits.PROVEN


def active_plan() -> Plan | None:
    place = here.find_loop_folder()
    loop = place.read_loop() if place else None
    return loop.plan if loop else None


def default_plan_path() -> str:
    path = plans.find_plan(here.loop_folder().root)
    if not path:
        raise UserError(
            "no plan here. Write one: loop plan new GOAL. Or name it: loop plan show FILE"
        )
    return path


def read_and_lint(path: str) -> tuple[Plan, tuple[PlanProblem, ...]]:
    root = here.loop_folder().root
    reading = plans.read(path, root)
    return reading.plan, plan_lint.lint_plan(reading, root)


def lint_exit_code(wrong: tuple[PlanProblem, ...]) -> int:
    return exits.ERROR if any(problem.severity == ERROR for problem in wrong) else exits.PROVEN
