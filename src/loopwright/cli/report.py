"""What a loop was asked, what is proven and how, what failed, what it cost, what to do next: Markdown for the morning."""

from __future__ import annotations

import argparse
import os

from ..core.wording import plain
from ..drive.worktree import branch_for
from ..store import journal
from ..verify import clone
from ..views import report
from . import exits, here
from .journal import path_of

EXAMPLES = "  loop report\n  loop report > morning.md\n  loop report 20261114-231500-a1b2c3"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", help="a loop that has ended (default: the one here, or the last)")


def run(args: argparse.Namespace) -> int:
    place = here.folder()
    wanted = args.id
    if not wanted and not os.path.exists(place.journal):
        from ..store.history import last

        ended = last(place)
        wanted = ended.id if ended else ""
    path = path_of(place, wanted)
    loop = journal.read(path).loop
    stat = clone.diff_stat(place.root, loop.run.base) if loop.run and loop.run.base else ""
    branch = clone.branch_of(place.root)
    own = branch if branch == branch_for(loop) else ""
    print(plain(report.text(loop, journal.moves(path), stat, own)), end="")
    return exits.PROVEN
