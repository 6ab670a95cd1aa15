"""The arguments of `loop fleet`: one function for each action. No database is imported here."""

from __future__ import annotations

import argparse

from ...core.proof.disputes import RULINGS
from ..argument_kinds import add_json, add_switch, add_value, add_values, add_word
from ..run_options import add_run_options
from ..start.options import add_options
from .job_words import REFUSED

DEFAULT_SLOTS = 2


def add_database(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser,
        "--database ADDRESS",
        "a SQLite file or postgresql://USER@HOST/NAME (default: LOOP_FLEET_DATABASE, "
        "then `loop fleet init`, then a SQLite file in your state folder)",
    )


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every action takes that answers at once."""
    add_json(parser)
    add_database(parser)


def add_job(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOB", help="its id, the beginning of its id, or its name")


def add_submit(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "spec", "what to do; - reads it from stdin")
    job = parser.add_argument_group("the job")
    add_value(
        job,
        "--repository ADDRESS",
        "where workers clone the repository from "
        "(default: the repository here, sent as a git bundle)",
        default=None,
    )
    add_value(
        job,
        "--ref REF",
        "the branch, tag or commit to begin at (default: HEAD); needs --repository",
    )
    add_value(job, "--name NAME", "a name to call it by (default: from the spec)")
    add_values(job, "--label LABEL", "only a worker with this label takes it")
    job.add_argument(
        "--priority", type=int, default=0, metavar="N", help="higher ones begin first (default 0)"
    )
    add_value(job, "--account NAME", "an account of the workers that pays for it", default=None)
    add_value(
        job,
        "--results ADDRESS",
        "push branch, kept trees and receipt to this repository at the end",
        default=None,
    )
    job.add_argument(
        "--from",
        dest="from_file",
        metavar="FILE",
        default="",
        help="submit a job for each line of this file, a JSON object with the names of the "
        "options; - reads stdin. All are submitted, or none",
    )
    add_database(parser)
    add_options(parser)
    add_run_options(parser)
    add_switch(
        parser, "--yes", "leave uncommitted changes behind; allow more than $100 or 50 iterations"
    )
    add_json(parser)
    for action in parser._actions:
        if action.dest in (*REFUSED, "plain"):
            action.help = argparse.SUPPRESS


def add_worker(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slots",
        type=int,
        default=DEFAULT_SLOTS,
        metavar="N",
        help=f"how many jobs it runs at once (default {DEFAULT_SLOTS})",
    )
    add_values(
        parser,
        "--label LABEL",
        "a label that jobs may ask for; agent:NAME is added for each installed agent",
    )
    add_values(
        parser,
        "--account NAME=FILE",
        "an account and its variables for agents: a file with lines NAME=VALUE, mode 600",
    )
    add_value(parser, "--root DIR", "where it keeps checkouts (default: in your state folder)")
    add_switch(parser, "--until-idle", "end when no job is queued or running")
    parser.add_argument(
        "--drain",
        metavar="WORKER",
        nargs="?",
        const="here",
        help="ask the workers of this machine, or the one named, to finish their turns and end",
    )
    add_database(parser)


def add_status(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "job", "one job, with its turns (default: all)", "JOB")
    add_switch(parser, "--all", "also those that are closed")
    add_switch(parser, "--watch", "show it again every two seconds")
    add_common(parser)


def add_logs(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="follow it until the job ends, asks or pauses"
    )
    add_switch(parser, "--json", "print one JSON object per line")
    add_database(parser)


def add_order(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    add_common(parser)


def add_rule(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("name", metavar="NAME", help="the criterion that you decide about")
    parser.add_argument("ruling", choices=RULINGS, help="your decision")
    add_word(parser, "command", "the new check, after `change`")
    add_common(parser)


def add_order_with_text(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("text", metavar="TEXT", nargs="+", help="your words")
    add_common(parser)


def add_retry(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    add_value(parser, "--budget N", "add so many dollars to its budget", default=None)
    add_value(parser, "--iterations N", "add so many iterations", default=None)
    add_value(parser, "--minutes N", "add so many minutes of running time", default=None)
    add_common(parser)


def add_limit(parser: argparse.ArgumentParser) -> None:
    add_word(
        parser,
        "scope",
        "fleet, account:NAME or repository:NAME (default: list all limits)",
        "SCOPE",
    )
    add_value(parser, "--at-once N", "jobs that run at the same time; 0: any", default=None)
    add_value(
        parser,
        "--turns N/PERIOD",
        "turns that begin in a period, such as 60/1h; 0/1h: any",
        default=None,
    )
    add_value(parser, "--budget N", "dollars in all, from the first turn on; 0: any", default=None)
    add_switch(parser, "--clear", "remove its limits, and its wait for a usage limit")
    add_common(parser)


def add_init(parser: argparse.ArgumentParser) -> None:
    add_value(parser, "--results ADDRESS", "where jobs push their results")
    add_value(parser, "--budget N", "dollars of the whole fleet")
    add_common(parser)


def add_results(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    add_switch(
        parser,
        "--fetch",
        "bring the branch, the kept trees and the receipt into the repository here",
    )
    add_common(parser)


def add_clean(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser,
        "--older-than TIME",
        "how long ago a job was closed, such as 12h or 30d (default 30d)",
        default="30d",
    )
    add_switch(parser, "--yes", "do not ask")
    add_common(parser)
