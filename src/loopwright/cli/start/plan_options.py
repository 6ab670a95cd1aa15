"""Options of `loop start` for a plan: read the plan and its settings, and lint the plan."""

from __future__ import annotations

import os
from typing import Any

from ...core.criteria import Check
from ...core.limits import Limits
from ...core.plan.plan import MODES, Plan, plan_limits
from ...core.plan.reading import ERROR
from ...core.record import Record
from ...drive.errors import UserError, WrongValue
from ...store.folder import LoopFolder
from ..argument_kinds import add_switch, add_value
from .typed_arguments import StartArguments

# The readers of plans are imported where a plan is read: a runner of another loop, which may live
# for days, has these options too and never needs them.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...formats.gsd_state import GsdLoop

PLAN_FLAGS = ("mode", "rounds", "once", "eager", "from_state", "no_progress")
FLAGS_OF_OTHER_LOOPS = (
    *("step", "shape", "score", "point", "reversibility", "preset", "tasks", "task_mode"),
    *("suggestions", "file", "criterion"),
)
CI_CRITERIA = {
    "lint": "lint clean",
    "typecheck": "no type errors",
    "test": "tests pass",
    "build": "build succeeds",
}


class PlanRequest(Record):
    """A plan that may start, with its mode and the limits that fit its size."""

    plan: Plan
    commands: tuple[tuple[str, Check], ...]
    default_limits: Limits
    mode: str
    warnings: tuple[str, ...] = ()


def arguments(group: Any) -> None:
    add_value(group, "--plan FILE", "execute this plan: its tasks in waves, then verify and fix")
    add_value(group, "--prd FILE", "execute a PRD as a plan: Markdown, prd.json or a checklist")
    group.add_argument(
        "--mode",
        choices=MODES,
        default="",
        help="interactive asks before a retry or a fix; yolo does not ask",
    )
    add_value(
        group,
        "--retries N",
        "retries of a failed task or gap (default 3); without a plan, "
        "of a failing check (default 0)",
    )
    add_value(group, "--rounds N", "maximum number of verify-and-fix rounds (default 20)")
    add_switch(group, "--once", "try each task once, verify once and report; retry nothing")
    add_switch(group, "--from-state", "continue from the `loop:` block of a GSD project's STATE.md")
    add_switch(
        group, "--eager", "start a task as soon as its dependencies are done, regardless of waves"
    )

    add_switch(
        group,
        "--no-progress",
        "do not tick proven tasks in the plan's own files (always: plan.progress off)",
    )


def requested_plan(
    typed: StartArguments, folder: LoopFolder, timeout: int, writes_progress: bool = True
) -> PlanRequest | None:
    """The plan that --plan or --prd names, with the settings of its GSD project."""
    path = typed.first("plan") or typed.first("prd")
    if not path:
        refuse_plan_flags(typed)
        return None
    refuse_flags_of_other_loops(typed)
    from ...drive.plans.plan_files import text_digest
    from ...formats.gsd_config import GsdConfig
    from ...importers import gsd
    from .repository import repository_checks

    plan = read_valid_plan(os.path.abspath(path), folder.root)
    gsd_folder = gsd.find_folder(folder.root)
    if plan.file.startswith(f"{gsd_folder}/milestones/"):  # GSD 2 keeps its state in another way
        gsd_folder = ""
    settings = gsd.read_settings(folder.root, gsd_folder) if gsd_folder else GsdConfig()
    plan = plan.but(
        eager=bool(typed.first("eager")),
        auto_loop=settings.auto_loop and not typed.first("once"),
        gsd=gsd_folder,
        retries=whole_number("--retries", typed.first("retries"), settings.retries, 20),
        max_fix_rounds=whole_number("--rounds", typed.first("rounds"), settings.rounds, 50),
    )
    if not plan.auto_loop:
        plan = plan.but(retries=0)
    if typed.first("no_progress") or not writes_progress:
        plan = plan.but(marks=())
    plan = plan.but(text_digest=text_digest(folder.root, plan))
    if typed.first("from_state"):
        plan = gsd.restore_progress(plan, gsd_loop_state(folder.root, gsd_folder))
    detected = repository_checks(typed, folder.root, timeout).checks
    commands = project_commands(detected, timeout, dict(settings.commands))
    return PlanRequest(
        plan=plan,
        commands=tuple(commands.items()),
        default_limits=plan_limits(plan),
        mode=typed.first("mode") or settings.mode,
        warnings=settings.problems,
    )


def refuse_plan_flags(typed: StartArguments) -> None:
    for name in PLAN_FLAGS:
        if typed.first(name):
            raise UserError(f"--{name.replace('_', '-')} belongs to a plan: loop start --plan FILE")


def refuse_flags_of_other_loops(typed: StartArguments) -> None:
    if spec := typed.first("spec"):
        raise UserError(
            f"a plan is its own spec; leave {str(spec)[:60]!r} out, "
            "or steer it later: loop steer TEXT"
        )
    for name in FLAGS_OF_OTHER_LOOPS:
        if typed.first(name):
            raise UserError(
                f"--{name.replace('_', '-')} belongs to another kind of loop; "
                "a plan brings its own tasks and checks"
            )


def gsd_loop_state(root: str, gsd_folder: str) -> GsdLoop:
    """The `loop:` block of a GSD project's STATE.md."""
    from ...formats import gsd_state
    from ...importers import gsd, plans

    path = gsd.find_file(root, gsd_folder, gsd.STATE) if gsd_folder else ""
    state = gsd_state.read_block(plans.read_text(os.path.join(root, path))) if path else None
    if state is None:
        raise UserError("no STATE.md with a `loop:` block here. Begin: loop start --plan FILE")
    return state


def read_valid_plan(path: str, root: str) -> Plan:
    """The plan of that file; a UserError if the plan has errors."""
    from ...importers import plan_lint, plans
    from ...views import plan_waves

    reading = plans.read(path, root)
    problems = plan_lint.lint_plan(reading, root)
    errors = tuple(problem for problem in problems if problem.severity == ERROR)
    if errors:
        name = os.path.relpath(path)
        raise UserError(
            f"{name} cannot be executed as it is:\n{plan_waves.problems_text(errors, name)}\n"
            f"All of it: loop plan lint {name}"
        )
    return reading.plan


def whole_number(flag: str, text: str, default: int, most: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or int(text) > most:
        raise WrongValue(f"{flag} takes a whole number from 0 to {most}, not {text!r}")
    return int(text)


def project_commands(
    detected: dict[str, Check], timeout: int, from_settings: dict[str, str]
) -> dict[str, Check]:
    """The project's own commands: those of its GSD settings, else those found in its files.

    Commands of GSD settings wait for `loop allow`.
    """
    if from_settings:
        return {
            name: Check(line, timeout, origin="settings", allowed=False)
            for name, line in from_settings.items()
        }
    return {
        name: detected[criterion]
        for name, criterion in CI_CRITERIA.items()
        if criterion in detected
    }
