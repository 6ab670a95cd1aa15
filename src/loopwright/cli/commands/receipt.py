"""Print the proof of an ended loop as Markdown for a pull request, or as JSON.

The receipt says STALE if the files have changed since the end of the loop.
"""

from __future__ import annotations

import argparse

from ...core.prompts.phrases import strip_control_characters
from ...drive.errors import UserError
from ...repo.tree import tree_hash
from ...store import journal
from ...views import receipt
from .. import exits, here, output
from .report import load_loop

EXAMPLES = """  loop receipt
  loop receipt >> pull-request.md
  loop receipt --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", help="an ended loop (default: the last)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    here.loop_folder().read_loop()  # completes an archive that a crash interrupted
    folder, path, loop = load_loop(args.id)
    if loop.status != "finished" or not loop.verdict:
        raise UserError(
            f"loop {loop.id} is {loop.status}: there is nothing to give a receipt for. "
            "See: loop status, loop history"
        )
    tree = tree_hash(folder.root, folder.path, loop.settings.volatile_globs)
    head = journal.read(path).head
    if args.json:
        output.show_json(receipt.facts(loop, head, tree))
    else:
        print(strip_control_characters(receipt.text(loop, head, tree)), end="")
    if tree != loop.tree:
        return exits.ERROR
    return exits.PROVEN if loop.verdict.proven else exits.REPORTED
