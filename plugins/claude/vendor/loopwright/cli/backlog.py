"""The backlog of a discovery loop: see it, add what was found, say what is done, set the focus, take a note."""

from __future__ import annotations

import argparse
import time

from ..core.backlog import MOST_ITEMS, Backlog, match, unique
from ..core.signals import Tended
from ..drive.orders import UserError
from ..drive.step import step
from ..views import facts, improving
from . import exits, here, output

EXAMPLES = """  loop backlog
  loop backlog add "the menu overlaps on small screens" "no empty state in the list"
  loop backlog done "the menu overlaps on small screens"
  loop backlog done 1
  loop backlog focus "keyboard reach of the dialogs"
  loop backlog note "the colours come from tokens.css"
  loop backlog --json | jq '.items'"""
ACTIONS = ("list", "add", "done", "focus", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="list", help="list is the default")
    parser.add_argument("text", nargs="*", help="an item each; done also takes its number; focus without a text clears it")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.loop()
    if not loop.backlog:
        raise UserError("this loop works on a spec and has no backlog. One that improves: loop start --preset NAME SCOPE")
    if args.action == "list" and args.text:
        raise UserError(f"list takes no words. To add it: loop backlog add {' '.join(args.text)!r}")
    if args.action != "list":
        step(place, tended(args.action, args.text, loop.backlog))
        loop = here.loop()[1]
    if args.json:
        output.show_json(facts.backlog(loop))
    else:
        output.show(improving.listed(loop))
    return exits.PROVEN


def tended(action: str, texts: list[str], b: Backlog) -> Tended:
    said = unique(texts)
    if action == "focus":
        return Tended(time.time(), focus=" ".join(said))
    if not said:
        raise UserError(f"what? For example: loop backlog {action} TEXT")
    if action == "add":
        if len(b.items) + len(said) > MOST_ITEMS:
            raise UserError(f"the backlog has {len(b.items)} open items, and {MOST_ITEMS} is the most. Do some first")
        return Tended(time.time(), found=said)
    if action == "done":
        return Tended(time.time(), done=tuple(named(text, b) for text in said))
    return Tended(time.time(), note=" ".join(said))


def named(text: str, b: Backlog) -> str:
    """The item by its number or its words. A person's slip is an error here, not a new entry."""
    if text.isdecimal() and 0 < int(text) <= len(b.items):
        return b.items[int(text) - 1]
    found = match(text, b.items)
    if not found:
        raise UserError(f"no open item {text!r}. See them: loop backlog. New and done at once: add it first")
    return found
