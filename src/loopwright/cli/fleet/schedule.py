"""`loop fleet schedule`: submit a job at each date of a cron line; list or delete schedules."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ...drive.errors import UserError
from ...drive.new_loop import TooVague
from ...fleet.database import Database
from ...fleet.schedules import create_schedule, delete_schedule, list_schedules
from .. import exits, output
from ..commands.start import explain_vague_spec
from .board_text import table_lines
from .connection import opened_database
from .job_request import JobBuilder
from .job_words import WordsParser
from .options import add_submit

HEAD = ("SCHEDULE", "CRON", "TIME ZONE", "JOB", "REPOSITORY", "LAST", "NEXT")


def run(args: argparse.Namespace) -> int:
    if args.name == "":
        raise UserError(
            'a schedule needs a name: loop fleet schedule nightly "0 3 * * *" -- "SPEC"'
        )
    if args.delete and (args.name or args.cron):
        raise UserError("--delete takes the name; leave the rest out")
    with opened_database(args) as database:
        if args.delete:
            delete_schedule(database, args.delete)
            if not args.json:
                output.show_text(f"Schedule {args.delete} is deleted; its jobs stay.")
        elif args.name:
            try:
                add_schedule(database, args)
            except TooVague as vague:
                return explain_vague_spec(vague)
        if args.json or not (args.delete or args.name):
            show_schedules(database, args.json)
    return exits.PROVEN


def add_schedule(database: Database, args: argparse.Namespace) -> None:
    if not args.cron or not args.words:
        raise UserError(
            "a schedule needs a cron line and what to submit: "
            f'loop fleet schedule {args.name} "0 3 * * *" -- "fix all failing tests"'
        )
    parser = WordsParser(
        prog="loop fleet submit", add_help=False, allow_abbrev=False, conflict_handler="resolve"
    )
    add_submit(parser)
    typed = parser.parse_args_into(args.words, argparse.Namespace())
    if typed.from_file or typed.database:
        raise UserError("--from and --database are not for a schedule's job")
    if typed.until:
        raise UserError("--until names one moment; a schedule's job has others each time")
    request = JobBuilder().build(typed)
    create_schedule(database, args.name, args.cron, args.timezone, request, typed.ref)
    if args.json:
        return
    where = (
        f"the commit that {request.repository} then has"
        if request.address
        else f"commit {request.base_commit[:12]}, which is HEAD now"
    )
    output.show_text(
        f"Schedule {args.name}: {args.cron} {args.timezone or 'UTC'}, at {where}. "
        "It submits while a worker runs; missed dates are not made up for."
    )


def show_schedules(database: Database, as_json: bool) -> None:
    found = list_schedules(database)
    if as_json:
        output.show_json([asdict(schedule) for schedule in found])
    elif not found:
        output.show_text(
            'No schedule. Add one: loop fleet schedule nightly "0 3 * * *" -- "SPEC" --check …'
        )
    else:
        rows = [
            (
                each.name,
                each.cron,
                each.timezone,
                each.job,
                each.repository,
                each.last_fired or "-",
                each.next_date or "never",
            )
            for each in found
        ]
        output.show_text("\n".join(table_lines(HEAD, rows)))
