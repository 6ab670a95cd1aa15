"""Answer the question of a waiting loop: yes, no, guidance, or «proceed without confirmation»."""

from __future__ import annotations

import argparse

from ...drive.orders.given_orders import give_answer
from .. import exits, here, output

EXAMPLES = """  loop answer yes
  loop answer "proceed without confirmation"
  loop answer "yes, but leave the public API alone\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="your answer")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    output.show_text(give_answer(folder, " ".join(args.text)))
    return exits.PROVEN
