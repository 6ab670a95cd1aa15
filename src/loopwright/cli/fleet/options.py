"""The arguments of `loop fleet`: one function for each action. No database is imported here."""

from __future__ import annotations

import argparse

from ...core.proof.disputes import RULINGS
from ..run_options import add_run_options
from ..start.options import add_options
from .job_words import REFUSED

DEFAULT_SLOTS = 2


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        metavar="ADDRESS",
        default="",
        help="a SQLite file or postgresql://USER@HOST/NAME (default: LOOP_FLEET_DATABASE, "
        "then `loop fleet init`, then a SQLite file in your state folder)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_job(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOB", help="its id, the beginning of its id, or its name")


def add_submit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", default="", help="what to do; - reads it from stdin")
    job = parser.add_argument_group("the job")
    job.add_argument(
        "--repository",
        metavar="ADDRESS",
        help="where workers clone the repository from "
        "(default: the repository here, sent as a git bundle)",
    )
    job.add_argument(
        "--ref",
        default="",
        help="the branch, tag or commit to begin at (default: HEAD); needs --repository",
    )
    job.add_argument("--name", default="", help="a name to call it by (default: from the spec)")
    job.add_argument(
        "--label",
        metavar="LABEL",
        action="append",
        default=[],
        help="only a worker with this label takes it",
    )
    job.add_argument(
        "--priority", type=int, default=0, metavar="N", help="higher ones begin first (default 0)"
    )
    job.add_argument("--account", metavar="NAME", help="an account of the workers that pays for it")
    job.add_argument(
        "--results",
        metavar="ADDRESS",
        help="push branch, kept trees and receipt to this repository at the end",
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
    parser.add_argument(
        "--yes",
        action="store_true",
        help="leave uncommitted changes behind; allow more than $100 or 50 iterations",
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
    parser.add_argument(
        "--label",
        metavar="LABEL",
        action="append",
        default=[],
        help="a label that jobs may ask for; agent:NAME is added for each installed agent",
    )
    parser.add_argument(
        "--account",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="an account and its variables for agents: a file with lines NAME=VALUE, mode 600",
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        default="",
        help="where it keeps checkouts (default: in your state folder)",
    )
    parser.add_argument(
        "--until-idle", action="store_true", help="end when no job is queued or running"
    )
    parser.add_argument(
        "--drain",
        metavar="WORKER",
        nargs="?",
        const="here",
        help="ask the workers of this machine, or the one named, to finish their turns and end",
    )
    add_database(parser)


def add_status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "job", metavar="JOB", nargs="?", default="", help="one job, with its turns (default: all)"
    )
    parser.add_argument("--all", action="store_true", help="also those that are closed")
    parser.add_argument("--watch", action="store_true", help="show it again every two seconds")
    add_json(parser)
    add_database(parser)


def add_logs(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="follow it until the job ends, asks or pauses"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    add_database(parser)


def add_order(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    add_json(parser)
    add_database(parser)


def add_rule(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("name", metavar="NAME", help="the criterion that you decide about")
    parser.add_argument("ruling", choices=RULINGS, help="your decision")
    parser.add_argument("command", nargs="?", default="", help="the new check, after `change`")
    add_json(parser)
    add_database(parser)


def add_order_with_text(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("text", metavar="TEXT", nargs="+", help="your words")
    add_json(parser)
    add_database(parser)


def add_retry(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument("--budget", metavar="N", help="add so many dollars to its budget")
    parser.add_argument("--iterations", metavar="N", help="add so many iterations")
    parser.add_argument("--minutes", metavar="N", help="add so many minutes of running time")
    add_json(parser)
    add_database(parser)


def add_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scope",
        nargs="?",
        default="",
        metavar="SCOPE",
        help="fleet, account:NAME or repository:NAME (default: list all limits)",
    )
    parser.add_argument("--at-once", metavar="N", help="jobs that run at the same time; 0: any")
    parser.add_argument(
        "--turns", metavar="N/PERIOD", help="turns that begin in a period, such as 60/1h; 0/1h: any"
    )
    parser.add_argument(
        "--budget", metavar="N", help="dollars in all, from the first turn on; 0: any"
    )
    parser.add_argument(
        "--clear", action="store_true", help="remove its limits, and its wait for a usage limit"
    )
    add_json(parser)
    add_database(parser)


def add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", metavar="ADDRESS", default="", help="where jobs push their results"
    )
    parser.add_argument("--budget", metavar="N", default="", help="dollars of the whole fleet")
    add_json(parser)
    add_database(parser)


def add_results(parser: argparse.ArgumentParser) -> None:
    add_job(parser)
    parser.add_argument(
        "--fetch",
        action="store_true",
        help="bring the branch, the kept trees and the receipt into the repository here",
    )
    add_json(parser)
    add_database(parser)


def add_schedule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="its name (default: list them)")
    parser.add_argument(
        "cron",
        nargs="?",
        default="",
        metavar="cron -- SUBMIT WORDS",
        help="minute, hour, day, month, weekday, such as '0 3 * * 1-5'; after two dashes what "
        "you would type after `loop fleet submit`",
    )
    parser.set_defaults(words=[])  # what follows `--`, see ActionParser
    parser.add_argument(
        "--timezone", metavar="TZ", default="", help="such as Europe/Berlin (default: UTC)"
    )
    parser.add_argument("--delete", metavar="NAME", default="", help="delete this schedule")
    add_json(parser)
    add_database(parser)


def add_doctor(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_database(parser)


def add_clean(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--older-than",
        metavar="TIME",
        default="30d",
        help="how long ago a job was closed, such as 12h or 30d (default 30d)",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)
    add_database(parser)
