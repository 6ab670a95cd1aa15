"""From what was typed to a Request: flags over environment over settings, and what an agent may not ask for."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from ..core.intake import named_check, topics
from ..core.loop import Check, Criterion, Limits
from ..drive.orders import MOST_DOLLARS, MOST_ITERATIONS, UserError, amount
from ..drive.start import Request
from ..importers import shape_md
from ..store import config
from ..store.folder import LoopFolder
from . import here


def request_of(args: argparse.Namespace, place: LoopFolder, settings: dict[str, Any], detected: dict[str, Check]) -> Request:
    own = {check.command for check in detected.values()}
    criteria, must_not = criteria_of(args, place, settings["check.timeout"], own)
    session = args.session or os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    return Request(
        spec_of(args),
        criteria,
        must_not,
        tuple(args.step),
        limits_of(args, config.limits(settings)),
        config.prices(),
        args.shape or shape_wanted(settings),
        args.score,
        args.reversibility,
        session,
        gates=not args.yes and not headless(),
        headless=headless(),
        volatile=tuple(args.volatile),
        pass_env=tuple(args.pass_env),
    )


def shape_wanted(settings: dict[str, Any]) -> str:
    wanted = os.environ.get("LOOP_SHAPE") or settings["shape"]
    if wanted not in config.SHAPES:
        raise UserError(f"LOOP_SHAPE is one of {', '.join(config.SHAPES)}, not {wanted!r}")
    return str(wanted)


def headless() -> bool:
    return os.environ.get("LOOP_HEADLESS", "").lower() in ("1", "true", "yes")


def spec_of(args: argparse.Namespace) -> str:
    if args.file:
        try:
            with open(args.file, encoding="utf-8-sig") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {args.file}: {error}") from error
    elif args.spec == "-" or (not args.spec and not sys.stdin.isatty()):
        text = sys.stdin.read()
    else:
        text = args.spec
    if not text.strip():
        raise UserError('what is to be done? Say it: loop start "fix all failing tests"')
    return text.strip()


def criteria_of(
    args: argparse.Namespace, place: LoopFolder, timeout: int, own: set[str | tuple[str, ...]]
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """What was typed, then what SHAPE.md adds. A check that an agent types, and that is not the repository's own, waits."""
    try:
        typed = [named_check(text) for text in (*args.criterion, *args.check)]
        forbidden = [named_check(text) for text in args.must_not]
    except ValueError as error:
        raise UserError(str(error)) from error

    def fit(check: Check | None) -> Check | None:
        if check and here.marker() and check.command not in own:
            return check.but(timeout=timeout, origin="proposed", allowed=False)
        return check and check.but(timeout=timeout)

    named: dict[str, Criterion] = {}
    for name, check in typed:  # the same name in --criterion and --check is one criterion
        before = named.get(name)
        named[name] = Criterion(name, fit(check) or (before.check if before else None))
    must_not = {name: Criterion(name, fit(check)) for name, check in forbidden}
    path = place.inside("shape", "SHAPE.md")
    if os.path.isfile(path):
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            shape = shape_md.read(file.read(1_000_000))
        named = {c.name: c for c in shape.criteria} | named
        must_not = {c.name: c for c in shape.must_not} | must_not
    if both := sorted(set(named) & set(must_not)):
        raise UserError(f"{both[0]!r} cannot be a criterion and a must-not at once")
    return tuple(named.values()), tuple(must_not.values())


def limits_of(args: argparse.Namespace, usual: Limits) -> Limits:
    """Flags over environment over settings. An agent may go below the defaults, not above; nothing is clamped silently."""
    wanted = {
        "iterations": ("--iterations", args.iterations or os.environ.get("LOOP_MAX_ITERATIONS")),
        "dollars": ("--budget", args.budget or os.environ.get("LOOP_BUDGET")),
        "minutes": ("--minutes", args.minutes),
    }
    given = {name: amount(flag, text) for name, (flag, text) in wanted.items() if text}
    for name, value in given.items():
        if here.marker() and value > getattr(usual, name):
            raise UserError(f"{wanted[name][0]} {value:g} is above the default; a higher limit is the person's to give")
    most = {"dollars": MOST_DOLLARS, "iterations": MOST_ITERATIONS}
    for name, value in most.items():
        if given.get(name, 0) > value and not args.yes:
            raise UserError(f"{wanted[name][0]} {given[name]:g} is above {value:g}. Add --yes if you mean it")
    if "iterations" in given:
        given["iterations"] = max(1, int(given["iterations"]))
    return usual.but(**given)


def checks_in(answer: str, timeout: int) -> tuple[Criterion, ...]:
    """A command given as the answer to «which command shows that it works?» is a check that the person typed."""
    words = answer.split()
    if not words or not shutil.which(words[0]):
        return ()
    return (Criterion((*topics(answer), "it works")[0], Check(answer, timeout)),)
