"""Prove an ended loop once more: its record against what is kept outside, every check on a clean checkout of its tree."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress

from ...drive import audit
from ...drive.audit import Audit, Rerun
from ...store.journal import JournalError
from .. import exits, here, output
from .report import find_journal

EXAMPLES = """  loop audit
  loop audit --setup "npm ci"      # what the checks need and git ignores
  loop audit 20261114-231500-a1b2c3 --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        default="",
        help="a loop that has ended (default: the one here, or the last)",
    )
    parser.add_argument(
        "--setup",
        metavar="COMMAND",
        default="",
        help="run in the clean checkout first, such as npm ci",
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    with suppress(JournalError):
        here.loop_folder().read_loop()  # finishes an archive that a crash left half done
    place, path = find_journal(args.id)
    if os.path.isdir(path):
        place.require_plain_files()
    found = audit.audit_loop(
        place, path, args.setup, (lambda _: None) if args.json else output.show_text
    )
    if args.json:
        output.show_json(
            {
                **found.__dict__,
                "reruns": [rerun.__dict__ for rerun in found.reruns],
                "holds": found.holds,
            }
        )
    else:
        output.show_text(audit_text(found))
    return exits.PROVEN if found.holds else exits.ERROR


def audit_text(found: Audit) -> str:
    rows = [f"Loop {found.id}, tree {found.tree[:12]}"] if found.id else []
    rows += [f"✗ its journal: {problem}" for problem in found.problems] or [
        f"✓ its journal: {found.lines} lines, each fits to the next, and the last is the one kept outside the project"
    ]
    rows += [line for rerun in found.reruns for line in _rerun_lines(rerun)]
    if found.skipped:
        rows.append(f"· nothing was run again: {found.skipped}")
    rows.append(
        "It holds."
        if found.holds
        else "It does not hold, or cannot be shown again."
        if found.reruns or found.problems
        else ""
    )
    return "\n".join(row for row in rows if row)


def _rerun_lines(rerun: Rerun) -> list[str]:
    if rerun.holds is None:
        return [f"· {rerun.name}: {rerun.was}; that cannot be run again"]
    tail = [f"    {line}" for line in rerun.detail.splitlines()[-12:]]
    return [f"{'✓' if rerun.holds else '✗'} {rerun.name}: {rerun.was}; now it {rerun.now}", *tail]
