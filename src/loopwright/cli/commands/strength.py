"""Measure whether the checks would notice if a part of the work were taken away."""

from __future__ import annotations

import argparse
import json
import os

from ... import __version__
from ...checks.detection.repository import repository_checks
from ...cleanroom.checkout_files import RoomError
from ...core.criteria import Check
from ...core.loop import Loop
from ...core.prompts.strength import strength_block
from ...core.proof.strength import Strength
from ...core.start.binding import CHECK_KINDS
from ...drive.errors import UserError, WrongValue
from ...drive.inbox import is_boxed
from ...repo.baseline import COPY_PREFIX
from ...repo.checkout import CheckoutFailed
from ...repo.kept_trees import KeptTreeError
from ...repo.plumbing import ask_user_git
from ...strength.check_runs import MeasuredCheck
from ...strength.git_work import open_work
from ...strength.measure import measure_strength
from ...views.strength_facts import strength_facts
from ...views.strength_sarif import strength_sarif
from .. import exits, here, output
from ..argument_kinds import add_json, add_value, add_values

EXAMPLES = """  loop strength                              # the changes that are not committed
  loop strength --since main                 # this branch, in CI
  loop strength --check "tests pass=pytest -q tests/unit" --budget 60
  loop strength --since main --json --sarif strength.sarif"""

BUDGET_SECONDS = 300
TESTS = CHECK_KINDS["tests"]


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser,
        "--since REV",
        "the work is what changed since then (default: the start of the loop, else HEAD)",
    )
    add_values(
        parser,
        "--check NAME=COMMAND",
        "measure this check (default: the tests of the loop or of the repository)",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        type=float,
        default=BUDGET_SECONDS,
        help=f"how long the checks may run in all (default: {BUDGET_SECONDS})",
    )
    add_value(parser, "--setup COMMAND", "run this first in the clean checkout, for example npm ci")
    add_json(parser)
    add_value(parser, "--sarif FILE", "also write what no check notices as SARIF")


def run(args: argparse.Namespace) -> int:
    if is_boxed():
        raise UserError("the strength of the checks is measured outside the agent's sandbox")
    if not args.budget > 0:
        raise WrongValue(f"--budget {args.budget:g}: give a number of seconds above 0")
    folder = here.find_loop_folder()
    loop = folder.read_loop() if folder else None
    root = folder.root if folder and loop else here.checkout_top(os.getcwd())
    if ask_user_git(root, "rev-parse", "--quiet", "--verify", "HEAD")[0]:
        raise UserError(f"{root} is not a git repository with a commit; strength compares with one")
    since = args.since or _start_of(loop)
    checks = [*_typed_checks(args.check)] or _own_checks(root, loop)
    if not checks:
        raise UserError('no tests are known here. Name a check: --check "tests pass=COMMAND"')
    setup = args.setup or (loop.room.setup if loop else "")
    try:
        with open_work(root, since, checks, setup, loop, output.show_warning) as work:
            strength = measure_strength(
                work.room,
                work.files,
                checks,
                args.budget,
                output.show_warning,
                spec=loop.spec if loop else "",
                tests=work.tests,
                changed_paths=work.changed_paths,
            )
    except (RoomError, CheckoutFailed, KeptTreeError) as error:
        output.show_warning(f"loop: not measured: {error}")
        return exits.UNMEASURED
    if args.sarif:
        _write_sarif(args.sarif, strength)
    if args.json:
        output.show_json(strength_facts(strength))
    else:
        output.show_text("\n".join(strength_block(strength)))
    return exit_code(strength)


def exit_code(strength: Strength) -> int:
    if strength.is_thin:
        return exits.ERROR
    return exits.PROVEN if strength.is_measured else exits.UNMEASURED


def _start_of(loop: Loop | None) -> str:
    if loop is None:
        return "HEAD"
    if not loop.baseline.tree_id or loop.baseline.tree_id.startswith(COPY_PREFIX):
        raise UserError("this loop began outside git. Name a commit: --since REV")
    return loop.baseline.tree_id


def _typed_checks(words: list[str]) -> list[MeasuredCheck]:
    checks = []
    for word in words:
        name, sign, command = word.partition("=")
        if not sign or not name.strip() or not command.strip():
            raise WrongValue(f'--check {word}: write NAME=COMMAND, as in "tests pass=pytest -q"')
        checks.append(MeasuredCheck(name.strip(), Check(command.strip())))
    return checks


def _own_checks(root: str, loop: Loop | None) -> list[MeasuredCheck]:
    """The checks of the loop that are no lint, types or build; else the repository's tests."""
    if loop:
        others = {*CHECK_KINDS.values()} - {TESTS}
        return [
            MeasuredCheck(c.name, c.check)
            for c in loop.criteria
            if c.check and c.may_run and c.runs_command and c.name not in others
        ]
    found = repository_checks(root, start=os.getcwd())
    return [MeasuredCheck(TESTS, found[TESTS])] if TESTS in found else []


def _write_sarif(path: str, strength: Strength) -> None:
    text = json.dumps(strength_sarif(strength, __version__), indent=2)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. Name another file") from None
