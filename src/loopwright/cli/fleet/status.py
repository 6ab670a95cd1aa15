"""`loop fleet status`: the board of the fleet, or one job with everything about it."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ...core.proof.grades import PROVEN, PROVEN_IN_PLACE
from ...drive.errors import UserError
from ...fleet.board import FleetBoard, read_board, read_job_page
from ...fleet.database import Database
from ...fleet.jobs import find_job
from ...fleet.orders import BY_PERSON
from .. import exits, output
from .board_text import board_lines, job_lines
from .connection import opened_database

WATCH_SECONDS = 2.0
CLEAR_SCREEN = "\033[H\033[2J"
STATE_CODES = {
    "asking": exits.WAITS,
    "failed": exits.ERROR,
    "cancelled": exits.PERSON,
}
PROVEN_GRADES = (PROVEN, PROVEN_IN_PLACE)


def run(args: argparse.Namespace) -> int:
    if args.watch and args.json:
        raise UserError("--watch draws a screen; with --json leave it out")
    with opened_database(args) as database:
        if not args.watch:
            return show_once(database, args)
        with suppress(KeyboardInterrupt):  # the usual way to end it
            while True:
                if sys.stdout.isatty():
                    sys.stdout.write(CLEAR_SCREEN)
                show_once(database, args)
                time.sleep(WATCH_SECONDS)
    return exits.PROVEN


def show_once(database: Database, args: argparse.Namespace) -> int:
    if args.job:
        return show_job(database, args.job, args.json)
    with database.reading() as connection:
        board: FleetBoard = read_board(connection, database, args.all)
    if args.json:
        output.show_json({"database": database.shown_address, **asdict(board)})
    else:
        output.show_text("\n".join(board_lines(board)))
    return exits.PROVEN


def show_job(database: Database, word: str, as_json: bool) -> int:
    """Show the job; the exit code says its state, as that of `loop run` would."""
    with database.reading() as connection:
        page = read_job_page(connection, database, find_job(connection, word))
    if as_json:
        output.show_json(page)
    else:
        output.show_text("\n".join(job_lines(page)))
    return state_code(page["state"], page["grade"], page["reason"], page["loop_facts"])


def state_code(state: str, grade: str, reason: str, loop_facts: dict[str, Any]) -> int:
    """The code that `loop run` would have ended with; 0 for a job that may still work."""
    if state == "ended":
        verdict = loop_facts.get("verdict") or {}
        return exits.PROVEN if verdict.get("enough", grade in PROVEN_GRADES) else exits.REPORTED
    if state == "paused" and reason == BY_PERSON:  # its loop may not have begun
        return exits.PERSON
    if state == "paused":
        return exits.PAUSE_CODES.get(loop_facts.get("cause", ""), exits.BREAKER)
    return STATE_CODES.get(state, exits.PROVEN)
