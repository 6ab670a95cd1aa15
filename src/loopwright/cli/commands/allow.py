"""Allow checks that were found in files or proposed by an agent, after showing them.

Also takes over a .loop/ folder that was not started here by you, or whose journal was changed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

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

EXAMPLES = """  loop allow                # show what would run, and ask
  loop allow "tests pass"   # only this check
  loop allow --yes"""
ORIGINS = {
    "proposed": "proposed by the agent",
    "file": "found in a file",
    "plan": "found in the plan",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria whose check may run (default: all)")
    parser.add_argument("--yes", action="store_true", help="do not ask; you have read them")


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    try:
        loop = folder.read_loop()
        if loop:
            with folder.locked():
                pass
    except UntrustedFolder:
        return adopt_loop_folder(folder, args.yes, "not started here by you")
    except JournalChanged:
        return adopt_loop_folder(
            folder, args.yes, "and its journal is not as we left it; `loop audit` says where"
        )
    if loop is None:
        raise UserError("no active loop in this folder. Start one: loop start SPEC")
    waiting = [c for c in unallowed_criteria(loop) if not args.names or c.name in args.names]
    if not waiting:
        raise UserError("no check waits for you here. See: loop criteria")
    output.show_text("These commands would run at every stop:")
    output.show_text("\n".join(check_texts(waiting, folder.root)))
    if not args.yes and not output.ask_yes_or_no("Allow them?"):
        output.show_text("Nothing was allowed.")
        return exits.WAITS
    allowed = []
    for c in waiting:
        assert c.check is not None
        trust.allow_check(folder, c.check)
        allowed.append(c.but(check=c.check.but(allowed=True)))
    reply = step(folder, Ordered(time.time(), "allow", criteria=tuple(allowed)))
    output.show_text(reply.message)
    return exits.PROVEN


def unallowed_criteria(loop: Loop) -> list[Criterion]:
    return [c for c in (*loop.criteria, *loop.must_not) if c.check and not c.check.allowed]


def check_texts(criteria: Iterable[Criterion], root: str) -> list[str]:
    return [exact_check_text(c.name, c.check, root) for c in criteria if c.check]


def exact_check_text(name: str, check: Check, root: str) -> str:
    """What would run, character by character, so that nothing can hide on a terminal."""
    origin = ORIGINS.get(check.origin, check.origin)
    rows = [f"  {name} ← {trust.command_text(check)}"]
    if script := tools.package_script(check.command, root):
        rows.append(f"      which runs: {script}")
    rows.append(f"      ({origin}; in {root}, at most {check.timeout} s)")
    return "".join(map(_visible_character, "\n".join(rows)))


def _visible_character(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return character.encode("unicode_escape").decode()


def adopt_loop_folder(folder: LoopFolder, yes: bool, why: str) -> int:
    """Show a loop folder that is foreign, moved or changed; take it over if the person agrees."""
    tail = journal.read(folder.journal_path)
    loop = tail.loop
    output.show_text(
        f"{folder.path} holds loop {loop.id}, {why}.\nSpec: {loop.spec[:500]}\nIts checks:"
    )
    checks = check_texts((*loop.criteria, *loop.must_not), folder.root)
    output.show_text("\n".join(checks) or "  (none)")
    if not yes and not output.ask_yes_or_no("Make it yours?"):
        output.show_text("It stays inert.")
        return exits.WAITS
    note_ownership(folder, loop.id, tail.head)
    output.show_text("It is yours now. See: loop status")
    return exits.PROVEN
