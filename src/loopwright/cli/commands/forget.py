"""Delete all that is kept of an ended loop: journal, evidence, state, held-out checks and trees.

Without an id it drops the loop whose .loop/ is gone from this folder. This cannot be undone.
"""

from __future__ import annotations

import argparse
import shutil

from ...drive.errors import UserError
from ...drive.records.forget import delete_records, forget_missing_loop
from ...store.history import ended_loop_ids, is_record_lost
from ...store.restore import missing_loop
from .. import exits, here, output
from ..argument_kinds import add_switch, add_word

EXAMPLES = """  loop forget 20261115-093000-ab12cd
  loop forget                          # the loop whose .loop/ is gone from here"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "id", "the id that `loop history` shows (default: a lost loop)")
    add_switch(parser, "--yes", "do not ask")


def run(args: argparse.Namespace) -> int:
    if not args.id:
        return forget_lost_loop(args.yes)
    folder = here.loop_folder()
    name = args.id.rstrip("/")  # shell completion adds a slash
    if (missing := missing_loop(folder)) and missing.id == name:
        return forget_lost_loop(args.yes)
    is_lost = name not in ended_loop_ids(folder)
    if is_lost and not is_record_lost(folder, name):
        raise UserError(f"no ended loop {args.id!r} here. See: loop history")
    path = folder.path_of("history", name)
    what = f"what is kept of {name}" if is_lost else path
    if not args.yes and not output.ask_yes_or_no(
        f"Delete {what}, and the trees that it kept, for good?"
    ):
        output.show_text("Kept: no yes was given. To delete it: --yes")
        return exits.WAITS
    if not is_lost:
        shutil.rmtree(path)
    delete_records(folder, name)
    output.show_text(f"Forgotten: {args.id}")
    return exits.PROVEN


def forget_lost_loop(yes: bool) -> int:
    folder, loop = here.lost_loop()
    if loop is None:
        raise UserError("no loop is missing here. Which ended one? See: loop history")
    if not yes and not output.ask_yes_or_no(f"Delete the only copy of loop {loop.id} for good?"):
        output.show_text("Kept: no yes was given. To delete it: --yes")
        return exits.WAITS
    forget_missing_loop(folder)
    output.show_text(f"Forgotten: {loop.id}")
    return exits.PROVEN
