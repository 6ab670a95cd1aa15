"""What happened, event by event, from the journal itself; also of loops that have ended."""

from __future__ import annotations

import argparse
import json
import os
import time

from ...drive.errors import UserError
from ...store.folder import LoopFolder
from ...store.history import ended_loop_ids
from .. import exits, here, output

EXAMPLES = "  loop journal\n  loop journal --last 5\n  loop journal 20261115-093000-ab12cd --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", default="", help="an ended loop (the active one by default)"
    )
    parser.add_argument("--last", type=int, default=0, metavar="N", help="only the last N moves")
    parser.add_argument("--json", action="store_true", help="the lines as they are")


def run(args: argparse.Namespace) -> int:
    path = journal_path(here.loop_folder(), args.id)
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()[-args.last :]
    for line in lines:
        if args.json:
            output.show_text(line.rstrip("\n"))
        else:
            output.show_text(move_text(line))
    return exits.PROVEN


def journal_path(place: LoopFolder, loop_id: str) -> str:
    ended = loop_id.rstrip("/")
    path = place.path_of("history", ended, "journal.jsonl") if ended else place.journal_path
    if (ended and ended not in ended_loop_ids(place)) or not os.path.exists(path):
        what = f"no loop {loop_id!r} in history" if loop_id else "no active loop in this folder"
        raise UserError(f"{what}. See: loop history")
    return path


def move_text(line: str) -> str:
    """One Move in a line or two of text."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return "(a torn line)"
    at = time.strftime("%H:%M:%S", time.localtime(entry["at"]))
    rows = [f"{entry['seq']:>4} {at} {_event_text(event)}" for event in entry["events"]]
    return "\n".join(rows)


def _event_text(event: dict[str, object]) -> str:
    skipped = (
        "is",
        "at",
        "cursors",
        "loop",
        "streak",
        "check_round",
        "turn",
    )  # turn: in journals of format 1
    parts = [f"{name}={_value_text(value)}" for name, value in event.items() if name not in skipped]
    return f"{event['is']} {' '.join(parts)}".rstrip()


def _value_text(value: object) -> str:
    if isinstance(value, dict):
        return (
            "("
            + ", ".join(
                f"{name} {_value_text(part)}"
                for name, part in value.items()
                if name not in ("is", "at", "detail")
            )
            + ")"
        )
    return " ".join(str(value).split())[:80]
