"""Test this folder and the installation, and name the fix for each problem."""

from __future__ import annotations

import argparse

from ...drive.doctor.diagnosis import Diagnosis
from ...drive.doctor.examination import diagnose_folder
from ...drive.doctor.loop import repair_journal
from .. import exits, here, output
from ..argument_kinds import add_json, add_switch

EXAMPLES = """  loop doctor
  loop doctor --fix    # set a damaged journal aside, and put back its second copy
  loop doctor --json"""
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_switch(
        parser, "--fix", "set a journal aside that cannot be read, and put back its second copy"
    )


def run(args: argparse.Namespace) -> int:
    folder, _ = here.lost_loop()
    if args.fix:
        if here.agent_variable():
            here.refuse_agent_command(folder, "doctor --fix")
        output.show_warning(repair_journal(folder) or "loop: the journal here needs no repair")
    findings = diagnose_folder(folder)
    return show_findings(findings, args.json)


def show_findings(findings: list[Diagnosis], as_json: bool) -> int:
    """The exit code is that of an error if one of them is a failure."""
    if as_json:
        output.show_json([finding.__dict__ for finding in findings])
    else:
        for finding in findings:
            show_finding(finding)
    return exits.ERROR if any(finding.level == "fail" for finding in findings) else exits.PROVEN


def show_finding(finding: Diagnosis) -> None:
    output.show_text(f"{MARKS[finding.level]} {finding.what}")
    if finding.fix and finding.level != "ok":
        output.show_text(f"    fix: {finding.fix}")
