"""The backlog of a discovery loop: see it, add what was found, say what is done, set the focus, take a note."""

from __future__ import annotations

import argparse
import time

from ...core.discovery.backlog import MAX_ITEMS, Backlog, matching_item, unique_items
from ...core.signals import BacklogEdited
from ...drive.errors import UserError
from ...drive.step import step
from ...views import discovery_board, facts
from .. import exits, here, output

EXAMPLES = """  loop backlog
  loop backlog add "the menu overlaps on small screens" "no empty state in the list"
  loop backlog done "the menu overlaps on small screens"
  loop backlog done 1
  loop backlog focus "keyboard reach of the dialogs"
  loop backlog note "the colours come from tokens.css"
  loop backlog --json | jq '.items'"""
ACTIONS = ("list", "add", "done", "focus", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", help="list is the default"
    )
    parser.add_argument(
        "text",
        nargs="*",
        help="an item each; done also takes its number; focus without a text clears it",
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    if not loop.backlog:
        raise UserError(
            "this loop works on a spec and has no backlog. One that improves: loop start --preset NAME SCOPE"
        )
    if args.action == "list" and args.text:
        raise UserError(f"list takes no words. To add it: loop backlog add {' '.join(args.text)!r}")
    if args.action != "list":
        step(place, backlog_edit(args.action, args.text, loop.backlog))
        loop = here.active_loop()[1]
    if args.json:
        output.show_json(facts.backlog_facts(loop))
    else:
        output.show_text(discovery_board.backlog_list(loop))
    return exits.PROVEN


def backlog_edit(action: str, texts: list[str], b: Backlog) -> BacklogEdited:
    said = unique_items(texts)
    if action == "focus":
        return BacklogEdited(time.time(), focus=" ".join(said))
    if not said:
        raise UserError(f"what? For example: loop backlog {action} TEXT")
    if action == "add":
        if len(b.items) + len(said) > MAX_ITEMS:
            raise UserError(
                f"the backlog has {len(b.items)} open items, and {MAX_ITEMS} is the most. Do some first"
            )
        return BacklogEdited(time.time(), found=said)
    if action == "done":
        return BacklogEdited(time.time(), done=tuple(find_item(text, b) for text in said))
    return BacklogEdited(time.time(), new_note=" ".join(said))


def find_item(text: str, b: Backlog) -> str:
    """The item by its number or its words. A person's slip is an error here, not a new entry."""
    if text.isdecimal() and 0 < int(text) <= len(b.items):
        return b.items[int(text) - 1]
    found = matching_item(text, b.items)
    if not found:
        raise UserError(
            f"no open item {text!r}. See them: loop backlog. New and done at once: add it first"
        )
    return found
