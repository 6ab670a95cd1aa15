"""Let run what you have read: a .loop/ that came from elsewhere, or checks that were found in files or proposed."""

from __future__ import annotations

import argparse
import time

from ...core.criteria import Check, Criterion
from ...core.loop import Loop
from ...core.signals import Ordered
from ...drive.errors import UserError
from ...drive.step import step
from ...store import journal, trust
from ...store.create import note_ownership
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.journal import JournalChanged
from ...verify import tools
from .. import exits, here, output

EXAMPLES = """  loop allow                # shows what would run, and asks
  loop allow "tests pass"   # this one only
  loop allow --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria whose check may run (all by default)")
    parser.add_argument("--yes", action="store_true", help="I have read them")


def run(args: argparse.Namespace) -> int:
    place = here.loop_folder()
    try:
        loop = place.read_loop()
        if loop:
            with place.locked():
                pass
    except UntrustedFolder:
        return adopt_loop_folder(place, args.yes, "not started here by you")
    except JournalChanged:
        return adopt_loop_folder(
            place, args.yes, "and its journal is not as we left it; `loop audit` says where"
        )
    if loop is None:
        raise UserError("no active loop in this folder. Start one: loop start SPEC")
    waiting = [c for c in unallowed_criteria(loop) if not args.names or c.name in args.names]
    if not waiting:
        raise UserError("no check waits for you here. See: loop criteria")
    output.show_text("These commands would run at every stop:")
    output.show_text(
        "\n".join(exact_check_text(c.name, c.check, place.root) for c in waiting if c.check)
    )
    if not args.yes and not output.ask_yes_or_no("Allow them?"):
        output.show_text("Nothing was allowed.")
        return exits.WAITS
    allowed = []
    for c in waiting:
        assert c.check is not None
        trust.allow_check(place, c.check)
        allowed.append(c.but(check=c.check.but(allowed=True)))
    said = step(place, Ordered(time.time(), "allow", criteria=tuple(allowed)))
    output.show_text(said.message)
    return exits.PROVEN


ORIGINS = {
    "proposed": "proposed by the agent",
    "file": "found in a file",
    "plan": "found in the plan",
}


def exact_check_text(name: str, check: Check, root: str) -> str:
    """What would run, every letter of it: what a terminal would obey or hide is spelled out."""
    where = ORIGINS.get(check.origin, check.origin)
    rows = [
        f"  {name} ← {trust.command_text(check)}",
        f"      ({where}; in {root}, at most {check.timeout} s)",
    ]
    if script := tools.package_script(check.command, root):
        rows.insert(1, f"      which runs: {script}")
    letters = "\n".join(rows)
    return "".join(
        x if x.isprintable() or x == "\n" else x.encode("unicode_escape").decode() for x in letters
    )


def unallowed_criteria(loop: Loop) -> list[Criterion]:
    return [c for c in (*loop.criteria, *loop.must_not) if c.check and not c.check.allowed]


def adopt_loop_folder(place: LoopFolder, yes: bool, why: str) -> int:
    """A loop folder that is not this user's, was moved, or was changed: shown, and taken over on a yes."""
    tail = journal.read(place.journal_path)
    loop = tail.loop
    output.show_text(
        f"{place.path} holds loop {loop.id}, {why}.\nSpec: {loop.spec[:500]}\nIts checks:"
    )
    checks = [
        exact_check_text(c.name, c.check, place.root)
        for c in (*loop.criteria, *loop.must_not)
        if c.check
    ]
    output.show_text("\n".join(checks) or "  (none)")
    if not yes and not output.ask_yes_or_no("Make it yours?"):
        output.show_text("It stays inert.")
        return exits.WAITS
    note_ownership(place, loop.id, tail.head)
    output.show_text("It is yours now. See: loop status")
    return exits.PROVEN
