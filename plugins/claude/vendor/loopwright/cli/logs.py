"""What the agent did and said under a runner, turn by turn; -f goes on as it happens."""

from __future__ import annotations

import argparse
import os
import time

from ..agents.registry import NAMES, agent
from ..drive.orders import UserError
from ..store import logs
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
    for path in found[-1:]:
        shown.more_of(path)
    while args.follow and place.peek():
        for path in logs.all_of(folder)[-2:]:
            if path >= shown.path:
                shown.more_of(path)
        time.sleep(PAUSE)
    return exits.PROVEN


class Shown:
    """How far each log has been shown."""

    def __init__(self, as_it_is: bool) -> None:
        self.as_it_is, self.path, self._at = as_it_is, "", 0

    def more_of(self, path: str) -> None:
        if path != self.path:
            self.path, self._at = path, 0
            if not self.as_it_is:
                output.show(f"— turn {int(os.path.basename(path).partition('-')[0])}, {logs.agent_of(path)} —")
        name = logs.agent_of(path)
        tell = agent(name).tell if name in NAMES else str
        with open(path, "rb") as file:
            file.seek(self._at)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            if self.as_it_is:
                output.show(line)
            elif words := tell(line):
                output.show(words)
