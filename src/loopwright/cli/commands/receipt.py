"""The proof of an ended loop: Markdown for a pull request, or JSON. It says STALE when the files have moved on."""

from __future__ import annotations

import argparse

from ...core.prompts.phrases import strip_control_characters
from ...drive.errors import UserError
from ...repo.tree import tree_hash
from ...store import journal
from ...views import receipt
from .. import exits, here, output
from .report import load_loop

EXAMPLES = "  loop receipt\n  loop receipt >> pull-request.md\n  loop receipt --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", default="", help="a loop that has ended (default: the last)"
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    here.loop_folder().read_loop()  # finishes an archive that a crash left half done
    place, path, loop = load_loop(args.id)
    if loop.status != "finished" or not loop.verdict:
        raise UserError(
            f"loop {loop.id} is {loop.status}: there is nothing to give a receipt for. See: loop status, loop history"
        )
    now = tree_hash(place.root, place.path, loop.settings.volatile_globs)
    head = journal.read(path).head
    if args.json:
        output.show_json(receipt.facts(loop, head, now))
    else:
        print(strip_control_characters(receipt.text(loop, head, now)), end="")
    if now != loop.tree:
        return exits.ERROR
    return exits.PROVEN if loop.verdict.proven else exits.REPORTED
