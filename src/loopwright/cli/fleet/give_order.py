"""The actions answer, steer, pause, cancel, retry and rule: an order for the loop of a job."""

from __future__ import annotations

import argparse

from ...drive.errors import UserError
from ...drive.orders.loop_orders import parse_amount
from ...fleet.board import next_command
from ...fleet.database import Database
from ...fleet.jobs import find_job, read_job
from ...fleet.orders import RULE, give_order, ruling_text, wait_for_reply
from ...fleet.tables import RUNNING
from .. import exits, output
from .connection import opened_database

REPLY_SECONDS = 5.0
AMOUNTS = {"budget": "dollars", "iterations": "iterations", "minutes": "minutes"}


def run(args: argparse.Namespace) -> int:
    text = order_text(args)
    if args.action in ("answer", "steer") and not text:
        raise UserError(f'say what: loop fleet {args.action} {args.job} "…"')
    amounts = {
        name: parse_amount(f"--{option}", getattr(args, option))
        for option, name in AMOUNTS.items()
        if getattr(args, option, None)
    }
    with opened_database(args) as database:
        with database.reading() as connection:
            job_id = find_job(connection, args.job).id
        number, reply = give_order(database, job_id, args.action, text, amounts)
        given = reply or (wait_for_reply(database, number, REPLY_SECONDS) if number else "")
        show_reply(database, job_id, args.action, given, args.json)
    return exits.PROVEN


def order_text(args: argparse.Namespace) -> str:
    if args.action == RULE:
        return ruling_text(args.name, args.ruling, args.command)
    return " ".join(getattr(args, "text", [])).strip()


def show_reply(
    database: Database, job_id: str, action: str, reply: str | None, as_json: bool
) -> None:
    """What the order did, or when it takes effect."""
    with database.reading() as connection:
        state = read_job(connection, job_id).state
    text = reply if reply is not None else later_text(state, job_id)
    if as_json:
        output.show_json(
            {
                "job": job_id,
                "order": action,
                "applied": reply is not None,
                "text": text,
                "state": state,
                "next_command": next_command(state, job_id),
            }
        )
    else:
        output.show_text(text)


def later_text(state: str, job_id: str) -> str:
    when = (
        "when its worker has time for it, at the latest after the turn that runs now"
        if state == RUNNING
        else "when a worker takes the job"
    )
    return f"Noted. It takes effect {when}. See: loop fleet status {job_id}"
