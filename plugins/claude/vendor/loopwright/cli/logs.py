"""What the agent did and said under a runner, turn by turn; -f goes on as it happens."""

from __future__ import annotations

import argparse
import os
import time

from ..agents.registry import NAMES, agent
from ..drive.orders import UserError
from ..store import logs
from ..store.folder import LoopFolder
from ..store.history import ids
from . import exits, here, output

EXAMPLES = "  loop logs\n  loop logs -f\n  loop logs --turn 3\n  loop logs 20261114-231500-a1b2c3 --json"
PAUSE = 0.3


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", help="a loop that has ended (default: the one here)")
    parser.add_argument("--turn", type=int, metavar="N", default=0, help="only this turn (default: the last)")
    parser.add_argument("-f", "--follow", action="store_true", help="go on as the agent works, until the loop stops")
    parser.add_argument("--json", action="store_true", help="the agent's own lines, as they are")


def run(args: argparse.Namespace) -> int:
    place = here.folder()
    folder = place.inside("history", args.id) if args.id else place.path
    if args.id and args.id not in ids(place):
        raise UserError(f"no loop {args.id!r} in history. See: loop history")
    if not args.id and not logs.all_of(folder) and not args.follow and ids(place):
        folder = place.inside("history", ids(place)[0])  # the last one that ended
    found = logs.all_of(folder)
    if args.turn:
        found = [path for path in found if os.path.basename(path).startswith(f"{args.turn:04d}-")]
    if not found and not args.follow:
        raise UserError(
            "no runner has left a log here. A session's own record is in its client; a runner's begins with: loop run"
        )
    shown = Shown(args.json)
    shown.more_of(found[-1:])
    if args.follow:
        follow(place, shown)
    return exits.PROVEN


def follow(place: LoopFolder, shown: Shown) -> None:
    """As long as the loop runs; and then what is left, which may lie in its archive by now."""
    loop = place.peek()
    while loop and loop.status == "running":
        shown.more_of(logs.all_of(place.path))
        time.sleep(PAUSE)
        ended, loop = place.inside("history", loop.id), place.peek()
        if loop is None:
            shown.more_of(logs.all_of(ended))
    shown.more_of(logs.all_of(place.path))


class Shown:
    """How far the logs have been shown: the name of the last one, and how much of it."""

    def __init__(self, as_it_is: bool) -> None:
        self.as_it_is, self.name, self._at = as_it_is, "", 0

    def more_of(self, paths: list[str]) -> None:
        for path in paths:
            if os.path.basename(path) >= self.name:
                self._show(path)

    def _show(self, path: str) -> None:
        name, agent_name = os.path.basename(path), logs.agent_of(path)
        if name != self.name:
            self.name, self._at = name, 0
            if not self.as_it_is:
                output.show(f"— turn {int(name.partition('-')[0])}, {agent_name} —")
        tell = agent(agent_name).tell if agent_name in NAMES else str
        try:
            with open(path, "rb") as file:
                file.seek(self._at)
                data = file.read()
        except FileNotFoundError:  # on its way to the archive
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.decode("utf-8", "replace").split("\n"):  # not splitlines: it knows a dozen line ends
            if words := line if self.as_it_is else tell(line):
                output.show(words)
