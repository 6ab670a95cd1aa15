"""Options of `loop start` for a discovery loop: preset, first items, context and --resume."""

from __future__ import annotations

from typing import Any

from ...core.directives import Continue
from ...core.discovery.backlog import MAX_ITEMS, Backlog, unique_items
from ...core.loop import Loop
from ...core.prompts.discovery import BACKLOG_PAGE
from ...core.prompts.messages import opening_prompt
from ...drive.errors import UserError
from ...drive.orders import loop_orders
from ...store import presets
from ...store.folder import LoopFolder
from .. import exits, output
from ..argument_kinds import add_switch, add_value
from .typed_arguments import Args, StartArguments, session_id

DISCOVERY_FLAGS = ("preset", "tasks", "task_mode", "context", "suggestions")
SPEC_FLAGS = ("step", "shape", "score", "point", "reversibility")


def arguments(group: Any) -> None:
    add_value(group, "--preset NAME", "what to look for: ui, docs, tests, … (list: loop presets)")
    add_value(group, "--tasks 'A; B'", "first items of the backlog, separated by semicolons")
    add_switch(group, "--task-mode", "work on one backlog item per cycle")
    add_value(group, "--context TEXT", "what the agent should know in every turn")
    add_value(group, "--suggestions PRESET", "use the suggestions of another preset")
    add_switch(group, "--resume", "continue the loop that is here")


def requested_backlog(typed: StartArguments) -> Backlog | None:
    """The first backlog, if a flag asks for a discovery loop."""
    flags = {name: typed.first(name) for name in DISCOVERY_FLAGS}
    if not any(flags.values()):
        return None
    for name in SPEC_FLAGS:
        if typed.first(name):
            raise UserError(
                f"--{name} belongs to a loop on a spec; "
                "one that improves has a scope, a preset and guards"
            )
    for problem in presets.usable_presets()[1]:
        output.show_warning(f"not read: {problem}")
    preset = presets.find_preset(flags["preset"] or "generic")
    suggesting = presets.find_preset(flags["suggestions"]) if flags["suggestions"] else preset
    items = unique_items(flags["tasks"].split(";"))[:MAX_ITEMS]
    return preset.initial_backlog(
        items,
        suggestions=suggesting.suggestions,
        context=flags["context"].strip(),
        task_mode=bool(flags["task_mode"]),
        found_count=len(items),
    )


def resume_loop(folder: LoopFolder, active: Loop | None, args: Args, by_agent: bool) -> int:
    """Continue the loop of this folder, or the backlog page that the original plugin left."""
    session = session_id(args)
    if active is None:
        return resume_from_page(folder, session)
    if active.status == "asking":
        question = active.gate.question if active.gate else ""
        raise UserError(f"it waits for an answer: {question} Say: loop answer TEXT")
    if session and active.lease.holder not in ("", session):
        loop_orders.attach_session(folder, session, 0, args.yes, heard=by_agent)
    reply = loop_orders.continue_loop(
        folder,
        _amount_to_add("--budget", args.budget, active.limits.dollars),
        _amount_to_add("--iterations", args.iterations, active.limits.iterations),
        _amount_to_add("--minutes", args.minutes, active.limits.minutes),
        yes=args.yes,
        heard=by_agent,
    )
    output.show_text(reply.message)
    if not isinstance(reply, Continue):
        return exits.exit_code(folder.read_loop() or active)
    if by_agent:
        output.show_text(f"\n{reply.prompt}")
    return exits.PROVEN


def resume_from_page(folder: LoopFolder, session: str) -> int:
    from ...importers import loop_state_md
    from ...views.start_notes import bounds_line

    adopted = loop_state_md.adopt_page(folder, session)
    if adopted is None:
        raise UserError("No active loop to resume. Start without --resume.")
    output.show_text(
        f"Continuing from {BACKLOG_PAGE}. {bounds_line(adopted)}\n\n{opening_prompt(adopted)}"
    )
    return exits.PROVEN


def _amount_to_add(flag: str, text: str | None, limit: float) -> float:
    """How much to add to a limit, so that it reaches the new value."""
    return max(0.0, loop_orders.parse_amount(flag, text) - limit) if text else 0.0
