"""Print the proof of an ended loop as Markdown for a pull request, or as JSON.

The receipt says STALE if the files have changed since the end of the loop.
"""

from __future__ import annotations

import argparse

from ...core.prompts.phrases import strip_control_characters
from ...drive.records import loop_records
from ...views import receipt
from .. import exits, here, output
from ..argument_kinds import add_json, add_word

EXAMPLES = """  loop receipt
  loop receipt >> pull-request.md
  loop receipt --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "id", "an ended loop (default: the last)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    loop, head, tree, later = loop_records.load_receipt(here.loop_folder(), args.id)
    if args.json:
        output.show_json(receipt.facts(loop, head, tree, later))
    else:
        print(strip_control_characters(receipt.text(loop, head, tree, later)), end="")
    if tree != loop.tree or later:
        return exits.ERROR
    return exits.PROVEN if loop.verdict and loop.verdict.proven else exits.REPORTED
