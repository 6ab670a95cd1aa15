"""What a run came to: its last words and its exit code."""

from __future__ import annotations

import argparse
import sys

from ..core.loop import Loop
from ..core.prompts.announcements import cancel_report
from ..core.prompts.end_screen import end_screen
from ..core.prompts.phrases import LOOP_COMPLETE
from ..core.runner.sandbox import missing_boundary_text
from ..drive.runner.commit import commit_left_turn, loop_at_turn_start
from ..drive.runner.iteration_files import write_run_summary
from ..drive.runner.stop_signals import TERMINAL_CLOSED
from ..store import run_records
from ..store.folder import LoopFolder
from ..store.history import last_ended_loop
from ..store.run_records import RunRecord
from . import exits, here, output


def show_result(loop: Loop, message: str, as_json: bool) -> int:
    """Show what the run came to; the exit code."""
    code = exits.exit_code(loop)
    if as_json:
        from .json_view import JsonView

        JsonView().on_end(code, loop)
        return code
    output.show_text(message)
    if loop.status == "finished" and not sys.stdout.isatty():
        output.show_text(LOOP_COMPLETE)  # for programs that wait for the documented marker
    if loop.pause.why == TERMINAL_CLOSED:
        output.show_text("A run that survives it: `loop run --detach`")
    if boundary := missing_boundary_text(loop.run.sandbox if loop.run else None):
        output.show_text(boundary)
    output.show_text("Report: loop report")
    return code


def show_ended_run(args: argparse.Namespace) -> int | None:
    """The exit code of a run that was killed after its loop had ended, and its result, once.

    None: there is no such run. Its record tells of it: an orderly end removes the record.
    """
    folder = here.loop_folder()
    if args.spec or folder.read_loop():
        return None
    loop = last_ended_loop(folder)
    record = run_records.find_record(loop.id) if loop else None
    if loop is None or record is None:
        return None
    if committed := finish_ended_run(folder, record, loop):
        output.show_text(committed)
    is_finished = loop.status == "finished"
    text = end_screen(loop) if is_finished else cancel_report(loop)
    message = f"[LOOP] The loop had ended before its run was killed.\n{text}"
    return show_result(loop, message, args.json)


def finish_ended_run(folder: LoopFolder, record: RunRecord, loop: Loop) -> str:
    """Do what a run had to do yet when it was killed after the end of its loop; what it committed.

    The record goes last, so that a kill in between loses nothing.
    """
    committed = ""
    before = loop_at_turn_start(folder.path_of("history", loop.id, "journal.jsonl"))
    if before and "--commit" in record.words:
        committed = commit_left_turn(folder, before, loop)
    write_run_summary(folder, loop)
    run_records.remove_record(loop.id)
    return committed
