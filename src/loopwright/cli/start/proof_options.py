"""Options of `loop start` that keep the agent from making the proof easier."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...core.proof.clean_checkout import OFF
from ...core.proof.grades import REQUIRABLE
from ...core.proof.measured_strength import MODES
from ...core.proof.state import Room
from ...core.start.intake import parse_named_check
from ...drive.errors import UserError, WrongValue
from ..argument_kinds import add_switch, add_value, add_values
from .plan_options import whole_number
from .typed_arguments import Args

if TYPE_CHECKING:
    from ...drive.new_loop import Safeguards

MAX_RETRIES = 10
GLOB_CHARACTERS = set("*?[")


def arguments(group: Any) -> None:
    add_switch(
        group,
        "--no-worse-than-baseline",
        "tests that fail now may still fail at the end, but no other test may",
    )
    add_values(group, "--protect PATH", "a path that must not change; patterns as in .gitignore")
    add_values(
        group,
        "--holdout NAME=COMMAND",
        "a check that runs only at the end; the agent never sees it",
    )
    add_value(
        group,
        "--setup COMMAND",
        "installs what the checks need in a clean checkout, for example npm ci",
    )
    add_values(
        group,
        "--include PATH",
        "an ignored file that the checks need in a clean checkout, as it is now",
    )
    add_switch(
        group,
        "--allow-new-deps",
        "install packages that the agent adds, for the proof in a clean checkout",
    )
    group.add_argument(
        "--room",
        choices=("on", "off"),
        default="",
        help="off: no proof in a clean checkout; the result is at best proven in place",
    )
    add_grade_options(group)
    add_value(
        group,
        "--review AGENT|COMMAND",
        "a reviewer at the end: an agent whose objections count if a command of it fails, or a "
        "command that reads the change as JSON on stdin and prints its verdict as JSON",
    )


def add_grade_options(group: Any) -> None:
    """What is the work, what follows from thin work, and which grade is enough.

    `loop run SPEC` has these too.
    """
    add_values(
        group, "--may-change PATH", "tests, settings or test data that the work is meant to change"
    )
    group.add_argument(
        "--strength",
        choices=MODES,
        default="",
        help="thin work, of which no check notices parts: only a line in the verdict (report), "
        "back to the agent (once, the default), or until it is not thin (strict)",
    )
    group.add_argument(
        "--require",
        choices=REQUIRABLE,
        default="",
        help="the least grade with exit code 0 (default: tested)",
    )


def requested_safeguards(
    person: Args | None, root: str, settings: dict[str, Any], has_plan: bool
) -> Safeguards:
    """The safeguards that the person asks for; an agent cannot ask for any.

    With a plan, --retries counts the retries of its tasks instead of those of a check.
    """
    from ...drive.new_loop import Safeguards

    retries, strength = settings["check.retries"], settings["proof.strength"]
    if person is None:
        return Safeguards(retries, strength_mode=strength)
    if not has_plan:
        retries = whole_number("--retries", person.retries, retries, MAX_RETRIES)
    refuse_missing_paths(person.protect, root)
    return Safeguards(
        retries=retries,
        freeze=person.no_worse_than_baseline,
        protect=tuple(path.removeprefix("./") for path in person.protect),
        holdouts=tuple(map(parse_holdout, person.holdout)),
        review=person.review,
        review_by_agent=_is_agent(person.review),
        strength_mode=person.strength or strength,
        required_grade=person.require,
        room=requested_clean_checkout(person, root),
    )


def requested_clean_checkout(person: Args, root: str) -> Room:
    for path in person.include:
        if not os.path.lexists(os.path.join(root, path)):
            raise UserError(f"--include {path}: there is no such path here")
    return Room(
        status=OFF if person.room == "off" else "",
        why="you chose --room off" if person.room == "off" else "",
        setup=person.setup,
        include=tuple(path.removeprefix("./") for path in person.include),
        may_change=tuple(path.removeprefix("./") for path in person.may_change),
        allow_new_packages=person.allow_new_deps,
    )


def refuse_missing_paths(paths: list[str], root: str) -> None:
    for path in paths:
        is_pattern = GLOB_CHARACTERS.intersection(path)
        if not is_pattern and not os.path.lexists(os.path.join(root, path)):
            raise UserError(f"--protect {path}: there is no such path here")


def _is_agent(text: str) -> bool:
    """Does it name an agent? A UserError if that one is not installed."""
    if not text:
        return False
    from ...drive.second_eyes.agent import names_agent, parse_agent

    return names_agent(text) and bool(parse_agent(text))


def parse_holdout(text: str) -> tuple[str, str | tuple[str, ...]]:
    try:
        name, check = parse_named_check(text)
    except ValueError as error:
        raise WrongValue(f"--holdout: {error}") from error
    if check is None:
        raise WrongValue(f'--holdout needs a command: --holdout "{name}=COMMAND"')
    return name, check.command
