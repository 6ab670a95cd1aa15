"""Print a report in Markdown: the spec, what is proven and how, failures, cost and next steps."""

from __future__ import annotations

import argparse

from ...core.loop import Loop
from ...core.prompts.phrases import strip_control_characters
from ...drive import records
from ...drive.runner.worktree import loop_branch
from ...repo import user_repo
from ...store import journal
from ...store.folder import LoopFolder
from ...views import report
from .. import exits, here

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
    return folder, records.find_journal(folder, loop_id)


def load_loop(loop_id: str) -> tuple[LoopFolder, str, Loop]:
    """The same, with the loop itself; a loop that came with a repository needs `loop allow`."""
    folder = here.loop_folder()
    return folder, *records.load_loop(folder, loop_id)


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
