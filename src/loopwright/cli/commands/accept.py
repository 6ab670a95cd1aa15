"""Accept findings that refute a claim, such as a weakened test. The verdict names them.

Only a person may accept a finding. Of a loop that has ended, they accept the result as it is, in a
terminal of their own; `--revoke` takes that back.
"""

from __future__ import annotations

import argparse

from ...core.findings import HIGH, MEDIUM
from ...core.loop import Loop, open_findings
from ...drive.errors import UserError
from ...drive.orders import loop_orders
from ...drive.records import ended_record, loop_records
from ...store.folder import LoopFolder
from ...views import facts
from .. import exits, here, output
from ..argument_kinds import add_json, add_loop_id, add_switch

EXAMPLES = """  loop accept                 # list the findings with their keys
  loop accept 3f2a91bc
  loop accept --all --yes
  loop accept --revoke        # of an ended loop: take back what you accepted after its end"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", help="keys of findings, as `loop accept` lists them")
    add_switch(parser, "--all", "accept all findings")
    add_switch(parser, "--yes", "do not ask; you have read them")
    add_loop_id(parser, "--id")
    add_switch(parser, "--revoke", "take back what you accepted after the end")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if ended := here.ended_loop(args.id):
        return _accept_ended_loop(args, *ended)
    folder, _ = here.active_loop()
    if args.revoke:
        raise UserError("the loop is active: --revoke is for one that has ended. See: loop why")
    findings = loop_orders.open_findings(folder, tuple(args.keys))
    keys = tuple(finding.key for finding in findings) if args.all else tuple(args.keys)
    if args.json:
        output.show_json([facts.finding_fields(finding) for finding in findings])
    elif not args.yes or not keys:
        output.show_text(loop_orders.accept_findings(folder, ()).message)
    if not keys:
        return exits.PROVEN
    if not args.yes and not output.ask_yes_or_no(f"Take {', '.join(keys)} as it is?"):
        output.show_text("Nothing was accepted.")
        return exits.WAITS
    output.show_text(loop_orders.accept_findings(folder, keys).message)
    return exits.PROVEN


def _accept_ended_loop(args: argparse.Namespace, folder: LoopFolder, path: str) -> int:
    """Accept the result of an ended loop, or take that back; its record gets one more line."""
    loop = loop_records.load_loop(folder, args.id)[1]
    findings = open_findings(loop, HIGH, MEDIUM)
    known = tuple(finding.key for finding in findings)
    loop_orders.refuse_unknown_keys(findings, args.keys)
    if args.json:
        output.show_json([facts.finding_fields(finding) for finding in findings])
    elif not (args.yes or args.revoke):
        lost = loop_records.lost_record_lines(folder, loop.id)
        output.show_text("\n".join((ended_record.list_open_points(loop).message, *lost)))
    if not (args.keys or args.all or args.revoke):
        return exits.PROVEN
    here.require_own_terminal("accept")
    if args.revoke:
        return _show_grade(ended_record.revoke_acceptance(folder, path))
    keys = known if args.all else tuple(args.keys)
    if not args.yes and not output.ask_yes_or_no("Take it as it is?"):
        output.show_text("Nothing was accepted.")
        return exits.WAITS
    return _show_grade(ended_record.accept_result(folder, path, keys))


def _show_grade(loop: Loop) -> int:
    output.show_text(ended_record.grade_line(loop))
    return exits.exit_code(loop)
