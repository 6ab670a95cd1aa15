"""Delete all that is kept of an ended loop: journal, evidence, state, held-out checks and trees.

This cannot be undone.
"""

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
    parser.add_argument("id", help="the id that `loop history` shows")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    name = args.id.rstrip("/")  # shell completion adds a slash
    if name not in ended_loop_ids(folder):
        raise UserError(f"no ended loop {args.id!r} here. See: loop history")
    path = folder.path_of("history", name)
    if not args.yes and not output.ask_yes_or_no(
        f"Delete {path}, and the trees that it kept, for good?"
    ):
        output.show_text("Kept. (Nobody said yes; --yes says it.)")
        return exits.WAITS
    shutil.rmtree(path)
    holdouts.delete_holdouts(name)
    kept_trees.drop_kept_trees(folder.root, name)
    if os.path.exists(seal_path(name)):
        os.remove(seal_path(name))
    output.show_text(f"Forgotten: {args.id}")
    return exits.PROVEN
