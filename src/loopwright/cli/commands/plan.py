"""Lint a plan, draw its waves and its critical path, or write a template for a new plan."""

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
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "what",
        nargs="*",
        metavar="FILE|GOAL",
        help="the plan (default: the plan of the loop here, else PLAN.md, …); for new: the goal",
    )
    parser.add_argument("--file", default="", help="the file that `new` writes (default: PLAN.md)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    if args.action == "new":
        return write_template(" ".join(args.what), args.file)
    if args.file or len(args.what) > 1:
        raise UserError(f"one plan at a time: loop plan {args.action} [FILE]")
    path = args.what[0] if args.what else ""
    if args.action == "lint":
        return lint_plan(path, args.json)
    return show_plan(path, args.json)


def lint_plan(path: str, as_json: bool) -> int:
    active = None if path else active_plan()
    if active:
        full_path = os.path.join(here.loop_folder().root, active.file)
    else:
        full_path = path or default_plan_path()
    plan, problems = read_and_lint(full_path)
    if as_json:
        rows = [problem.__dict__ for problem in problems]
        output.show_json({"file": plan.file, "problems": rows})
    else:
        output.show_text(plan_waves.problems_text(problems, path or os.path.relpath(full_path)))
    return lint_exit_code(problems)


def show_plan(path: str, as_json: bool) -> int:
    """Draw the plan; one with errors too, because the drawing shows where they are."""
    plan = None if path else active_plan()
    problems: tuple[PlanProblem, ...] = ()
    full_path = path
    if plan is None:
        full_path = path or default_plan_path()
        plan, problems = read_and_lint(full_path)
    if as_json:
        output.show_json(plan_waves.facts(plan, problems))
        return lint_exit_code(problems)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    output.show_text(plan_waves.text(plan, width))
    if problems:
        name = path or os.path.relpath(full_path)
        verdict = plan_waves.lint_verdict(problems)
        output.show_text(f"\n{name}: {verdict}. Look: loop plan lint {name}")
    return lint_exit_code(problems)


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
    folder = here.find_loop_folder()
    loop = folder.read_loop() if folder else None
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


def lint_exit_code(problems: tuple[PlanProblem, ...]) -> int:
    failed = any(problem.severity == ERROR for problem in problems)
    return exits.ERROR if failed else exits.PROVEN
