"""Show what the agent did and said under a runner, turn by turn."""

from __future__ import annotations

import argparse
import os
import time

from ...agents.registry import AGENT_NAMES, load_agent
from ...drive.errors import UserError
from ...store import run_records, turn_logs
from ...store.folder import LoopFolder
from ...store.history import ended_loop_ids
from ...store.runner_lock import is_runner_alive
from ...verify.process_groups import is_still_alive, process_start_time
from .. import exits, here, output
from ..argument_kinds import add_switch, add_word

EXAMPLES = """  loop logs
  loop logs -f
  loop logs --turn 3
  loop logs --runner -f
  loop logs 20261114-231500-a1b2c3 --json"""
POLL_SECONDS = 0.3


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "id", "an ended loop (default: the one here)")
    parser.add_argument(
        "--turn", type=int, metavar="N", default=0, help="the turn to show (default: the last)"
    )
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="follow the agent as it works, until the loop stops",
    )
    add_switch(parser, "--runner", "what a detached runner itself printed")
    add_switch(parser, "--json", "print the agent's own lines as they are")


def run(args: argparse.Namespace) -> int:
    folder = here.folder_with_record()
    if args.runner:
        return show_runner_log(folder, args.id, args.follow)
    paths = log_paths(folder, args.id, args.follow)
    if args.turn and paths:
        paths = logs_of_turn(paths, args.turn)
    if not paths and not args.follow:
        raise UserError(
            "no runner has left a log here. A session's own record is in its client; "
            "a runner's begins with: loop run"
        )
    printer = LogPrinter(args.json)
    printer.print_new_lines(paths[-1:])
    if args.follow:
        follow_logs(folder, printer)
    return exits.PROVEN


def logs_of_turn(paths: list[str], turn: int) -> list[str]:
    """The logs of this turn; an error that names those that are there."""
    found = [path for path in paths if turn_logs.turn_order(path)[0] == turn]
    if not found:
        last = turn_logs.turn_order(paths[-1])[0]
        raise UserError(f"no log of turn {turn}. The last turn is {last}: loop logs --turn {last}")
    return found


def tell_if_unattended(folder: LoopFolder) -> None:
    """Say why nothing follows, when no runner drives the loop; one may still begin."""
    if not is_runner_alive(folder):
        output.show_warning(
            "loop: no runner drives this loop now, so nothing follows until one does. "
            "Start it: loop run. Ctrl-C ends this"
        )


def show_runner_log(folder: LoopFolder, loop_id: str, follow: bool) -> int:
    """Print the log of the detached run of this loop, of the active one, or of the last."""
    loop = folder.read_loop()
    ended = ended_loop_ids(folder)
    name = loop_id or (loop.id if loop else next(iter(ended), ""))
    path = run_records.run_log_path(name) if name else ""
    if not os.path.exists(path):
        raise UserError("no detached runner has left a log here. Start one: loop run --detach")
    position, runner = 0, (0, "")
    if follow and loop and loop.status == "running":
        tell_if_unattended(folder)
    while True:
        is_running = bool(loop and loop.status == "running")
        if loop and is_running and loop.headless_run and loop.lease.pid != runner[0]:
            runner = loop.lease.pid, process_start_time(loop.lease.pid)
        # A runner prints its last words after the loop has paused and its lock is free.
        is_last = not follow or not (
            is_running or is_runner_alive(folder) or is_still_alive(*runner)
        )
        with open(path, "rb") as file:
            file.seek(position)
            data = file.read()
        position += len(data)
        if data:
            output.show_text(data.decode("utf-8", "replace").rstrip("\n"))
        if is_last:
            return exits.PROVEN
        time.sleep(POLL_SECONDS)
        loop = folder.read_loop()


def log_paths(folder: LoopFolder, loop_id: str, follow: bool) -> list[str]:
    """The logs of the named loop, of the active loop, or of the last that ended."""
    ended = ended_loop_ids(folder)
    if loop_id:
        if loop_id not in ended:
            raise UserError(f"no loop {loop_id!r} in history. See: loop history")
        return turn_logs.all_log_paths(folder.path_of("history", loop_id))
    paths = turn_logs.all_log_paths(folder.path)
    if paths or follow or not ended:
        return paths
    return turn_logs.all_log_paths(folder.path_of("history", ended[0]))


def follow_logs(folder: LoopFolder, printer: LogPrinter) -> None:
    """Print new lines as long as the loop runs, then the rest, which may be archived by now."""
    loop = folder.read_loop()
    if loop and loop.status == "running":
        tell_if_unattended(folder)
    while loop and loop.status == "running":
        printer.print_new_lines(turn_logs.all_log_paths(folder.path))
        time.sleep(POLL_SECONDS)
        archive = folder.path_of("history", loop.id)
        loop = folder.read_loop()
        if loop is None:
            printer.print_new_lines(turn_logs.all_log_paths(archive))
    printer.print_new_lines(turn_logs.all_log_paths(folder.path))


class LogPrinter:
    """Prints logs and remembers how far: the name of the last log, and the position in it."""

    def __init__(self, raw: bool) -> None:
        self.raw = raw
        self.name = ""
        self._position = 0

    def print_new_lines(self, paths: list[str]) -> None:
        for path in paths:
            if turn_logs.turn_order(path) >= turn_logs.turn_order(self.name):
                self._print_log(path)

    def _print_log(self, path: str) -> None:
        name = os.path.basename(path).removesuffix(turn_logs.PACKED)
        agent_name = turn_logs.agent_of_log(path)
        if name != self.name:
            self.name = name
            self._position = 0
            if not self.raw:
                output.show_text(f"— turn {int(name.partition('-')[0])}, {agent_name} —")
        tell = load_agent(agent_name).tell if agent_name in AGENT_NAMES else str
        try:
            data = turn_logs.read_log(path, self._position)
        except FileNotFoundError:  # it is being packed or moved to the archive
            return
        complete = data[: data.rfind(b"\n") + 1]
        self._position += len(complete)
        # Not splitlines: it splits at other characters too.
        for line in complete.decode("utf-8", "replace").split("\n"):
            text = line if self.raw else tell(line)
            if text:
                output.show_text(text)
