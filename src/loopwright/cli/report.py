"""What a loop was asked, what is proven and how, what failed, what it cost, what to do next: Markdown for the morning."""

from __future__ import annotations

import argparse
import os

from ..core.loop import Loop
from ..core.wording import plain
from ..drive.orders import UserError
from ..drive.worktree import branch_for
from ..store import journal
from ..store.folder import LoopFolder
from ..store.history import ids, is_sealed
from ..verify import clone
from ..views import report
from . import exits, here
from .journal import path_of

EXAMPLES = "  loop report\n  loop report > morning.md\n  loop report 20261114-231500-a1b2c3"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", help="a loop that has ended (default: the one here, or the last)")


def located(loop_id: str) -> tuple[LoopFolder, str]:
    """The folder and the journal of the loop that is meant: the named one, else the one here, else the last that ended."""
    place = here.folder()
    if not loop_id and not os.path.exists(place.journal):
        ended = ids(place)
        loop_id = ended[0] if ended else ""
    return place, path_of(place, loop_id)


def chosen(loop_id: str) -> tuple[LoopFolder, str, Loop]:
    """The same, with the loop itself. One that came with a repository is nobody's to go by before `loop allow`."""
    place, path = located(loop_id)
    tail = journal.read(path)
    if path == place.journal:
        place.must_own(tail.loop)
    elif not is_sealed(name := os.path.basename(os.path.dirname(path)), tail):
        raise UserError(f"{path} did not end here, or not so: it came from elsewhere, or was changed. See: loop audit {name}")
    return place, path, tail.loop


def run(args: argparse.Namespace) -> int:
    place, path, loop = chosen(args.id)
    stat = clone.diff_stat(place.root, loop.run.base) if loop.run and loop.run.base else ""
    branch = clone.branch_of(place.root)
    own = branch if branch == branch_for(loop) else ""
    print(plain(report.text(loop, journal.moves(path), stat, own)), end="")
    return exits.PROVEN
