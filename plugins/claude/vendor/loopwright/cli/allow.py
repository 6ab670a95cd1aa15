"""Let run what you have read: a .loop/ that came from elsewhere, or checks that were found in files or proposed."""

from __future__ import annotations

import argparse
import time

from ..core.loop import Criterion, Loop
from ..core.signals import Ordered
from ..drive.orders import UserError
from ..drive.step import step
from ..store import journal, trust
from ..store.folder import LoopFolder, NotOurs
from ..store.lay import own
from . import exits, here, output

EXAMPLES = """  loop allow                # shows what would run, and asks
  loop allow "tests pass"   # this one only
  loop allow --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria whose check may run (all by default)")
    parser.add_argument("--yes", action="store_true", help="I have read them")


def run(args: argparse.Namespace) -> int:
    place = here.folder()
    try:
        loop = place.peek()
    except NotOurs:
        return adopt(place, args.yes)
    if loop is None:
        raise UserError("no active loop in this folder. Start one: loop start SPEC")
    waiting = [c for c in waiting_checks(loop) if not args.names or c.name in args.names]
    if not waiting:
        raise UserError("no check waits for you here. See: loop criteria")
    output.show("These commands would run at every stop:")
    output.show("\n".join(f"  {c.name} ← {trust.spelled(c.check)}" for c in waiting if c.check))
    if not args.yes and not output.agreed("Allow them?"):
        output.show("Nothing was allowed.")
        return exits.WAITS
    allowed = []
    for c in waiting:
        assert c.check is not None
        trust.allow(place, c.check)
        allowed.append(c.but(check=c.check.but(allowed=True)))
    said = step(place, Ordered(time.time(), "allow", criteria=tuple(allowed)))
    output.show(said.say)
    return exits.PROVEN


def waiting_checks(loop: Loop) -> list[Criterion]:
    return [c for c in (*loop.criteria, *loop.forbidden) if c.check and not c.check.allowed]


def adopt(place: LoopFolder, yes: bool) -> int:
    """A loop folder that is not this user's, or was moved: shown, and taken over on a yes."""
    tail = journal.read(place.journal)
    loop = tail.loop
    output.show(f"{place.path} holds loop {loop.id}, not started here by you.\nSpec: {loop.spec[:500]}\nIts checks:")
    output.show(
        "\n".join(f"  {c.name} ← {trust.spelled(c.check)}" for c in (*loop.criteria, *loop.forbidden) if c.check) or "  (none)"
    )
    if not yes and not output.agreed("Make it yours?"):
        output.show("It stays inert.")
        return exits.WAITS
    own(place, loop.id, tail.head)
    output.show("It is yours now. See: loop status")
    return exits.PROVEN
