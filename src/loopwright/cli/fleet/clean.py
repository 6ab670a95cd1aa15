"""`loop fleet clean`: remove jobs that were closed long ago, and what belongs to them alone."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ...core.prompts.phrases import count_phrase
from ...drive.errors import UserError
from ...fleet.limits import parse_duration
from ...fleet.retention import count_removable, remove_old
from .. import exits, output
from .connection import opened_database


def run(args: argparse.Namespace) -> int:
    seconds = parse_duration(args.older_than, "--older-than")
    with opened_database(args) as database:
        found = count_removable(database, seconds)
        question = (
            f"Remove {count_phrase(found.jobs, 'job')} with logs and checkpoints, and "
            f"{count_phrase(found.workers, 'ended worker')}, older than {args.older_than}?"
        )
        needs_consent = bool(found.jobs or found.workers) and not args.yes
        if needs_consent and not output.ask_yes_or_no(question):
            raise UserError(f"{question} Nothing was removed. To remove it: loop fleet clean --yes")
        removed = remove_old(database, seconds)
    if args.json:
        output.show_json(asdict(removed))
    else:
        output.show_text(
            f"Removed {count_phrase(removed.jobs, 'job')}, "
            f"{count_phrase(removed.bundles, 'bundle')}, "
            f"{count_phrase(removed.workers, 'ended worker')} and "
            f"{count_phrase(removed.workflows, 'workflow')} of the engine. "
            "What they spent still counts in the budgets."
        )
    return exits.PROVEN
