"""Allow checks that were found in files or proposed by an agent, after showing them.

Also takes over a .loop/ folder that was not started here by you, or whose journal was changed.
"""

from __future__ import annotations

import argparse

from ...core.criteria import OUTSIDE
from ...core.loop import Loop
from ...drive import checks
from ...drive.errors import UserError
from ...store import journal
from ...store.create import note_ownership
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.journal import JournalChanged
from .. import exits, here, output
from ..argument_kinds import add_switch

EXAMPLES = """  loop allow                # show what would run, and ask
  loop allow "tests pass"   # only this check
  loop allow "db tests" --outside   # without the sandbox of the checks
  loop allow --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", help="criteria whose check may run (default: all)")
    add_switch(parser, "--yes", "do not ask; you have read them")
    add_switch(parser, "--outside", "let the named checks run outside their sandbox")


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
    if args.outside:
        return allow_outside(folder, loop, args.names)
    waiting = checks.waiting_checks(loop, args.names)
    output.show_text("These commands would run at every stop:")
    plan_file = loop.plan.file if loop.plan else ""
    output.show_text("\n".join(checks.check_texts(waiting, folder.root, plan_file)))
    if not args.yes and not output.ask_yes_or_no("Allow them?"):
        output.show_text("Nothing was allowed.")
        return exits.WAITS
    with output.show_spinner("running them once"):
        reply = checks.allow_checks(folder, waiting)
    output.show_text(reply.message)
    return exits.PROVEN


def allow_outside(folder: LoopFolder, loop: Loop, names: list[str]) -> int:
    """Let checks of this loop run without a sandbox, here and in later loops."""
    criteria = {c.name: c for c in (*loop.criteria, *loop.must_not) if c.check}
    if not names or any(name not in criteria for name in names):
        known = ", ".join(criteria) or "none"
        raise UserError(f"which check? loop allow NAME --outside; there are: {known}")
    released = []
    for name in names:
        check = criteria[name].check
        assert check is not None
        released.append(criteria[name].but(check=check.but(box=OUTSIDE)))
    output.show_text(checks.allow_checks(folder, released).message)
    return exits.PROVEN


def adopt_loop_folder(folder: LoopFolder, yes: bool, why: str) -> int:
    """Show a loop folder that is foreign, moved or changed; take it over if the person agrees."""
    tail = journal.read(folder.journal_path)
    loop = tail.loop
    output.show_text(
        f"{folder.path} holds loop {loop.id}, {why}.\nSpec: {loop.spec[:500]}\nIts checks:"
    )
    plan_file = loop.plan.file if loop.plan else ""
    rows = checks.check_texts((*loop.criteria, *loop.must_not), folder.root, plan_file)
    output.show_text("\n".join(rows) or "  (none)")
    if not yes and not output.ask_yes_or_no("Make it yours?"):
        output.show_text("It stays inert.")
        return exits.WAITS
    note_ownership(folder, loop.id, tail.head)
    output.show_text("It is yours now. See: loop status")
    return exits.PROVEN
