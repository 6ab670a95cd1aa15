"""What a loop was asked, what is proven and how, what failed, what it cost, what to do next: Markdown for the morning."""

from __future__ import annotations

import argparse
import os

from ...core.loop import Loop
from ...core.prompts.phrases import strip_control_characters
from ...drive.errors import UserError
from ...drive.runner.worktree import loop_branch
from ...repo import user_repo
from ...store import journal
from ...store.folder import LoopFolder
from ...store.history import ended_loop_ids, is_sealed
from ...views import report
from .. import exits, here
from .journal import journal_path

EXAMPLES = "  loop report\n  loop report > morning.md\n  loop report 20261114-231500-a1b2c3"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        default="",
        help="a loop that has ended (default: the one here, or the last)",
    )


def find_journal(loop_id: str) -> tuple[LoopFolder, str]:
    """The folder and the journal of the loop that is meant: the named one, else the one here, else the last that ended."""
    place = here.loop_folder()
    if not loop_id and not os.path.exists(place.journal_path):
        ended = ended_loop_ids(place)
        loop_id = ended[0] if ended else ""
    return place, journal_path(place, loop_id)


def load_loop(loop_id: str) -> tuple[LoopFolder, str, Loop]:
    """The same, with the loop itself. One that came with a repository is nobody's to go by before `loop allow`."""
    place, path = find_journal(loop_id)
    tail = journal.read(path)
    if path == place.journal_path:
        place.require_ownership(tail.loop)
    elif not is_sealed(name := os.path.basename(os.path.dirname(path)), tail):
        raise UserError(
            f"{path} did not end here, or not so: it came from elsewhere, or was changed. See: loop audit {name}"
        )
    return place, path, tail.loop


def run(args: argparse.Namespace) -> int:
    place, path, loop = load_loop(args.id)
    stat = (
        user_repo.diff_stat(place.root, loop.run.base_commit)
        if loop.run and loop.run.base_commit
        else ""
    )
    branch = user_repo.current_branch(place.root)
    own = branch if branch == loop_branch(loop) else ""
    print(
        strip_control_characters(report.text(loop, journal.events_by_move(path), stat, own)), end=""
    )
    return exits.PROVEN
