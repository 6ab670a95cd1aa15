"""The flags of a discovery loop: a preset, tasks to begin with, context, and --resume."""

from __future__ import annotations

import argparse
from typing import Any

from ...core.directives import Continue
from ...core.discovery.backlog import MAX_ITEMS, Backlog, unique_items
from ...core.loop import Loop
from ...core.prompts.discovery import BACKLOG_PAGE
from ...core.prompts.messages import opening_prompt
from ...drive import orders
from ...drive.errors import UserError
from ...importers import loop_state_md
from ...store import presets
from ...store.folder import LoopFolder
from ...views.start_screen import bounds_line
from .. import exits, output
from .typed_arguments import session_id

Args = argparse.Namespace
DISCOVERY_FLAGS = ("preset", "tasks", "task_mode", "context", "suggestions")
SPEC_FLAGS = ("step", "shape", "score", "point", "reversibility")


def arguments(group: Any) -> None:
    group.add_argument(
        "--preset",
        metavar="NAME",
        default="",
        help="what to look for: ui, docs, tests, … (see: loop presets)",
    )
    group.add_argument(
        "--tasks", metavar="'A; B'", default="", help="items to begin with, divided by semicolons"
    )
    group.add_argument("--task-mode", action="store_true", help="one item of the backlog a cycle")
    group.add_argument(
        "--context", metavar="TEXT", default="", help="what the agent should know in every turn"
    )
    group.add_argument(
        "--suggestions", metavar="PRESET", default="", help="the suggestions of another preset"
    )
    group.add_argument("--resume", action="store_true", help="go on with the loop that is here")


def requested_backlog(said: list[Args]) -> Backlog | None:
    """The backlog to begin with, where one of these flags asks for such a loop. The person's word before the agent's."""
    given = {
        name: next((getattr(args, name) for args in said if getattr(args, name)), "")
        for name in DISCOVERY_FLAGS
    }
    if not any(given.values()):
        return None
    if alien := [name for name in SPEC_FLAGS for args in said if getattr(args, name)]:
        raise UserError(
            f"--{alien[0]} belongs to a loop on a spec; one that improves has a scope, a preset and guards"
        )
    preset = presets.find_preset(given["preset"] or "generic")
    others = presets.find_preset(given["suggestions"]) if given["suggestions"] else preset
    items = unique_items(given["tasks"].split(";"))[:MAX_ITEMS]
    context, one = given["context"].strip(), bool(given["task_mode"])
    return preset.initial_backlog(
        items, suggestions=others.suggestions, context=context, task_mode=one
    )


def resume_loop(place: LoopFolder, active: Loop | None, args: Args, by_agent: bool) -> int:
    """Go on with the loop of this folder, paused or left by its session; else with the page that the seed's plugin left."""
    session = session_id(args)
    if active is None:
        adopted = loop_state_md.adopt_page(place, session)
        if adopted is None:
            raise UserError("No active loop to resume. Start without --resume.")
        output.show_text(
            f"Going on from {BACKLOG_PAGE}. {bounds_line(adopted)}\n\n{opening_prompt(adopted)}"
        )
        return exits.PROVEN
    if active.status == "asking":
        raise UserError(
            f"it waits for an answer: {active.gate.question if active.gate else ''} Say: loop answer TEXT"
        )
    if session and active.lease.holder not in ("", session):
        orders.attach_session(place, session, 0, args.yes, heard=by_agent)
    had = active.limits
    dollars, iterations, minutes = (
        max(0.0, orders.parse_amount(f"--{flag}", text) - before) if text else 0.0
        for flag, text, before in (
            ("budget", args.budget, had.dollars),
            ("iterations", args.iterations, had.iterations),
            ("minutes", args.minutes, had.minutes),
        )
    )
    said = orders.continue_loop(place, dollars, iterations, minutes, yes=args.yes, heard=by_agent)
    output.show_text(said.message)
    if by_agent and isinstance(said, Continue):
        output.show_text(f"\n{said.prompt}")
    return (
        exits.PROVEN if isinstance(said, Continue) else exits.exit_code(place.read_loop() or active)
    )
