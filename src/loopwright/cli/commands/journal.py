"""Show what happened, event by event, in the active loop or in one that has ended."""

from __future__ import annotations

import argparse
import json
import time

from ...drive.records.loop_records import journal_path
from ...store.journal import FORMAT, require_readable_format
from ...store.upgrade import upgrade
from .. import exits, here, output
from ..argument_kinds import add_switch, add_word

EXAMPLES = """  loop journal
  loop journal --last 5
  loop journal 20261115-093000-ab12cd --json"""
# Not shown: they are long, or of no use to a person. `turn` occurs in journals of format 1.
HIDDEN_FIELDS = ("is", "at", "cursors", "loop", "streak", "check_round")
HIDDEN_PARTS = ("is", "at", "detail")


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "id", "an ended loop (default: the active one)")
    parser.add_argument(
        "--last", type=int, default=0, metavar="N", help="show only the last N moves"
    )
    add_switch(parser, "--json", "print the lines as they are")


def run(args: argparse.Namespace) -> int:
    path = journal_path(here.loop_folder(), args.id)
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()[-args.last :]
    for line in lines:
        if args.json:
            output.show_text(line.rstrip("\n"))
        else:
            output.show_text(move_text(path, line))
    return exits.PROVEN


def move_text(path: str, line: str) -> str:
    """One Move as text, a line for each event."""
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return "(a torn line)"
    require_readable_format(path, entry)
    at = time.strftime("%H:%M:%S", time.localtime(entry["at"]))
    events = upgrade(entry["events"]) if entry["v"] < FORMAT else entry["events"]
    rows = [f"{entry['seq']:>4} {at} {_event_text(event)}" for event in events]
    return "\n".join(rows)


def _event_text(event: dict[str, object]) -> str:
    fields = {name: value for name, value in event.items() if name not in HIDDEN_FIELDS}
    parts = [f"{name}={_value_text(value)}" for name, value in fields.items()]
    return f"{event['is']} {' '.join(parts)}".rstrip()


def _value_text(value: object) -> str:
    if not isinstance(value, dict):
        return " ".join(str(value).split())[:80]
    parts = [
        f"{name} {_value_text(part)}" for name, part in value.items() if name not in HIDDEN_PARTS
    ]
    return f"({', '.join(parts)})"
