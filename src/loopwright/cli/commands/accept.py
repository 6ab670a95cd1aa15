"""Accept findings that refute a claim, such as a weakened test. The verdict names them.

Only a person may accept a finding.
"""

from __future__ import annotations

import argparse

from ...drive import orders
from ...views import facts
from .. import exits, here, output

EXAMPLES = """  loop accept                 # list the findings with their keys
  loop accept 3f2a91bc
  loop accept --all --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", help="keys of findings, as `loop accept` lists them")
    parser.add_argument("--all", action="store_true", help="accept all findings")
    parser.add_argument("--yes", action="store_true", help="do not ask; you have read them")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    findings = orders.open_findings(folder, tuple(args.keys))
    keys = tuple(finding.key for finding in findings) if args.all else tuple(args.keys)
    if args.json:
        output.show_json([facts.finding_fields(finding) for finding in findings])
    elif not args.yes or not keys:
        output.show_text(orders.accept_findings(folder, ()).message)
    if not keys:
        return exits.PROVEN
    if not args.yes and not output.ask_yes_or_no(f"Take {', '.join(keys)} as it is?"):
        output.show_text("Nothing was accepted.")
        return exits.WAITS
    output.show_text(orders.accept_findings(folder, keys).message)
    return exits.PROVEN
