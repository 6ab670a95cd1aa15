"""Re-run the proof of an ended loop.

Checks its journal for edits, and runs every check again on a clean checkout of its tree.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress

from ...core.proof.clean_checkout import COULD_NOT_PREPARE, FAILED, PASSED, RoomRun
from ...drive.records import audit
from ...drive.records.audit import Audit, Rerun
from ...drive.records.audit_finish import finish_proof_of_ended_loop
from ...drive.records.ended_record import grade_line
from ...store.archive import seal_path
from ...store.chain import NO_HEAD
from ...store.folder import LoopFolder
from ...store.journal import JournalError
from ...views.receipt import lost_record_text
from .. import exits, here, output
from ..argument_kinds import add_json, add_loop_id, add_switch, add_value
from .report import find_journal

EXAMPLES = """  loop audit
  loop audit --setup "npm ci"      # installs what the checks need and git ignores
  loop audit --finish              # makes the runs of the proof that are missing or failed
  loop audit 20261114-231500-a1b2c3 --json"""

NEW_PROOF = "prove what is here now in a new loop: loop start SPEC"


def arguments(parser: argparse.ArgumentParser) -> None:
    add_loop_id(parser)
    add_value(parser, "--setup COMMAND", "run this first in the clean checkout, for example npm ci")
    add_switch(
        parser,
        "--finish",
        "make the runs of its proof that are missing or failed, and record the grade",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with suppress(JournalError):
        here.loop_folder().read_loop()  # completes an archive that a crash interrupted
    folder, path = find_journal(args.id)
    if os.path.isdir(path):
        folder.require_plain_files()
    show_progress = (lambda _: None) if args.json else output.show_text
    if args.finish:
        return _finish(folder, path, args.json, show_progress)
    result = audit.audit_loop(folder, path, args.setup, show_progress)
    if args.json:
        reruns = [rerun.__dict__ for rerun in result.reruns]
        properties = {"holds": result.holds, "could_prepare": result.could_prepare}
        output.show_json({**result.__dict__, "reruns": reruns, **properties})
    else:
        output.show_text(audit_text(result))
        if result.problems:
            output.show_text(_way_out_text(result, path != folder.journal_path))
    if result.could_prepare:
        return exits.PROVEN if result.holds else exits.ERROR
    return exits.UNPREPARED


def _finish(folder: LoopFolder, path: str, as_json: bool, show: Callable[[str], None]) -> int:
    """Make the missing runs. They change the record, so an agent cannot order them."""
    here.require_own_terminal("audit --finish")
    loop = finish_proof_of_ended_loop(folder, path, show)
    verdict = loop.verdict
    assert verdict is not None, "BUG: the runs lead to a verdict"
    runs = [run for run in loop.room.runs if run.tree == loop.tree]
    if as_json:
        fields = ("kind", "outcome", "why", "failures")
        rows = [{field: getattr(run, field) for field in fields} for run in runs]
        output.show_json({"id": loop.id, "grade": verdict.grade_word, "runs": rows})
    else:
        for run in runs:
            output.show_text(f"{run.kind}: {run_text(run)}")
        if not runs:
            output.show_text(f"no clean checkout: {loop.room.why}")
        output.show_text(grade_line(loop))
    if not runs or any(run.outcome == COULD_NOT_PREPARE for run in runs):
        return exits.UNPREPARED
    return exits.PROVEN if verdict.proven else exits.ERROR


def run_text(run: RoomRun) -> str:
    """How a run of the proof ended, and how often it has failed on this tree."""
    why = f" ({run.why})" if run.why else ""
    if run.outcome == FAILED and run.failures > 1:
        why += f", {run.failures} times: this refutes the proof"
    elif run.failures and run.outcome == PASSED:
        why += f", after {run.failures} that failed: it is flaky"
    return f"{run.result_text}{why}"


def audit_text(result: Audit) -> str:
    rows = [f"Loop {result.id}, tree {result.tree[:12]}"] if result.id else []
    rows += [f"✗ its journal: {problem}" for problem in result.problems]
    if not result.problems:
        rows.append(
            f"✓ its journal: {result.lines} lines, each fits to the next, "
            "and the last is the one kept outside the project"
        )
    rows += [f"✗ {lost_record_text(name)}" for name in result.later_records]
    for rerun in result.reruns:
        rows += _rerun_lines(rerun)
    if result.skipped:
        rows.append(f"· nothing was run again: {result.skipped}")
    if result.unprepared:
        rows.append(f"✗ the clean checkout: {result.unprepared}")
    if result.is_outdated:
        rows.append(
            f"· the files have changed since: this is about {result.tree[:12]}, "
            f"and the project is at {result.live_tree[:12]}"
        )
    if result.holds:
        rows.append("It holds.")
    elif not result.could_prepare:
        rows.append("Could not prepare: the checks could not run in a clean checkout.")
        if result.tree_is_lost:
            rows.append(
                "The files of its end are gone, so no setup helps. Put them back from a clone or a "
                f"backup, or {NEW_PROOF}"
            )
        else:
            rows.append("Give the command that installs what they need: loop audit --setup COMMAND")
    elif _only_lacks_proof(result):
        rows.append(f"Not proven, so there is nothing to hold: {', '.join(result.unproven)}.")
    elif result.reruns or result.problems:
        rows.append("It does not hold.")
    return "\n".join(rows)


def _way_out_text(result: Audit, has_ended: bool) -> str:
    """What a person can do about a record that cannot be relied on."""
    if not has_ended:
        return "If the change is yours: loop allow"
    what = "the record" if NO_HEAD not in result.problems else seal_path(result.id)
    return f"Put {what} back from a backup, or {NEW_PROOF}"


def _only_lacks_proof(result: Audit) -> bool:
    """Is the record sound, does every command pass again, and was a criterion never run?"""
    return result.but(unproven=()).holds and bool(result.unproven)


def _rerun_lines(rerun: Rerun) -> list[str]:
    if rerun.holds is None:
        return [f"· {rerun.name}: {rerun.was}; there is nothing to run again"]
    tail = [f"    {line}" for line in rerun.detail.splitlines()[-12:]]
    mark = "✓" if rerun.holds else "✗"
    return [f"{mark} {rerun.name}: {rerun.was}; now it {rerun.now}", *tail]
