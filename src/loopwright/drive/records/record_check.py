"""Is the record of a loop what we wrote, here? Its journal, its kept outputs and its kept tree."""

from __future__ import annotations

import os

from ...core.criteria import Evidence
from ...core.events import CheckRan, LoopStarted
from ...core.loop import Loop
from ...core.proof.clean_checkout import RoomCheck
from ...core.proof.events import BaselineCompared, RoomCalibrated, RoomRunEnded
from ...core.record import digest
from ...repo import kept_trees
from ...store import chain, journal, journal_moves
from ...store.folder import LoopFolder


def record_problems(folder: LoopFolder, path: str) -> list[str]:
    """What differs from what we wrote: links, lines, the end of the journal, outputs of checks."""
    if links := _link_problems(folder, path):
        return links
    problems = chain.chain_errors(path)
    try:
        tail = journal.read(path)
    except journal.JournalError as error:
        return problems or [str(error)]
    problems += _head_problems(folder, path, tail.head)
    return [*problems, *_log_problems(path), *_verdict_problems(tail.loop)]


def kept_tree_problem(folder: LoopFolder, loop: Loop, path: str) -> str:
    """Why the kept tree is not the one of the proof; "" if it is, or if none was kept."""
    commit = proven_commit(path)
    if not commit:
        return ""
    try:
        tree = kept_trees.tree_of_commit(folder.root, commit)
    except OSError:
        return f"this repository does not have its kept tree {commit[:12]}"
    if tree != loop.tree.partition("+")[0]:
        return f"the kept tree is {tree[:12]}, and the proof is of {loop.tree[:12]}"
    return ""


def proven_commit(path: str) -> str:
    """The commit of the tree on which the loop was found to be done; "" for none."""
    commit = ""
    for events in journal_moves.events_by_move(path):
        for event in events:
            if isinstance(event, BaselineCompared):
                commit = event.kept_commit
    return commit


def _link_problems(folder: LoopFolder, path: str) -> list[str]:
    """Links on the way to the journal and to the outputs: what they lead to is not our record."""
    archive = os.path.dirname(path)
    evidence = os.path.join(archive, "evidence")
    paths = [folder.path, folder.path_of("history"), archive, path, evidence]
    if os.path.isdir(evidence) and not os.path.islink(evidence):
        paths += [entry.path for entry in os.scandir(evidence)]
    links = [os.path.relpath(one, folder.root) for one in paths if os.path.islink(one)]
    return [f"{link} is a link, and we wrote none" for link in links]


def _head_problems(folder: LoopFolder, path: str, head: str) -> list[str]:
    """Does the end of the journal differ from what we keep of it outside the project?"""
    if path != folder.journal_path:
        loop_id = os.path.basename(os.path.dirname(path))
        place = chain.place_problem(folder, loop_id)
        ending = chain.differences_from_seal(path, *chain.sealed_end(loop_id))
        return [place, *ending] if place else ending
    heads = chain.noted_heads(folder)
    if not heads:
        return [chain.NO_HEAD]
    if set(heads).isdisjoint(journal.line_digests(path)):
        return [
            "lines at its end were cut off or edited: it does not hold the last line that we wrote"
        ]
    if head in heads or folder.note_may_be_outdated():
        return []
    return ["lines were added at its end, and not by us"]


def _log_problems(path: str) -> list[str]:
    """Which kept outputs differ from their digest in the journal?"""
    problems = []
    for proof in _sealed_evidence(path):
        try:
            with open(os.path.join(os.path.dirname(path), proof.log), "rb") as file:
                is_unchanged = digest(file.read()) == proof.sealed
        except OSError:
            problems.append(f"the output of {proof.criterion} is gone: {proof.log}")
            continue
        if not is_unchanged:
            problems.append(f"the output of {proof.criterion} was edited: {proof.log}")
    return problems


def _sealed_evidence(path: str) -> list[Evidence | RoomCheck]:
    """What our own runs found, from the baseline on, where the output was kept."""
    by_log: dict[str, Evidence | RoomCheck] = {}
    for event in (event for events in journal_moves.events_by_move(path) for event in events):
        if isinstance(event, LoopStarted):
            by_log |= {c.proof.log: c.proof for c in event.loop.criteria if c.proof}
        elif isinstance(event, CheckRan):
            by_log[event.evidence.log] = event.evidence
        elif isinstance(event, RoomCalibrated):
            by_log |= {check.log: check for check in event.checks}
        elif isinstance(event, RoomRunEnded):
            by_log |= {check.log: check for check in event.run.checks}
    return [proof for log, proof in by_log.items() if log and proof.sealed]


def _verdict_problems(loop: Loop) -> list[str]:
    """Criteria that do not pass although the verdict calls the loop proven."""
    if not loop.verdict or not loop.verdict.proven:
        return []
    checks = [c for c in (*loop.criteria, *loop.final_checks) if c.proof and not c.proof.passed]
    # A failing check of a second agent does not lower the grade: the verdict names it instead.
    failed = [c.name for c in checks if c.name not in loop.left_to_verdict]
    return [f"it says proven, and its evidence says that {name} does not pass" for name in failed]
