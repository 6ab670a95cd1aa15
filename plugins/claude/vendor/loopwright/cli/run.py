"""Drive the loop of this folder with an agent, without a session, until it is proven, pauses or asks."""

from __future__ import annotations

import argparse
import os
from contextlib import AbstractContextManager

from ..agents.script.headless import agent
from ..core.loop import Loop
from ..core.signals import Continue, Reply
from ..core.wording import COMPLETE, clip, iteration, reason
from ..drive.headless import DriverBusy, Watch
from ..drive.headless import run as drive
from ..drive.orders import UserError
from ..store.folder import LoopFolder
from ..store.history import last
from . import exits, here, output

EXAMPLES = "  loop run --agent script --script rehearsal.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", choices=("script",), default="script", help="who does the work")
    parser.add_argument("--script", metavar="FILE", required=True, help="the turns that the scripted agent plays")


def run(args: argparse.Namespace) -> int:
    place, loop = here.loop()
    if loop.status != "running":
        raise UserError(f"the loop is {loop.status}: {loop.why}. See: loop status")
    if not os.path.isfile(args.script):
        raise UserError(f"no script at {args.script}")
    return driven(place, loop, os.path.abspath(args.script))


def driven(place: LoopFolder, loop: Loop, script: str) -> int:
    try:
        said = drive(place, agent(script), Watch(turn, ended))
    except DriverBusy as error:
        raise UserError(str(error)) from error
    output.show(said.say)
    return exits.code_of(place.peek() or last(place) or loop)


def turn(loop: Loop) -> AbstractContextManager[None]:
    output.show(iteration(loop))
    return output.waiting("the agent works")


def ended(text: str, loop: Loop, reply: Reply) -> None:
    """Live lines: what the agent said, what our own run of the checks found, and what follows."""
    output.show(f"    agent: {clip(text.strip().partition(chr(10))[0], 100)}")
    if not isinstance(reply, Continue):
        return
    for c in loop.criteria:
        found = f"{c.proof.outcome} {c.proof.code}, {c.proof.seconds:.1f} s" if c.proof else "not run"
        output.show(f"    {'✓' if loop.is_met(c) else '✗'} {c.name} ({found})")
    if not loop.exit_claimed and (COMPLETE in text or "EXIT_SIGNAL: true" in text):
        output.show("    ✗ claimed done, but it is not: the claim is taken back")
    if loop.streak.stuck:
        output.show(f"    … no progress, {loop.streak.stuck} of {loop.limits.stuck}")
    output.show(f"    → {reason(loop)}")
