"""Worktrees of parallel tasks: what is in each, and which can go."""

from __future__ import annotations

import argparse

from ...drive.lanes_left import LeftLane, clear_lanes, left_lanes
from .. import exits, here, output
from ..argument_kinds import add_json, add_switch

EXAMPLES = """  loop lanes            # the worktrees of tasks here, and what each still holds
  loop lanes --clear    # remove those that hold nothing else; the others stay, and it says why"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_switch(
        parser,
        "--clear",
        "remove the worktrees of loops that have ended; their work is kept under refs/loop/",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    lanes = left_lanes(folder)
    if args.clear:
        rows = clear_lanes(folder, lanes)
        output.show_text("\n".join(rows) or "No worktrees of tasks are here.")
        return exits.PROVEN
    if args.json:
        output.show_json([lane.__dict__ for lane in lanes])
        return exits.PROVEN
    output.show_text("\n".join(map(lane_line, lanes)) or "No worktrees of tasks are here.")
    if lanes:
        output.show_text("Remove those of ended loops: loop lanes --clear")
    return exits.PROVEN


def lane_line(lane: LeftLane) -> str:
    state = "its loop works on it" if lane.is_active else "left by a loop that has ended"
    holds = f"; {lane.holds}" if lane.holds else "; all of it is in main"
    return f"{lane.task}  {lane.path}  ({state}{holds})"
