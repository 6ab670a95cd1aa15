"""Test this folder and the installation, and name the fix for each problem."""

from __future__ import annotations

import argparse

from ...drive.doctor import Diagnosis, diagnose_folder
from .. import exits, here, output

EXAMPLES = """  loop doctor
  loop doctor --json"""
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    findings = diagnose_folder(here.loop_folder())
    if args.json:
        output.show_json([finding.__dict__ for finding in findings])
    else:
        for finding in findings:
            show_finding(finding)
    return exits.ERROR if any(finding.level == "fail" for finding in findings) else exits.PROVEN


def show_finding(finding: Diagnosis) -> None:
    output.show_text(f"{MARKS[finding.level]} {finding.what}")
    if finding.fix and finding.level != "ok":
        output.show_text(f"    fix: {finding.fix}")
