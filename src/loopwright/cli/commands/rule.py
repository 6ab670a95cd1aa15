"""Decide about a criterion that the agent disputes, or a final check without looks left.

Only a person may rule. The verdict names the decision; a loop without a dropped criterion is never
proven.
"""

from __future__ import annotations

import argparse

from ...core.proof.disputes import RULINGS
from ...drive.orders import rulings
from ...drive.records import ended_record, loop_records
from ...store.folder import LoopFolder
from .. import exits, here, output
from ..argument_kinds import add_loop_id, add_word

EXAMPLES = """  loop rule                                # list what waits for you
  loop rule "tests pass" keep              # it must pass as it is
  loop rule "tests pass" drop              # continue without it; then it is never proven
  loop rule "tests pass" change "pytest -q tests/unit\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "name", "what you decide about", "NAME")
    parser.add_argument("ruling", nargs="?", choices=RULINGS, help="your decision")
    add_word(parser, "command", "the new check, after `change`")
    add_loop_id(parser, "--id")


def run(args: argparse.Namespace) -> int:
    if ended := here.ended_loop(args.id):
        return _rule_ended_loop(args, *ended)
    folder, loop = here.active_loop()
    if not args.name or not args.ruling:
        words = [args.name] if args.name else []
        output.show_text(rulings.rule_by_words(folder, words).message)
        return exits.PROVEN
    reply = rulings.rule_on_criterion(folder, loop, args.name, args.ruling, args.command)
    output.show_text(reply.message)
    return exits.PROVEN


def _rule_ended_loop(args: argparse.Namespace, folder: LoopFolder, path: str) -> int:
    """Decide about what was open at the end of a loop; its record gets one more line."""
    if not args.name or not args.ruling:
        loop = loop_records.load_loop(folder, args.id)[1]
        output.show_text(ended_record.list_open_points(loop).message)
        return exits.PROVEN
    here.require_own_terminal("rule")
    loop = ended_record.rule_after_end(folder, path, args.name, args.ruling)
    output.show_text(ended_record.grade_line(loop))
    return exits.exit_code(loop)
