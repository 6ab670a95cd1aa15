"""Print a report in Markdown: the spec, what is proven and how, failures, cost and next steps."""

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

EXAMPLES = """  loop report
  loop report > morning.md
  loop report 20261114-231500-a1b2c3"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        default="",
        help="an ended loop (default: the one here, or the last)",
    )


def find_journal(loop_id: str) -> tuple[LoopFolder, str]:
    """The folder and journal of the named loop, else of the one here, else of the last one."""
    folder = here.loop_folder()
    if not loop_id and not os.path.exists(folder.journal_path):
        ended = ended_loop_ids(folder)
        loop_id = ended[0] if ended else ""
    return folder, journal_path(folder, loop_id)


def load_loop(loop_id: str) -> tuple[LoopFolder, str, Loop]:
    """The same, with the loop itself; a loop that came with a repository needs `loop allow`."""
    folder, path = find_journal(loop_id)
    tail = journal.read(path)
    if path == folder.journal_path:
        folder.require_ownership(tail.loop)
        return folder, path, tail.loop
    name = os.path.basename(os.path.dirname(path))
    if not is_sealed(name, tail):
        raise UserError(
            f"{path} did not end here, or not so: it came from elsewhere, or was changed. "
            f"See: loop audit {name}"
        )
    return folder, path, tail.loop


def run(args: argparse.Namespace) -> int:
    folder, path, loop = load_loop(args.id)
    stat = ""
    if loop.run and loop.run.base_commit:
        stat = user_repo.diff_stat(folder.root, loop.run.base_commit)
    branch = user_repo.current_branch(folder.root)
    own_branch = branch if branch == loop_branch(loop) else ""
    text = report.text(loop, journal.events_by_move(path), stat, own_branch)
    print(strip_control_characters(text), end="")
    return exits.PROVEN
