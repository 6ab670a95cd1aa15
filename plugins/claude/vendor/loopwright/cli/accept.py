"""Take as it is what the look back to the start has found. It is named in the verdict; only a person may say it."""

from __future__ import annotations

import argparse
import time

from ..core.objections import described
from ..core.ratchet import HIGH, MEDIUM, standing
from ..core.signals import Ordered
from ..drive.orders import UserError
from ..drive.step import step
from . import exits, here, output

EXAMPLES = """  loop accept                 # what was found, each with its key
  loop accept 3f2a91bc
  loop accept --all --yes"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", help="findings, as `loop accept` lists them")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--yes", action="store_true", help="I have looked at them")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.loop()
    found = {finding.key: finding for finding in standing(loop, HIGH, MEDIUM)}
    if unknown := [key for key in args.keys if key not in found]:
        raise UserError(f"no finding {unknown[0]!r}; there are: {', '.join(found) or 'none'}. See: loop accept")
    wanted = [found[key] for key in (found if args.all or not args.keys else args.keys)]
    if args.json:
        output.show_json([{"key": finding.key, **finding.__dict__} for finding in wanted])
    else:
        rows = [f"{finding.key}  {finding.severity}\n{described(finding)}" for finding in wanted]
        output.show("\n".join(rows) or "Nothing was found, or nobody has looked yet: that is done when all criteria are met.")
    if not wanted or not (args.keys or args.all):
        return exits.PROVEN
    if not args.yes and not output.agreed("Take this as it is?"):
        output.show("Nothing was accepted.")
        return exits.WAITS
    output.show(step(place, Ordered(time.time(), "accept", names=tuple(finding.key for finding in wanted))).say)
    return exits.PROVEN
