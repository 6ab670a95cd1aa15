"""Delete all that is kept of an ended loop: journal, evidence, state, held-out checks, trees. This cannot be undone."""

from __future__ import annotations

import argparse
import os
import shutil

from ..drive.orders import UserError
from ..store import holdouts
from ..store.folder import seal_of
from ..store.history import ids
from ..verify import kept
from . import exits, here, output

EXAMPLES = "  loop forget 20261115-093000-ab12cd"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="as `loop history` shows it")
    parser.add_argument("--yes", action="store_true", help="without asking")


def run(args: argparse.Namespace) -> int:
    place = here.folder()
    name = args.id.rstrip("/")  # as a shell completes it
    if name not in ids(place):
        raise UserError(f"no ended loop {args.id!r} here. See: loop history")
    path = place.inside("history", name)
    if not args.yes and not output.agreed(f"Delete {path}, and the trees that it kept, for good?"):
        output.show("Kept. (Nobody said yes; --yes says it.)")
        return exits.WAITS
    shutil.rmtree(path)
    holdouts.drop(name)
    kept.drop(place.root, name)
    if os.path.exists(seal_of(name)):
        os.remove(seal_of(name))
    output.show(f"Forgotten: {args.id}")
    return exits.PROVEN
