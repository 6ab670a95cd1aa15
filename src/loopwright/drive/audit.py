"""Audit: is the record of a loop what we wrote, and does every proof in it hold once more, on a clean checkout of that tree?"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable

from ..core.criteria import Criterion, Evidence
from ..core.events import CheckRan, LoopStarted
from ..core.findings import tolerate_known_failures
from ..core.loop import Loop
from ..core.proof_events import BaselineCompared
from ..core.record import Record, digest
from ..repo import checkout
from ..store import chain, holdouts, journal
from ..store.folder import LoopFolder
from ..verify.runner import check_environment, run_check
from .errors import UserError

RECORD_CHANGED = "no command of a record that was changed is run"


class Rerun(Record):
    """One criterion: what the record says of it, and what was found now. `holds` is None where nobody can look again."""

    name: str
    was: str
    now: str = ""
    holds: bool | None = None
    detail: str = ""


class Audit(Record):
    id: str
    tree: str
    lines: int
    problems: tuple[str, ...] = ()  # of the record
    reruns: tuple[Rerun, ...] = ()
    skipped: str = ""  # why nothing was run again

    @property
    def holds(self) -> bool:
        return (
            not self.problems
            and not self.skipped
            and all(rerun.holds is not False for rerun in self.reruns)
        )


ProgressCallback = Callable[[str], None]


def audit_loop(folder: LoopFolder, path: str, setup: str, told: ProgressCallback) -> Audit:
    """Where the record is not sound, no command in it is run: nobody knows who wrote it."""
    broken = chain.chain_errors(path)
    try:
        tail = journal.read(path)
    except journal.JournalError as error:
        return Audit("", "", 0, tuple(broken or [str(error)]), skipped=RECORD_CHANGED)
    loop = tail.loop
    problems = (*broken, *_head_problems(folder, path, tail.head), *_log_problems(path))
    found = Audit(loop.id, loop.tree, tail.seq, problems)
    if problems:
        return found.but(skipped=RECORD_CHANGED)
    if loop.status != "finished":
        return found.but(skipped=f"the loop is {loop.status}: there is no proof to look at again")
    commit = proven_commit(path)
    if not commit:
        return found.but(
            skipped="its last tree was not kept (no git, or a loop of an earlier version)"
        )
    with tempfile.TemporaryDirectory(prefix="loop-audit-") as place:
        try:
            tree = checkout.create_checkout(
                folder.root, os.path.join(place, "tree"), commit, loop.settings.volatile_globs
            )
        except checkout.CheckoutFailed as error:
            return found.but(skipped=str(error))
        try:
            if tree.partition("+")[0] != loop.tree.partition("+")[0]:
                return found.but(
                    problems=(
                        f"the kept tree is {tree[:12]}, and the proof is of {loop.tree[:12]}",
                    )
                )
            _run_setup_command(os.path.join(place, "tree"), setup, told)
            return found.but(
                reruns=tuple(
                    _rerun_criterion(c, loop, place, told)
                    for c in (*loop.criteria, *loop.final_checks)
                )
            )
        finally:
            checkout.remove_checkout(folder.root, os.path.join(place, "tree"))


def proven_commit(path: str) -> str:
    """The commit that holds the tree on which the loop was found to be done."""
    found = [
        event.kept_commit
        for events in journal.events_by_move(path)
        for event in events
        if isinstance(event, BaselineCompared)
    ]
    return found[-1] if found else ""


def _head_problems(folder: LoopFolder, path: str, head: str) -> list[str]:
    """The journal's end against what is kept of it outside the project."""
    if path != folder.journal_path:
        return chain.differences_from_seal(
            path, *chain.sealed_end(os.path.basename(os.path.dirname(path)))
        )
    heads = chain.noted_heads(folder)
    if not heads:
        return [chain.NO_HEAD]
    if set(heads).isdisjoint(journal.line_digests(path)):
        return [
            "lines at its end were cut off or edited: it does not hold the last line that we wrote"
        ]
    return (
        []
        if head in heads or folder.note_may_be_outdated()
        else ["lines were added at its end, and not by us"]
    )


def _log_problems(path: str) -> list[str]:
    """Every output that is kept, against its digest in the journal."""
    found = []
    for proof in _sealed_evidence(path):
        try:
            with open(os.path.join(os.path.dirname(path), proof.log), "rb") as file:
                same = digest(file.read()) == proof.sealed
        except OSError:
            found.append(f"the output of {proof.criterion} is gone: {proof.log}")
            continue
        if not same:
            found.append(f"the output of {proof.criterion} was edited: {proof.log}")
    return found


def _sealed_evidence(path: str) -> list[Evidence]:
    """All that our own runs found, from the start on."""
    found: dict[str, Evidence] = {}
    for event in (event for events in journal.events_by_move(path) for event in events):
        if isinstance(event, LoopStarted):
            found |= {c.proof.log: c.proof for c in event.loop.criteria if c.proof}
        elif isinstance(event, CheckRan):
            found[event.evidence.log] = event.evidence
    return [proof for log, proof in found.items() if log and proof.sealed]


def _run_setup_command(place: str, command: str, told: ProgressCallback) -> None:
    if not command:
        return
    told(f"setting up: {command}")
    done = subprocess.run(
        command, shell=True, cwd=place, env=check_environment(), stdin=subprocess.DEVNULL
    )  # noqa: S602
    if done.returncode:
        raise UserError(f"--setup exited {done.returncode}: {command}")


def _rerun_criterion(c: Criterion, loop: Loop, place: str, told: ProgressCallback) -> Rerun:
    proof = c.proof
    if not proof or proof.by != "loop" or not c.check:
        who = {"person": "confirmed by a person", "agent": "reported by the agent"}.get(
            proof.by if proof else "", "never shown"
        )
        return Rerun(c.name, who)
    was = f"passed on {proof.tree[:12]}"
    if c.check.origin == "review":
        return Rerun(c.name, f"{was} (code review)")
    check = holdouts.load_check(loop.id, c) if c.check.origin == "holdout" else c.check
    if check is None:
        return Rerun(c.name, was, "its command is gone", False)
    told(f"running {c.name} …")
    if check.probe:
        from ..verify.probes.probe import run_probe as look_at

        now = look_at(check, c.name, proof.tree, os.path.join(place, "tree"))
    else:
        now = run_check(
            check, c.name, proof.tree, os.path.join(place, "tree"), place, loop.settings.pass_env
        )
    now = tolerate_known_failures(now, check.frozen) if check.frozen else now
    said = "passes" if now.passed else f"{now.outcome} {now.code}"
    detail = "" if now.passed or c.check.origin == "holdout" else now.detail
    return Rerun(c.name, was, f"{said}, {now.seconds:.1f} s", now.passed, detail)
