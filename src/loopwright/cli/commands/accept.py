"""Take as it is what the look back to the start has found. It is named in the verdict; only a person may say it."""

from __future__ import annotations

import argparse

from ...drive import orders
from ...views import facts
from .. import exits, here, output

EXAMPLES = """  loop accept                 # what was found, each with its key
  loop accept 3f2a91bc
  loop accept --all --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", help="findings, as `loop accept` lists them")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--yes", action="store_true", help="I have looked at them")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, _ = here.active_loop()
    found = orders.open_findings(place, tuple(args.keys))
    keys = tuple(finding.key for finding in found) if args.all else tuple(args.keys)
    if args.json:
        output.show_json([facts.finding_fields(finding) for finding in found])
    elif not args.yes or not keys:
        output.show_text(orders.accept_findings(place, ()).message)
    if not keys:
        return exits.PROVEN
    if not args.yes and not output.ask_yes_or_no(f"Take {', '.join(keys)} as it is?"):
        output.show_text("Nothing was accepted.")
        return exits.WAITS
    output.show_text(orders.accept_findings(place, keys).message)
    return exits.PROVEN
