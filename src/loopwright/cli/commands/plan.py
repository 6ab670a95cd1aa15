"""Lint a plan, draw it, write a template; change the plan of the loop that is here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from ...core.loop import Loop
from ...core.plan.plan import Plan
from ...core.plan.reading import ERROR, PlanProblem
from ...drive.errors import UserError
from ...drive.plans import plan_edits
from ...drive.plans.plan_matching import plan_difference
from ...importers import plan_lint, plans
from ...importers.plan_new import plan_template
from ...store.folder import LoopFolder
from ...views import plan_pictures, plan_waves
from ...views.plan_graph import PlanGraph, plan_graph
from .. import exits, here, output
from ..argument_kinds import add_json, add_switch, add_value, add_values
from ..command_parser import terminal_columns

EXAMPLES = """  loop plan new "add CSV export"
  loop plan lint PLAN.md
  loop plan show
  loop plan show PRD.md --json | jq '.critical_path'
  loop plan show --mermaid               # or --dot, --svg: waves and critical path as a picture
  loop plan reload                       # what the edited file would change; --yes takes it over
  loop plan add "close the file" --check "pytest -q" --after 02
  loop plan skip 03
  loop plan retry 02"""
ACTIONS = ("lint", "show", "new", "reload", "add", "skip", "retry")
Picture = Callable[[PlanGraph], str]
USAGE = {"add": "TITLE", "skip": "TASK", "retry": "TASK"}
EDITS = ("reload", "add", "skip", "retry")
PICTURES = {"mermaid": plan_pictures.mermaid, "dot": plan_pictures.dot, "svg": plan_pictures.svg}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "what",
        nargs="*",
        metavar="FILE|GOAL|TASK",
        help="the plan (default: the plan of the loop here, else PLAN.md, …); for new: the goal; "
        "for add: the title; for skip and retry: the task",
    )
    parser.add_argument("--file", default="", help="the file that `new` writes (default: PLAN.md)")
    picture = parser.add_mutually_exclusive_group()
    add_switch(picture, "--mermaid", "show: as a Mermaid flow chart")
    add_switch(picture, "--dot", "show: as a graph for Graphviz")
    add_switch(picture, "--svg", "show: as an SVG drawing")
    add_value(parser, "--check COMMAND", "add: what proves the task")
    add_values(parser, "--after TASK", "add: it waits for this task")
    add_switch(parser, "--yes", "reload: take the changes over")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.action == "new":
        return write_template(" ".join(args.what), args.file)
    if args.action in EDITS:
        return edit_plan(args)
    if args.file or len(args.what) > 1:
        raise UserError(f"one plan at a time: loop plan {args.action} [FILE]")
    path = args.what[0] if args.what else ""
    if args.action == "lint":
        return lint_plan(path, args.json)
    picture = next((draw for name, draw in PICTURES.items() if getattr(args, name)), None)
    if picture and args.json:
        raise UserError("--json prints the plan as data; leave --mermaid, --dot or --svg out")
    return show_plan(path, args.json, picture)


def edit_plan(args: argparse.Namespace) -> int:
    """Change the plan of the loop that is here. That is the person's to do."""
    folder, loop = here.active_loop("loop start --plan FILE")
    if here.agent_variable():
        here.refuse_agent_command(folder, f"plan {args.action}")
    if not loop.plan:
        raise UserError("the loop here has no plan. Add a criterion instead: loop criteria add")
    words = " ".join(args.what)
    if args.action == "reload":
        if words:
            raise UserError(
                f"reload reads the file of the loop, {loop.plan.file}, and takes no name. "
                "To work on another plan: loop start --plan FILE --replace"
            )
        return reload_plan(folder, loop, loop.plan, args.yes, args.json)
    if not words:
        raise UserError(f"what is it about? loop plan {args.action} {USAGE[args.action]}")
    if args.action == "add":
        reply = plan_edits.add_task(folder, loop, words, args.check, tuple(args.after))
        loop = folder.read_loop() or loop
        if loop.waiting_checks:
            output.show_text("Its check waits for your yes: loop allow")
    elif args.action == "skip":
        reply = plan_edits.skip_task(folder, loop, words)
    else:
        reply = plan_edits.retry_task(folder, loop, words)
    output.show_text(reply.message)
    return exits.PROVEN


def reload_plan(folder: LoopFolder, loop: Loop, plan: Plan, yes: bool, as_json: bool) -> int:
    """Show what the edited file changes, and with --yes take it over."""
    path = os.path.join(folder.root, plan.file)
    new, problems = read_and_lint(path)
    if lint_exit_code(problems):
        raise UserError(f"{plan.file} cannot be read:\n{plan_waves.problems_text(problems, path)}")
    rows = plan_difference(plan, plan_edits.edited_plan(plan, new)[0])
    taken_over = bool(rows) and yes
    message = plan_edits.reload_plan(folder, loop, new).message if taken_over else ""
    if as_json:
        output.show_json({"file": plan.file, "changes": rows, "taken_over": taken_over})
        return exits.PROVEN
    if not rows:
        message = f"{plan.file} says what the loop works on; nothing is to be taken over."
    elif not yes:
        message = "Take it over: loop plan reload --yes"
    output.show_text("\n".join([*rows, message]))
    return exits.PROVEN


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
        output.show_text(plan_waves.problems_text(problems, named_file(full_path, path, plan)))
    return lint_exit_code(problems)


def show_plan(path: str, as_json: bool, picture: Picture | None = None) -> int:
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
    if picture:
        output.show_text(picture(plan_graph(plan)))
        return lint_exit_code(problems)
    width = terminal_columns() if sys.stdout.isatty() else 80
    output.show_text(plan_waves.text(plan, width))
    if problems:
        name = named_file(full_path, path, plan)
        verdict = plan_waves.lint_verdict(problems)
        output.show_text(f"\n{name}: {verdict}. Look: loop plan lint {name}")
    return lint_exit_code(problems)


def named_file(full_path: str, path: str, plan: Plan) -> str:
    """The file whose lines the problems name. For a folder with one plan in it, that plan."""
    if not os.path.isdir(full_path):
        return path or os.path.relpath(full_path)
    return os.path.relpath(os.path.join(here.loop_folder().root, plan.file))


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
        below = plans.plans_below(os.path.relpath(here.loop_folder().root))
        there = f". There is: {', '.join(below)}" if below else ""
        raise UserError(
            f"no plan here. Write one: loop plan new GOAL. Or name it: loop plan show FILE{there}"
        )
    return path


def read_and_lint(path: str) -> tuple[Plan, tuple[PlanProblem, ...]]:
    root = here.loop_folder().root
    reading = plans.read(path, root)
    return reading.plan, plan_lint.lint_plan(reading, root)


def lint_exit_code(problems: tuple[PlanProblem, ...]) -> int:
    failed = any(problem.severity == ERROR for problem in problems)
    return exits.ERROR if failed else exits.PROVEN
