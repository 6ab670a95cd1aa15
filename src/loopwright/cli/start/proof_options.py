"""Flags that keep a proof from being made easier: retries, known failures, protected paths, held-out checks, a reviewer."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ...core.intake import parse_named_check
from ...drive.errors import UserError
from ...drive.start import Safeguards
from .plan_options import whole_number

Args = argparse.Namespace
MAX_RETRIES = 10


def arguments(group: Any) -> None:
    group.add_argument(
        "--no-worse-than-baseline",
        action="store_true",
        help="tests that fail now may go on to fail, and no others may",
    )
    group.add_argument(
        "--protect",
        metavar="PATH",
        action="append",
        default=[],
        help="may not change at all; as in .gitignore",
    )
    group.add_argument(
        "--holdout",
        metavar="NAME=COMMAND",
        action="append",
        default=[],
        help="run at the end only; the agent never sees it",
    )
    group.add_argument(
        "--review",
        metavar="COMMAND",
        default="",
        help="reads the change as JSON on stdin and approves or objects in JSON",
    )


def requested_safeguards(person: Args | None, root: str, usual: int, has_plan: bool) -> Safeguards:
    """All of these are the person's to say. With a plan, --retries is for its tasks."""
    if person is None:
        return Safeguards(usual)
    retries = usual if has_plan else whole_number("--retries", person.retries, usual, MAX_RETRIES)
    for path in person.protect:
        if not any(letter in path for letter in "*?[") and not os.path.lexists(
            os.path.join(root, path)
        ):
            raise UserError(f"--protect {path}: there is no such path here")
    protect = tuple(path.removeprefix("./") for path in person.protect)
    return Safeguards(
        retries,
        person.no_worse_than_baseline,
        protect,
        tuple(map(_parse_holdout, person.holdout)),
        person.review,
    )


def _parse_holdout(text: str) -> tuple[str, str | tuple[str, ...]]:
    try:
        name, check = parse_named_check(text)
    except ValueError as error:
        raise UserError(f"--holdout: {error}") from error
    if check is None:
        raise UserError(f'--holdout needs a command: --holdout "{name}=COMMAND"')
    return name, check.command
