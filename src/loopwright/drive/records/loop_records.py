"""What ended loops left: their journals, receipts and the files of their iterations, as text."""

from __future__ import annotations

import os

from ...core.loop import Loop
from ...core.prompts.phrases import count_phrase
from ...repo.diff_sizes import diff_sizes
from ...repo.tree import read_contents
from ...store import journal, journal_moves
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.history import ended_loop_ids, ended_loops, is_sealed, lost_later_records
from ...views import receipt, report, timeline
from ..errors import UserError
from . import rewind

MAX_LOST = 5  # loops that are named because their record is gone


def answer_record_command(folder: LoopFolder, command: str, words: list[str]) -> str:
    """The answer to /loop:history, /loop:receipt or /loop:rewind, which need no active loop."""
    first = words[0] if words else ""
    try:
        if command == "history":
            return history_text(folder)
        if command == "receipt":
            return receipt_text(folder, first)
        if not first:
            return iterations_text(folder, find_journal(folder, ""))
        return rewind_text(folder, "", first)
    except (UserError, UntrustedFolder, journal.JournalError) as error:
        return str(error)


def find_journal(folder: LoopFolder, loop_id: str) -> str:
    """The journal of the named loop, else of the one here, else of the last one."""
    if not loop_id and not os.path.exists(folder.journal_path):
        ended = ended_loop_ids(folder)
        loop_id = ended[0] if ended else ""
    return journal_path(folder, loop_id)


def journal_path(folder: LoopFolder, loop_id: str) -> str:
    name = loop_id.rstrip("/")  # shell completion adds a slash
    path = folder.path_of("history", name, "journal.jsonl") if name else folder.journal_path
    unknown = name and name not in ended_loop_ids(folder)
    if unknown or not os.path.exists(path):
        lost = lost_later_records(folder, "")
        if lost and name in ("", *lost):
            raise UserError(receipt.lost_record_text(name or lost[-1], when=""))
        what = f"no loop {loop_id!r} in history" if loop_id else "no active loop in this folder"
        raise UserError(f"{what}. See: `loop history`")
    return path


def load_loop(folder: LoopFolder, loop_id: str) -> tuple[str, Loop]:
    """Its journal and the loop; a loop that came with a repository needs `loop allow`."""
    path = find_journal(folder, loop_id)
    if path == folder.journal_path:
        loop = journal.read(path).loop
        folder.require_ownership(loop)
        return path, loop
    name = os.path.basename(os.path.dirname(path))
    try:
        tail = journal.read(path)
    except journal.NewerFormat:
        raise
    except journal.JournalError as error:  # nothing repairs an archive, so no command to do so
        raise UserError(
            f"{error}: it was changed after its end. See: `loop audit {name}`"
        ) from error
    if not is_sealed(folder, name, tail):
        raise UserError(
            f"{path} did not end here, or not so: it came from elsewhere, or was changed. "
            f"See: `loop audit {name}`"
        )
    return path, tail.loop


def load_receipt(folder: LoopFolder, loop_id: str) -> tuple[Loop, str, str, tuple[str, ...]]:
    """A finished loop, the head of its journal, the tree of the files now, and lost later loops."""
    folder.read_loop()  # completes an archive that a crash interrupted
    path, loop = load_loop(folder, loop_id)
    if loop.status != "finished" or not loop.verdict:
        raise UserError(
            f"loop {loop.id} is {loop.status}: there is nothing to give a receipt for. "
            "See: `loop status`, `loop history`"
        )
    from .record_check import kept_tree_problem, record_problems

    problems = record_problems(folder, path) or [kept_tree_problem(folder, loop, path)]
    if problems[0]:
        raise UserError(f"no receipt for {loop.id}: {problems[0]}. See: loop audit {loop.id}")
    reading = read_contents(folder.root, folder.path, loop.settings.volatile_globs)
    if reading.problem:
        raise UserError(f"no receipt for {loop.id}: {reading.problem}")
    later = lost_later_records(folder, loop.id)
    return loop, journal.read(path).head, reading.tree, later


def receipt_text(folder: LoopFolder, loop_id: str) -> str:
    return receipt.screen_text(*load_receipt(folder, loop_id))


def intact_loops(folder: LoopFolder) -> list[Loop]:
    """The loops that ended here, newest first, whose record is as it was written."""
    from .record_check import record_problems

    folder.read_loop()  # completes an archive that a crash interrupted
    archives = folder.path_of("history")
    return [
        loop
        for loop in ended_loops(folder)
        if not record_problems(folder, os.path.join(archives, loop.id, "journal.jsonl"))
    ]


def lost_record_lines(folder: LoopFolder, loop_id: str) -> list[str]:
    """One line for each loop that was here later and whose record is gone."""
    return list(map(receipt.lost_record_text, lost_later_records(folder, loop_id)))


def history_text(folder: LoopFolder) -> str:
    """The loops that ended here, newest first."""
    ended = intact_loops(folder)
    rows = [loop_lines(loop) for loop in ended]
    when = " later" if ended else ""
    lost = lost_later_records(folder, ended[0].id if ended else "")
    rows += [receipt.lost_record_text(name, when) for name in lost[-MAX_LOST:]]
    rows = rows or ["No loop has ended here yet."]
    shown = {loop.id for loop in ended}
    if left_out := [name for name in ended_loop_ids(folder) if name not in shown]:
        rows.append(
            f"Left out, for it did not end here, or not so: {', '.join(left_out[:5])}. "
            f"What is wrong: `loop audit {left_out[0]}`"
        )
    return "\n".join(rows)


def loop_lines(loop: Loop) -> str:
    end: str = loop.status
    if loop.verdict:
        end = loop.verdict.grade_text
    spent = f"{count_phrase(loop.spend.iterations, 'iteration')}, ${loop.spend.dollars:.2f}"
    spec = " ".join(loop.spec.split())[:60]
    return f"{loop.id}  {end:<18} {spent:<24} {spec}\n    .loop/history/{loop.id}/"


def iterations_text(folder: LoopFolder, path: str) -> str:
    """The iterations that `loop rewind` can restore."""
    points = timeline.waypoints_from_journal(journal_moves.events_by_move(path))
    sizes = diff_sizes(folder.root, folder.path, timeline.tree_pairs(points))
    changed = {trees: report.change_text(report.TurnChange(*size)) for trees, size in sizes.items()}
    rows = ["Iterations (★ the best that is kept):", *timeline.rows(points, changed)]
    return "\n".join([*rows, "Back to one: `loop rewind N`"])


def rewind_text(folder: LoopFolder, loop_id: str, name: str) -> str:
    """Restore the files of an iteration, and say so."""
    path, loop = load_loop(folder, loop_id)
    return rewound_text(rewind.rewind_files(folder, loop, path, name))


def rewound_text(rewound: rewind.RewindResult) -> str:
    source = f"{rewound.number} has them"
    if rewound.number.isdecimal():
        source = f"iteration {rewound.number} left them"
    return (
        f"The files are as {source}. Branch and index are untouched.\n"
        f"What was there is kept. Back to it: `loop rewind {rewound.saved}`"
    )
