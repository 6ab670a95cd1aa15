"""What `loop start` needs to know to execute a plan: read it, lint it before a cent is spent, take its settings."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ...core.criteria import Check
from ...core.limits import Limits
from ...core.plan.plan import MODES, Plan, plan_limits
from ...core.plan.reading import ERROR
from ...core.record import Record
from ...drive import detected_checks
from ...drive.errors import UserError
from ...formats import gsd_state
from ...formats.gsd_config import GsdConfig
from ...formats.gsd_state import GsdLoop
from ...importers import gsd, plan_lint, plans
from ...store.folder import LoopFolder
from ...views import plan_waves

Args = argparse.Namespace
FLAGS_OF_OTHER_LOOPS = (
    "step",
    "shape",
    "score",
    "point",
    "reversibility",
    "preset",
    "tasks",
    "task_mode",
    "suggestions",
    "file",
    "criterion",
)
CI_CRITERIA = {
    "lint": "lint clean",
    "typecheck": "no type errors",
    "test": "tests pass",
    "build": "build succeeds",
}


class PlanRequest(Record):
    """A plan that may start: `usual` are the limits that go with its size."""

    plan: Plan
    commands: tuple[tuple[str, Check], ...]
    default_limits: Limits
    mode: str
    warnings: tuple[str, ...] = ()


def arguments(group: Any) -> None:
    group.add_argument(
        "--plan",
        metavar="FILE",
        default="",
        help="execute this plan: tasks in waves, then verify and fix",
    )
    group.add_argument(
        "--prd",
        metavar="FILE",
        default="",
        help="the same from a PRD: Markdown, prd.json or a checklist",
    )
    group.add_argument(
        "--mode",
        choices=MODES,
        default="",
        help="interactive asks before a retry or a fix; yolo does not",
    )
    group.add_argument(
        "--retries",
        metavar="N",
        default="",
        help="of a failed task or gap (3); without a plan: of a failing check (0)",
    )
    group.add_argument(
        "--rounds", metavar="N", default="", help="most rounds of verify and fix (default 20)"
    )
    group.add_argument(
        "--once",
        action="store_true",
        help="one attempt a task, one verification, a report; nothing is retried",
    )
    group.add_argument(
        "--from-state",
        action="store_true",
        help="go on from the `loop:` block of a GSD project's STATE.md",
    )
    group.add_argument(
        "--eager",
        action="store_true",
        help="begin a task when what it depends on is done, whatever its wave",
    )


def requested_plan(said: list[Args], place: LoopFolder, timeout: int) -> PlanRequest | None:
    """The plan that one of these flags asks for. The person's word before the agent's."""

    def given(name: str) -> Any:
        return next((getattr(args, name) for args in said if getattr(args, name)), "")

    path = given("plan") or given("prd")
    if not path:
        if alien := [
            name for name in ("mode", "rounds", "once", "eager", "from_state") if given(name)
        ]:
            raise UserError(
                f"--{alien[0].replace('_', '-')} belongs to a plan: loop start --plan FILE"
            )
        return None
    if spec := given("spec"):
        raise UserError(
            f"a plan is its own spec; leave {str(spec)[:60]!r} out, or steer it later: loop steer TEXT"
        )
    if alien := [name for name in FLAGS_OF_OTHER_LOOPS if given(name)]:
        raise UserError(
            f"--{alien[0].replace('_', '-')} belongs to another kind of loop; a plan brings its own tasks and checks"
        )
    plan = read_valid_plan(os.path.abspath(path), place.root)
    folder = gsd.find_folder(place.root)
    settings = gsd.read_settings(place.root, folder) if folder else GsdConfig()
    whole = plan.but(
        eager=bool(given("eager")),
        auto_loop=settings.auto_loop and not given("once"),
        gsd=folder,
        retries=whole_number("--retries", given("retries"), settings.retries, 20),
        max_fix_rounds=whole_number("--rounds", given("rounds"), settings.rounds, 50),
    )
    if not whole.auto_loop:
        whole = whole.but(retries=0)
    if given("from_state"):
        whole = gsd.restore_progress(whole, gsd_loop_state(place.root, folder))
    commands = project_commands(place.root, timeout, dict(settings.commands))
    return PlanRequest(
        whole,
        tuple(commands.items()),
        plan_limits(whole),
        given("mode") or settings.mode,
        settings.problems,
    )


def gsd_loop_state(root: str, folder: str) -> GsdLoop:
    """What STATE.md says of its loop."""
    path = gsd.find_file(root, folder, gsd.STATE) if folder else ""
    state = gsd_state.read_block(plans.read_text(os.path.join(root, path))) if path else None
    if state is None:
        raise UserError("no STATE.md with a `loop:` block here. Start anew: loop start --plan FILE")
    return state


def read_valid_plan(path: str, root: str) -> Plan:
    """The plan of that file; with errors in it nothing starts."""
    reading, name = plans.read(path, root), os.path.relpath(path)
    wrong = tuple(
        problem for problem in plan_lint.lint_plan(reading, root) if problem.severity == ERROR
    )
    if wrong:
        raise UserError(
            f"{name} cannot be executed as it is:\n{plan_waves.problems_text(wrong, name)}\nAll of it: loop plan lint {name}"
        )
    return reading.plan


def whole_number(flag: str, text: str, usual: int, most: int) -> int:
    if not text:
        return usual
    if not text.isdecimal() or int(text) > most:
        raise UserError(f"{flag} takes a whole number from 0 to {most}, not {text!r}")
    return int(text)


def project_commands(root: str, timeout: int, written: dict[str, str]) -> dict[str, Check]:
    """The project's own commands: those of its GSD settings, which wait for a yes, else those that its files show."""
    if written:
        return {
            name: Check(line, timeout, origin="proposed", allowed=False)
            for name, line in written.items()
        }
    found = detected_checks.repository_checks(root, timeout)
    return {name: found[criterion] for name, criterion in CI_CRITERIA.items() if criterion in found}
