"""Print the proof of an ended loop: as the end screen in a terminal, else as Markdown or JSON.

The receipt says STALE if the files have changed since the end of the loop.
"""

from __future__ import annotations

import argparse
import sys

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
        text = receipt.screen_text if sys.stdout.isatty() else receipt.text
        print(strip_control_characters(text(loop, head, tree, later)), end="")
    if tree != loop.tree or later:
        return exits.ERROR
    return exits.exit_code(loop)
