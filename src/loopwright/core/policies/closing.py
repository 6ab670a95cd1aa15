"""Closing: every check bears the claim out. Before the word is spoken we look back to the start for what was made easier to
prove since; then the held-out checks run, and a reviewer reads. What speaks against the claim goes back to the agent.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import CompareWithBaseline, Directive, Stop
from ..draft import Draft
from ..findings import HIGH, MAX_FINDINGS, MEDIUM, Finding, worse_count_findings
from ..loop import CheckRound, Loop, open_findings
from ..proof_events import BaselineCompared, ProofsVoided
from ..signals import BaselineComparison
from .frame import next_check_or_decide, next_round, start_check_round

WEAKENED_REASON = "it became easier to prove since the start"
FINAL_CHECKS_REASON = "what runs at the end only does not agree"
TREE_MOVED_REASON = "the tree, hashed anew from its content, is not the one that the checks ran on"


def run_final_proof(draft: Draft, turn: CheckRound, at: float) -> Directive | None:
    """What still stands between the loop and its end; None: nothing."""
    loop = draft.loop
    if not turn.baseline_compared and (has_baseline(loop) or loop.final_checks):
        following = next_round(turn, loop.rounds_started + 1).but(baseline_compared=True)
        draft.record(ev.CheckRoundStarted(following))
        if has_baseline(loop):
            return CompareWithBaseline(following.number, loop.lease.fence, turn.tree)
        return next_check_or_decide(draft, at)
    against = [
        c
        for c in loop.final_checks
        if not (c.proof and c.proof.passed and c.proof.tree == loop.tree)
    ]
    for c in against:
        if c.proof and c.proof.outcome == "missing":  # nothing that the agent could mend
            return breakers.pause_loop(
                draft, "last", f"{c.name} cannot be run: {c.proof.detail[:300]}", at
            )
    if against:
        return refute_claim(draft, tuple(c.name for c in against), FINAL_CHECKS_REASON, at)
    if loop.final_checks and has_baseline(loop) and not turn.baseline_recompared:
        draft.record(
            ev.CheckRoundStarted(
                next_round(turn, loop.rounds_started + 1).but(baseline_recompared=True)
            )
        )
        return CompareWithBaseline(loop.rounds_started + 1, loop.lease.fence, turn.tree)
    return None


def has_baseline(loop: Loop) -> bool:
    return bool(loop.baseline.tree_id or loop.baseline.protected_paths or loop.baseline.tools)


def handle_baseline_comparison(draft: Draft, signal: BaselineComparison) -> Directive:
    """The look back has come. It counts only in the round, and under the lease, that asked for it."""
    loop, turn = draft.loop, draft.loop.check_round
    if (
        loop.status != "running"
        or not turn
        or (signal.round, signal.fence) != (turn.number, loop.lease.fence)
    ):
        draft.record(
            ev.CheckResultDropped(
                "the look back", "another round has begun, or the lease has moved"
            )
        )
        return Stop()
    if signal.tree != turn.tree:  # something writes beside us: what is there now may be as good
        if turn.after_write_race:
            return refute_claim(draft, (), TREE_MOVED_REASON, signal.at)
        return start_check_round(
            draft,
            next_round(turn, turn.number + 1).but(
                tree=signal.tree,
                baseline_compared=False,
                baseline_recompared=False,
                after_write_race=True,
            ),
            signal.at,
        )
    if signal.raced_checks and not turn.after_write_race:
        draft.record(ProofsVoided(signal.raced_checks, signal.written_files))
        return start_check_round(
            draft,
            next_round(turn, turn.number + 1).but(
                baseline_compared=False, baseline_recompared=False, after_write_race=True
            ),
            signal.at,
        )
    worse = tuple(finding for c in loop.criteria for finding in worse_count_findings(c))
    found = (*worse, *_write_race_findings(signal), *signal.findings)[:MAX_FINDINGS]
    draft.record(BaselineCompared(signal.tree, found, signal.kept_commit))
    if open_findings(draft.loop, HIGH):
        return refute_claim(draft, (), WEAKENED_REASON, signal.at)
    return next_check_or_decide(draft, signal.at)


def _write_race_findings(signal: BaselineComparison) -> tuple[Finding, ...]:
    """It happened again: the check itself does it, or somebody beside it."""
    if not signal.raced_checks:
        return ()
    return (
        Finding(
            MEDIUM,
            "written-during-check",
            ", ".join(signal.raced_checks),
            after=signal.written_files,
        ),
    )


def refute_claim(draft: Draft, names: tuple[str, ...], why: str, at: float) -> Directive:
    if draft.loop.check_round:
        draft.record(ev.CheckRoundEnded())
    draft.record(ev.ClaimRefuted(names, why))
    return draft.policy.handle_refutation(draft, at)
