"""Print a report in Markdown: the spec, what is proven and how, failures, cost and next steps.

With --html it is one HTML file with drawings. With --since it covers all loops of this machine.
"""

from __future__ import annotations

import argparse

from ...core.loop import Loop
from ...core.prompts.phrases import strip_control_characters
from ...drive.errors import UserError
from ...drive.records import loop_records
from ...drive.runner.worktree import loop_branch
from ...repo import user_repo
from ...repo.diff_sizes import diff_sizes
from ...store import journal_moves
from ...store.folder import LoopFolder
from ...views import report
from ...views.turn_history import turn_history
from .. import exits, here
from ..argument_kinds import add_loop_id, add_switch, add_value
from ..report_pages import print_html, print_since

EXAMPLES = """  loop report
  loop report > morning.md
  loop report --html > morning.html
  loop report --since yesterday
  loop report 20261114-231500-a1b2c3"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_loop_id(parser)

    add_switch(parser, "--html", "one HTML file with curves, lanes and folded evidence")
    add_value(
        parser,
        "--since WHEN",
        "all loops that have worked since then: yesterday, 8h, 22:00, 2026-11-15",
    )


def find_journal(loop_id: str) -> tuple[LoopFolder, str]:
    """The folder and journal of the named loop, else of the one here, else of the last one."""
    folder = here.loop_folder()
    return folder, loop_records.find_journal(folder, loop_id)


def load_loop(loop_id: str, folder: LoopFolder | None = None) -> tuple[LoopFolder, str, Loop]:
    """The same, with the loop itself; a loop that came with a repository needs `loop allow`."""
    folder = folder or here.loop_folder()
    return folder, *loop_records.load_loop(folder, loop_id)


def run(args: argparse.Namespace) -> int:
    if args.since:
        if args.id:
            raise UserError("--since covers all loops; leave the id out")
        print_since(args.since, args.html)
        return exits.PROVEN
    folder, path, loop = load_loop(args.id, None if args.id else here.folder_with_record())
    if args.html:
        print_html(folder, path)
        return exits.PROVEN
    stat = ""
    if loop.run and loop.run.base_commit:
        stat = user_repo.diff_stat(folder.root, loop.run.base_commit)
    branch = user_repo.current_branch(folder.root)
    own_branch = branch if branch == loop_branch(loop) else ""
    before, moves = journal_moves.recent_moves(path, report.MAX_ROWS)
    history = turn_history(moves, before)
    pairs = {row.trees for row in history.rows if row.trees[0]}
    changes = {
        trees: report.TurnChange(*change)
        for trees, change in diff_sizes(folder.root, folder.path, pairs).items()
    }
    text = report.text(loop, history, stat, own_branch, changes)
    print(strip_control_characters(text), end="")
    return exits.PROVEN
