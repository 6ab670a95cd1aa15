"""Adds to the record of an ended loop what a person decides or completes after its end.

Its journal is an archive: the new line continues its chain, and the seal outside the project moves
to it. Earlier receipts name an earlier line, which stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ...core.directives import Reply, Stop
from ...core.draft import Draft
from ...core.engine import policy_of
from ...core.findings import HIGH, MEDIUM
from ...core.loop import Loop, open_findings
from ...core.policies.clean_checkout_runs import finish_proof
from ...core.policies.disputes import ruling_problem
from ...core.prompts.end_words import end_text
from ...core.prompts.messages import resume_command
from ...core.prompts.objections import finding_text
from ...core.prompts.open_questions import all_questions
from ...core.proof.dispute_events import CriterionRuled
from ...core.proof.disputes import DROP, KEEP
from ...core.proof.events import AcceptanceRevoked, ResultAccepted
from ...core.proof.grades import is_accepted_after_end, unshown_criteria
from ...core.status import ENDED
from ...disk.lock import FileLock
from ...repo.tree import read_contents
from ...store import journal
from ...store.archive import write_seal
from ...store.folder import LoopFolder
from ...store.history import lost_later_records
from ...store.moment import current_moment
from ...views.receipt import lost_record_text
from ..errors import UserError
from .record_check import kept_tree_problem, proven_commit, record_problems


def read_ended_loop(folder: LoopFolder, path: str) -> Loop:
    """The finished loop with this journal; an error says why nothing can be added to it."""
    if problems := record_problems(folder, path):
        raise UserError(
            f"the record was changed, so nothing is added: {problems[0]}. See: loop audit"
        )
    loop = journal.read(path).loop
    if later := lost_later_records(folder, loop.id):
        # The new line would have a newer seal, and hide that this is not the last loop.
        raise UserError(f"nothing is added: {lost_record_text(later[-1])}")
    if loop.status not in ENDED:
        command = resume_command(loop, loop.pause.cause)
        raise UserError(
            f"the loop is {loop.status}, so its proof is not over. To continue: {command}"
        )
    if loop.status != "finished":
        raise UserError(f"loop {loop.id} was {loop.status}: it has no result. See: loop history")
    return loop


def amend_record(folder: LoopFolder, path: str, change: Callable[[Draft], None]) -> Loop:
    """Add what `change` records as one line, and return the loop with it."""
    tail = journal.read(path)
    draft = Draft(tail.loop, policy_of)
    change(draft)
    with FileLock(folder.path_of("lock"), folder.lock_timeout_seconds):
        if journal.read(path).head != tail.head:
            raise UserError("its record changed meanwhile, so nothing was added. Try again")
        moment = current_moment()
        data = journal.encode_move(
            tail, draft.loop, tuple(draft.events), tail.mirror_digest, moment.at, "", moment
        )
        journal.append_line(path, data, tail)
        write_seal(folder.real_root, tail.loop.id, journal.read(path))
    return draft.loop


def accept_result(folder: LoopFolder, path: str, keys: tuple[str, ...]) -> Loop:
    """Accept findings of an ended loop; with the last one, also what no command has shown."""
    loop = _require_final_tree(folder, path)
    if loop.verdict and loop.verdict.is_shown:
        raise UserError(f"nothing is open: it is {loop.verdict.grade_text}. See: loop receipt")
    still_open = {finding.key for finding in open_findings(loop, HIGH, MEDIUM)} - set(keys)
    names = () if still_open else unshown_criteria(loop)
    if is_accepted_after_end(loop):
        raise UserError("nothing is open: you accepted it. To take that back: loop accept --revoke")

    def accept(draft: Draft) -> None:
        draft.record(ResultAccepted(keys, names, time.time()))
        finish_proof(draft, time.time())

    return amend_record(folder, path, accept)


def revoke_acceptance(folder: LoopFolder, path: str) -> Loop:
    """Take back what was accepted after the end."""
    loop = read_ended_loop(folder, path)
    if loop.baseline.accepted_after_end is None:
        raise UserError("nothing was accepted after its end. See: loop receipt")

    def revoke(draft: Draft) -> None:
        draft.record(AcceptanceRevoked(time.time()))
        finish_proof(draft, time.time())

    return amend_record(folder, path, revoke)


def rule_after_end(folder: LoopFolder, path: str, name: str, ruling: str) -> Loop:
    """Decide about a dispute that was open at the end. Who drops a criterion accepts the rest.

    A check of a second agent is no criterion, and wrong too often to lower the grade.
    """
    loop = _require_final_tree(folder, path)
    if ruling not in (KEEP, DROP):
        raise UserError("an ended loop has no further turn. Write: keep, or drop")
    if problem := ruling_problem(loop, name, ruling, None):
        raise UserError(problem)
    is_independent = any(c.name == name and c.is_independent for c in loop.final_checks)

    def rule(draft: Draft) -> None:
        now = time.time()
        draft.record(CriterionRuled(name, ruling, now))
        if ruling == DROP and not is_independent:
            draft.record(ResultAccepted((), (), now))
        finish_proof(draft, now)

    return amend_record(folder, path, rule)


def _require_final_tree(folder: LoopFolder, path: str) -> Loop:
    """The loop, if its final files are kept, or are still here: a yes is about these files."""
    loop = read_ended_loop(folder, path)
    if problem := kept_tree_problem(folder, loop, path):
        raise UserError(f"nothing is added: {problem}. See: loop audit {loop.id}")
    if not proven_commit(path):
        reading = read_contents(folder.root, folder.path, loop.settings.volatile_globs)
        if reading.tree != loop.tree:
            raise UserError(
                "nothing is added: its final files were not kept, and those here have changed "
                f"since. See: loop audit {loop.id}"
            )
    return loop


def list_open_points(loop: Loop) -> Reply:
    """What a person can accept of an ended loop, or decide about."""
    rows = [finding_text(finding) for finding in open_findings(loop, HIGH, MEDIUM)]
    rows += [question.line for question in all_questions(loop)]
    why = f": {loop.verdict.why}" if loop.verdict and loop.verdict.why else ""
    grade = loop.verdict.grade_text if loop.verdict else loop.status
    rows = [f"Loop {loop.id} has ended, {grade}{why}.", *rows]
    return Stop(message="\n".join((*rows, *_ways_to_accept(loop))))


def _ways_to_accept(loop: Loop) -> list[str]:
    if loop.verdict and loop.verdict.is_shown:
        return []
    if is_accepted_after_end(loop):
        return ["You accepted it. To take that back: `loop accept --revoke`"]
    return ["To take the result as it is: `loop accept --all`"]


def grade_line(loop: Loop) -> str:
    """The grade in one line, and what it means."""
    verdict = loop.verdict
    assert verdict is not None, "BUG: a finished loop has a verdict"
    return end_text(verdict)
