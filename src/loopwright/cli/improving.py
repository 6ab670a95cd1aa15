"""The flags of a discovery loop: a preset, tasks to begin with, context, and --resume."""

from __future__ import annotations

import argparse
from typing import Any

from ..core.announce import opening
from ..core.backlog import MOST_ITEMS, Backlog, unique
from ..core.coaching import PAGE
from ..core.loop import Loop
from ..core.signals import Continue
from ..drive import orders
from ..drive.orders import UserError
from ..importers import loop_state_md
from ..store import presets
from ..store.folder import LoopFolder
from ..views.screen import bounds
from . import exits, output
from .spoken import session_of

Args = argparse.Namespace
FLAGS = ("preset", "tasks", "task_mode", "context", "suggestions")
OF_A_SPEC = ("step", "shape", "score", "point", "reversibility")


def arguments(group: Any) -> None:
    group.add_argument("--preset", metavar="NAME", default="", help="what to look for: ui, docs, tests, … (see: loop presets)")
    group.add_argument("--tasks", metavar="'A; B'", default="", help="items to begin with, divided by semicolons")
    group.add_argument("--task-mode", action="store_true", help="one item of the backlog a cycle")
    group.add_argument("--context", metavar="TEXT", default="", help="what the agent should know in every turn")
    group.add_argument("--suggestions", metavar="PRESET", default="", help="the suggestions of another preset")
    group.add_argument("--resume", action="store_true", help="go on with the loop that is here")


def wanted(said: list[Args]) -> Backlog | None:
    """The backlog to begin with, where one of these flags asks for such a loop. The person's word before the agent's."""
    given = {name: next((getattr(args, name) for args in said if getattr(args, name)), "") for name in FLAGS}
    if not any(given.values()):
        return None
    if alien := [name for name in OF_A_SPEC for args in said if getattr(args, name)]:
        raise UserError(f"--{alien[0]} belongs to a loop on a spec; one that improves has a scope, a preset and guards")
    preset = presets.named(given["preset"] or "generic")
    others = presets.named(given["suggestions"]) if given["suggestions"] else preset
    items = unique(given["tasks"].split(";"))[:MOST_ITEMS]
    context, one = given["context"].strip(), bool(given["task_mode"])
    return preset.backlog(items, suggestions=others.suggestions, context=context, task_mode=one)


def resume(place: LoopFolder, active: Loop | None, args: Args, by_agent: bool) -> int:
    """Go on with the loop of this folder, paused or left by its session; else with the page that the seed's plugin left."""
    session = session_of(args)
    if active is None:
        adopted = loop_state_md.adopt(place, session)
        if adopted is None:
            raise UserError("No active loop to resume. Start without --resume.")
        output.show(f"Going on from {PAGE}. {bounds(adopted)}\n\n{opening(adopted)}")
        return exits.PROVEN
    if active.status == "asking":
        raise UserError(f"it waits for an answer: {active.gate.question if active.gate else ''} Say: loop answer TEXT")
    if session and active.lease.holder not in ("", session):
        orders.attach(place, session, 0, args.yes, heard=by_agent)
    had = active.limits
    dollars, iterations, minutes = (
        max(0.0, orders.amount(f"--{flag}", text) - before) if text else 0.0
        for flag, text, before in (
            ("budget", args.budget, had.dollars),
            ("iterations", args.iterations, had.iterations),
            ("minutes", args.minutes, had.minutes),
        )
    )
    said = orders.go_on(place, dollars, iterations, minutes, yes=args.yes, heard=by_agent)
    output.show(said.say)
    if by_agent and isinstance(said, Continue):
        output.show(f"\n{said.prompt}")
    return exits.PROVEN if isinstance(said, Continue) else exits.code_of(place.peek() or active)
