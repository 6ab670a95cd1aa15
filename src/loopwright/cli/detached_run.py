"""`loop run --detach` and `--resume-all`: runs that outlive the terminal, the login, a reboot."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from ..core.loop import Loop
from ..core.status import ENDED
from ..disk.own_python import OWN_COMMAND
from ..drive.errors import UserError
from ..drive.orders.loop_orders import continue_loop
from ..drive.runner.stop_signals import SYSTEM_REASONS
from ..store import run_records
from ..store.folder import LoopFolder, NoLoop, UntrustedFolder
from ..store.history import last_ended_loop
from ..store.journal import JournalError
from ..store.restore import missing_loop, restore_loop
from ..store.run_records import RunRecord
from ..store.runner_lock import is_runner_alive
from . import exits, output
from .command_parser import command_parser, option_words
from .run_options import add_run_options
from .run_result import finish_ended_run

START_SECONDS = 60.0  # how long we wait until the runner has taken the loop
MAX_SHOWN_CHARACTERS = 2_000  # of the log of a runner that did not start
if sys.platform == "win32":
    NEW_SESSION = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
else:
    NEW_SESSION = 0  # start_new_session does it

# What another process that drives the same loop in the same way is not told.
NOT_KEPT = (
    *("worktree", "detach", "resume_all", "continue_", "attach"),
    *("yes", "unproven", "plain", "json"),
)
# What belongs to one agent, and not to another that is typed.
AGENT_OPTIONS = (
    *("agent", "agent_command", "script", "fallback", "model", "settings", "allow"),
    "keep_context",
)


def resume_words(args: argparse.Namespace) -> tuple[str, ...]:
    """The words of a `loop run` that drives the loop further, as this one was asked to."""
    if args.script:
        args = argparse.Namespace(**vars(args) | {"script": os.path.abspath(args.script)})
    words = option_words(_driving_options(), args, NOT_KEPT)
    # What the run itself left uncommitted does not stop it.
    return (*words, "--yes") if args.commit else tuple(words)


def _driving_options() -> argparse.ArgumentParser:
    """The options that say how a loop is driven, and none of those that start one."""
    parser = argparse.ArgumentParser(add_help=False)
    add_run_options(parser)
    return parser


def recall_options(args: argparse.Namespace, loop_id: str) -> None:
    """Give a run that continues the options of the last one, where no others were typed."""
    record = run_records.find_record(loop_id)
    if record is None:
        return
    parser = command_parser("run")
    usual, recorded = parser.parse_args([]), parser.parse_args(list(record.words))
    recalled = {action.dest for action in _driving_options()._actions}.difference(NOT_KEPT)
    recalled.discard("until")  # that moment was one of the last night
    if args.agent or args.agent_command or args.script:
        recalled -= {*AGENT_OPTIONS}
    if args.waves or args.eager:  # of the two, what is typed now counts
        recalled -= {"waves", "eager"}
    for name in recalled:
        if getattr(args, name) == getattr(usual, name):
            setattr(args, name, getattr(recorded, name))


def run_record(folder: LoopFolder, loop: Loop, words: tuple[str, ...]) -> RunRecord:
    return RunRecord(loop.id, folder.root, words, os.environ.get("PATH", ""))


def detach_run(folder: LoopFolder, loop: Loop, words: tuple[str, ...], as_json: bool) -> int:
    """Start a runner that outlives this terminal, and say how to follow and to stop it."""
    runner = _start_runner(run_record(folder, loop, words))
    if code := _start_problem(runner, folder, loop):
        return code
    runner.returncode = 0  # it outlives us: Popen must not warn that it still runs
    facts = {"pid": runner.pid, "id": loop.id, "log": run_records.run_log_path(loop.id)}
    if as_json:
        output.show_json_line({"event": "detached", **facts})
    else:
        output.show_text(
            f"[LOOP] Runs in the background (process {runner.pid}) and survives a logout.\n"
            "Follow the agent: loop logs -f. What the runner prints: loop logs --runner. "
            "Stop: loop pause. Morning: loop report"
        )
    return exits.PROVEN


def _start_runner(record: RunRecord) -> subprocess.Popen[bytes]:
    log = run_records.open_run_log(record.loop_id)
    try:
        return subprocess.Popen(
            [*OWN_COMMAND, "run", *record.words, "--plain"],
            cwd=record.root,
            env={**os.environ, "PATH": record.path or os.environ.get("PATH", "")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=NEW_SESSION,
        )
    finally:
        os.close(log)


def _start_problem(runner: subprocess.Popen[bytes], folder: LoopFolder, loop: Loop) -> int:
    """Wait until the runner holds the loop. Its exit code, after its words, if it did not start."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        code = runner.poll()
        if code is not None:
            output.show_text(_log_tail(loop.id))
            return code
        now = folder.read_loop()
        if now and now.lease.pid == runner.pid:
            return 0
        time.sleep(0.05)
    return 0


def _log_tail(loop_id: str) -> str:
    try:
        with open(run_records.run_log_path(loop_id), encoding="utf-8", errors="replace") as file:
            return file.read()[-MAX_SHOWN_CHARACTERS:].strip()
    except OSError:
        return ""


def forget_finished_run(folder: LoopFolder, loop: Loop) -> None:
    """Drop the record of a loop that has ended; a paused one may be continued with its options."""
    now = folder.read_loop() or last_ended_loop(folder)
    if now and now.id == loop.id and now.status in ENDED:
        run_records.remove_record(loop.id)


def _was_cut_off(loop: Loop) -> bool:
    if loop.status == "running":
        return True
    return loop.status == "paused" and loop.pause.why in SYSTEM_REASONS


def resume_all(as_json: bool) -> int:
    """Start every run again that a reboot, a logout or a kill cut off."""
    code = exits.PROVEN
    records = [record for record in run_records.all_records() if not _was_paused(record)]
    for record in records:
        try:
            code = _resume_run(record, as_json) or code
        except (UserError, NoLoop, UntrustedFolder, JournalError, OSError) as error:
            output.show_warning(f"loop: {record.root}: {error}")
            code = exits.ERROR
    if not records and not as_json:
        output.show_text("No run was cut off.")
    return code


def _was_paused(record: RunRecord) -> bool:
    """Does the loop wait for a person? Then nothing cut its run off."""
    try:
        loop = LoopFolder(record.root).read_loop()
    except (NoLoop, UntrustedFolder, JournalError, OSError):
        return False
    return bool(loop and loop.id == record.loop_id and not _was_cut_off(loop))


def _resume_run(record: RunRecord, as_json: bool) -> int:
    """Start one run again, if its loop can continue and has no driver."""
    if not os.path.isdir(record.root):
        raise UserError("the folder is gone. Put it back, then: loop run --resume-all")
    folder = LoopFolder(record.root)
    if missing_loop(folder):
        restore_loop(folder)
    loop = folder.read_loop()
    if loop is None or loop.id != record.loop_id or not _was_cut_off(loop):
        _close_record(folder, record)
        return 0
    if is_runner_alive(folder):
        if not as_json:
            output.show_text(f"{record.root}: a runner drives it already")
        return 0
    if loop.status == "paused":
        continue_loop(folder, 0.0, 0.0, 0.0)
    if not as_json:
        output.show_text(f"{record.root}: {' '.join(loop.spec.split())[:60]}")
    return detach_run(folder, loop, record.words, as_json)


def _close_record(folder: LoopFolder, record: RunRecord) -> None:
    """Drop the record of a run that has nothing left to drive, after what it had to commit yet."""
    ended = last_ended_loop(folder)
    if ended and ended.id == record.loop_id and (text := finish_ended_run(folder, record, ended)):
        output.show_text(f"{record.root}: {text}")
    run_records.remove_record(record.loop_id)
