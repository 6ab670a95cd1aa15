"""The spec policy: a loop ends when every criterion is proven on the current tree and the agent has claimed the exit.

The order of the decision: ended, success (once what runs at the end only agrees: closing.py), assumption, all met without
exit signal, breakers, unmet.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import Continue, Directive, Stop
from ..draft import Draft
from ..loop import CheckRound, Loop
from ..prompts import messages, phrases
from ..signals import TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """The agent wants to stop. What does it claim? The round of checks that follows, or an end without one."""
    taken = draft.loop.pending_claims
    if phrases.STATUS_OPEN in turn.text or phrases.LOOP_COMPLETE in turn.text:
        from ..replies.claims import read_claims, record_claims, stop_for_agent

        claims = read_claims(draft, turn.text)
        taken = taken.merged_with(record_claims(draft, claims, turn.at))
        if pausing := stop_for_agent(draft, claims, turn.at):
            return pausing
    fresh = bool(turn.tool_calls or turn.tree != before.tree or taken.has_news)
    return CheckRound(
        draft.loop.rounds_started + 1,
        turn.tree,
        step=taken.step,
        is_active=fresh,
        claimed=taken.names,
    )


def decide_after_checks(draft: Draft, turn: CheckRound, at: float) -> Directive:
    """All that can be proven is proven or refuted: evaluate the turn first, then the limits."""
    refute_failed_claims(draft, turn)
    if turn.is_first_decision and not turn.confirmed:
        draft.record(ev.StreakCounted(breakers.count_progress(draft.loop, turn)))
    loop = draft.loop
    if (
        not loop.unmet_criteria
        and not loop.assumed_criteria
        and loop.exit_claimed
        and loop.criteria
    ):
        return finish_or_ask(draft, turn, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause_loop(draft, *tripped, at)
    if turn.step and asks_person(loop) and loop.unmet_criteria:
        asked = breakers.ask_person(draft, "G2", messages.g2_question(turn.step), at)
        return asked.but(
            message=f"{messages.iteration_note(draft.loop, turn.step)}\n{asked.message}"
        )
    draft.record(ev.TurnContinued())
    return Continue(messages.continue_prompt(loop), messages.iteration_note(loop, turn.step))


def finish_or_ask(draft: Draft, turn: CheckRound, at: float) -> Directive:
    from .closing import run_final_proof

    if standing_in_the_way := run_final_proof(draft, turn, at):
        return standing_in_the_way
    if turn.confirmed or not asks_person(draft.loop):
        return finish_loop(draft, turn, at)
    return breakers.ask_person(draft, "G3", messages.G3_QUESTION, at)


def handle_refutation(draft: Draft, at: float) -> Directive:
    """The checks bear the claim out, and something else speaks against it."""
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause_loop(draft, *tripped, at)
    draft.record(ev.TurnContinued())
    return Continue(messages.continue_prompt(draft.loop), messages.iteration_note(draft.loop, ""))


def asks_person(loop: Loop) -> bool:
    """Under a runner nobody is there to ask: a colleague works like a tool until a session has the loop again."""
    return loop.gates_enabled and loop.shape.name == "colleague" and not loop.headless_run


def refute_failed_claims(draft: Draft, turn: CheckRound) -> None:
    """A failed check takes back the exit claim and that criterion's claim only."""
    loop = draft.loop
    false = tuple(
        c.name
        for c in loop.criteria
        if c.name in turn.ran
        and not loop.is_met(c)
        and ((c.claim and c.claim.met) or loop.exit_claimed)
    )
    if false:
        draft.record(ev.ClaimRefuted(false, "our own run of the check does not pass on this tree"))


def finish_loop(draft: Draft, turn: CheckRound, at: float) -> Directive:
    from ..verdict import verdict_of

    if turn.confirmed:
        unseen = tuple(
            c.name for c in draft.loop.criteria if not (c.proof and c.proof.by == "loop")
        )
        draft.record(ev.CriteriaConfirmed(unseen, at))
        if draft.loop.baseline.findings:
            from ..findings import MEDIUM
            from ..loop import open_findings
            from ..proof_events import FindingsAccepted

            draft.record(
                FindingsAccepted(
                    tuple(finding.key for finding in open_findings(draft.loop, MEDIUM))
                )
            )
    verdict = verdict_of(draft.loop)
    draft.record(ev.LoopFinished(verdict, at))
    from ..prompts.announcements import completion_text

    return Stop("complete", completion_text(draft.loop), verdict)
