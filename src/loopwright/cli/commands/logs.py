"""What the agent did and said under a runner, turn by turn; -f goes on as it happens."""

from __future__ import annotations

import argparse
import os
import time

from ...agents.registry import AGENT_NAMES, load_agent
from ...drive.errors import UserError
from ...store import turn_logs
from ...store.folder import LoopFolder
from ...store.history import ended_loop_ids
from .. import exits, here, output

EXAMPLES = (
    "  loop logs\n  loop logs -f\n  loop logs --turn 3\n  loop logs 20261114-231500-a1b2c3 --json"
)
POLL_SECONDS = 0.3


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", default="", help="a loop that has ended (default: the one here)"
    )
    parser.add_argument(
        "--turn", type=int, metavar="N", default=0, help="only this turn (default: the last)"
    )
    parser.add_argument(
        "-f", "--follow", action="store_true", help="go on as the agent works, until the loop stops"
    )
    parser.add_argument("--json", action="store_true", help="the agent's own lines, as they are")


def run(args: argparse.Namespace) -> int:
    place = here.loop_folder()
    folder = place.path_of("history", args.id) if args.id else place.path
    if args.id and args.id not in ended_loop_ids(place):
        raise UserError(f"no loop {args.id!r} in history. See: loop history")
    if (
        not args.id
        and not turn_logs.all_log_paths(folder)
        and not args.follow
        and ended_loop_ids(place)
    ):
        folder = place.path_of("history", ended_loop_ids(place)[0])  # the last one that ended
    found = turn_logs.all_log_paths(folder)
    if args.turn:
        found = [path for path in found if os.path.basename(path).startswith(f"{args.turn:04d}-")]
    if not found and not args.follow:
        raise UserError(
            "no runner has left a log here. A session's own record is in its client; a runner's begins with: loop run"
        )
    shown = LogPrinter(args.json)
    shown.print_new_lines(found[-1:])
    if args.follow:
        follow_logs(place, shown)
    return exits.PROVEN


def follow_logs(place: LoopFolder, shown: LogPrinter) -> None:
    """As long as the loop runs; and then what is left, which may lie in its archive by now."""
    loop = place.read_loop()
    while loop and loop.status == "running":
        shown.print_new_lines(turn_logs.all_log_paths(place.path))
        time.sleep(POLL_SECONDS)
        ended, loop = place.path_of("history", loop.id), place.read_loop()
        if loop is None:
            shown.print_new_lines(turn_logs.all_log_paths(ended))
    shown.print_new_lines(turn_logs.all_log_paths(place.path))


class LogPrinter:
    """How far the logs have been shown: the name of the last one, and how much of it."""

    def __init__(self, as_it_is: bool) -> None:
        self.raw, self.name, self._at = as_it_is, "", 0

    def print_new_lines(self, paths: list[str]) -> None:
        for path in paths:
            if os.path.basename(path) >= self.name:
                self._print_log(path)

    def _print_log(self, path: str) -> None:
        name, agent_name = os.path.basename(path), turn_logs.agent_of_log(path)
        if name != self.name:
            self.name, self._at = name, 0
            if not self.raw:
                output.show_text(f"— turn {int(name.partition('-')[0])}, {agent_name} —")
        tell = load_agent(agent_name).tell if agent_name in AGENT_NAMES else str
        try:
            with open(path, "rb") as file:
                file.seek(self._at)
                data = file.read()
        except FileNotFoundError:  # on its way to the archive
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.decode("utf-8", "replace").split(
            "\n"
        ):  # not splitlines: it knows a dozen line ends
            if words := line if self.raw else tell(line):
                output.show_text(words)
