"""Show or edit the backlog of a discovery loop: its items, its focus and its notes."""

from __future__ import annotations

import argparse
import time

from ...core.discovery.backlog import MAX_ITEMS, Backlog, matching_item, unique_items
from ...core.signals import BacklogEdited
from ...drive.errors import UserError
from ...drive.inbox import NOTED, post_signal
from ...drive.step import step
from ...views import discovery_board, facts
from .. import exits, here, output
from ..argument_kinds import add_json

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
        "action", nargs="?", choices=ACTIONS, default="list", help="what to do (default: list)"
    )
    parser.add_argument(
        "text",
        nargs="*",
        help="items, one per argument; done also takes numbers; focus without text clears it",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    if not loop.backlog:
        raise UserError(
            "this loop works on a spec and has no backlog. "
            "One that improves: loop start --preset NAME SCOPE"
        )
    if args.action == "list" and args.text:
        raise UserError(f"list takes no words. To add it: loop backlog add {' '.join(args.text)!r}")
    if args.action != "list":
        edit = backlog_edit(args.action, args.text, loop.backlog)
        if post_signal(edit):
            output.show_text(NOTED)
            return exits.PROVEN
        step(folder, edit)
        loop = here.active_loop()[1]
    if args.json:
        output.show_json(facts.backlog_facts(loop))
    else:
        output.show_text(discovery_board.backlog_list(loop))
    return exits.PROVEN


def backlog_edit(action: str, texts: list[str], backlog: Backlog) -> BacklogEdited:
    items = unique_items(texts)
    if action == "focus":
        return BacklogEdited(time.time(), focus=" ".join(items))
    if not items:
        raise UserError(f"what? For example: loop backlog {action} TEXT")
    if action == "add":
        refuse_too_many_items(len(backlog.items), len(items))
        return BacklogEdited(time.time(), found=items)
    if action == "done":
        return BacklogEdited(time.time(), done=tuple(find_item(text, backlog) for text in items))
    return BacklogEdited(time.time(), new_note=" ".join(items))


def refuse_too_many_items(before: int, added: int) -> None:
    if before + added > MAX_ITEMS:
        raise UserError(
            f"the backlog has {before} open items, and {MAX_ITEMS} is the most. Do some first"
        )


def find_item(text: str, backlog: Backlog) -> str:
    """The item by its number or its words; a typing mistake is an error, not a new item."""
    if text.isdecimal() and 0 < int(text) <= len(backlog.items):
        return backlog.items[int(text) - 1]
    item = matching_item(text, backlog.items)
    if not item:
        raise UserError(
            f"no open item {text!r}. See them: loop backlog. New and done at once: add it first"
        )
    return item
