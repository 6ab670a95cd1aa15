"""Test what can go wrong, here and on this machine, and say the fix of each finding."""

from __future__ import annotations

import argparse

from ...drive.doctor import diagnose_folder
from .. import exits, here, output

EXAMPLES = "  loop doctor\n  loop doctor --json"
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    findings = diagnose_folder(here.loop_folder())
    if args.json:
        output.show_json([finding.__dict__ for finding in findings])
    for finding in findings if not args.json else ():
        output.show_text(f"{MARKS[finding.level]} {finding.what}")
        if finding.fix and finding.level != "ok":
            output.show_text(f"    fix: {finding.fix}")
    return exits.ERROR if any(finding.level == "fail" for finding in findings) else exits.PROVEN
