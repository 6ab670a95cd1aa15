"""Delete all that is kept of an ended loop: journal, evidence, state, held-out checks, trees. This cannot be undone."""

from __future__ import annotations

import argparse
import os
import shutil

from ...drive.errors import UserError
from ...repo import kept_trees
from ...store import holdouts
from ...store.folder import seal_path
from ...store.history import ended_loop_ids
from .. import exits, here, output

EXAMPLES = "  loop forget 20261115-093000-ab12cd"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="as `loop history` shows it")
    parser.add_argument("--yes", action="store_true", help="without asking")


def run(args: argparse.Namespace) -> int:
    place = here.loop_folder()
    name = args.id.rstrip("/")  # as a shell completes it
    if name not in ended_loop_ids(place):
        raise UserError(f"no ended loop {args.id!r} here. See: loop history")
    path = place.path_of("history", name)
    if not args.yes and not output.ask_yes_or_no(
        f"Delete {path}, and the trees that it kept, for good?"
    ):
        output.show_text("Kept. (Nobody said yes; --yes says it.)")
        return exits.WAITS
    shutil.rmtree(path)
    holdouts.delete_holdouts(name)
    kept_trees.drop_kept_trees(place.root, name)
    if os.path.exists(seal_path(name)):
        os.remove(seal_path(name))
    output.show_text(f"Forgotten: {args.id}")
    return exits.PROVEN
