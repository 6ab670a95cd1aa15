"""The spec policy: the loop ends when the exit is claimed and all criteria are proven on one tree.

It decides in this order: success (if the final proof agrees), breakers, a question to
the person after a step, continue with the criteria that are unmet or only assumed.
"""

from __future__ import annotations

from .. import events as ev
from ..directives import Directive, Stop
from ..draft import Draft
from ..loop import Loop
from ..pausing import breakers
from ..prompts import messages, phrases
from ..proof.state import CheckRound
from ..signals import TurnOver
from .next_prompt import continue_turn

NO_MORE_TURNS = ("budget", "iterations", "clock", "same-error", "turn")
CLAIMS_BEFORE_A_FIX = 2  # refuted only because a check cannot run here: then a person must act
REMINDERS = 1  # how often an agent is asked to claim the end where no person can be asked


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """Record what the agent claims: the round of checks that follows, or a directive instead."""
    pending = draft.loop.pending_claims
    if phrases.STATUS_OPEN in turn.text or phrases.LOOP_COMPLETE in turn.text:
        from ..replies.claims import read_claims, record_claims, stop_for_agent

        claims = read_claims(draft, turn.text)
        pending = pending.merged_with(record_claims(draft, claims, turn.at))
        if stop := stop_for_agent(draft, claims, turn.at):
            return stop
    tree_changed = turn.tree != before.tree
    return CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=turn.tree,
        step=pending.step,
        is_active=bool(turn.tool_calls or tree_changed or pending.has_news),
        # Where the output does not show tool calls, there may have been some.
        only_claims=turn.tool_calls == 0 and not tree_changed and not pending.step,
        tree_changed=tree_changed,
        claimed=pending.names,
    )


def decide_after_checks(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """Every criterion is proven or refuted: judge the turn first, then the limits."""
    said_done = draft.loop.exit_claimed
    refuted = refute_failed_claims(draft, check_round)
    all_met = is_all_met(draft.loop)
    is_answer = check_round.confirmed or check_round.finish_agreed
    if check_round.is_first_decision and not is_answer:
        streak = breakers.count_progress(
            draft.loop, check_round, refuted=bool(refuted), exit_refuted=said_done and bool(refuted)
        )
        lacks_claim = all_met and not draft.loop.exit_claimed and not draft.loop.objections
        unclaimed = streak.unclaimed + 1 if lacks_claim and not check_round.step else 0
        draft.record(ev.StreakCounted(streak.but(unclaimed=unclaimed)))
    loop, step = draft.loop, check_round.step
    if all_met and loop.exit_claimed:
        return finish_or_ask(draft, check_round, at)
    if all_met and (directive := finish_unclaimed(draft, check_round, at)):
        return directive
    if loop.disputed_criteria and (ask := ask_about_disputes(draft, at)):
        return ask
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    if refuted and loop.dialogue.refuted_claims >= CLAIMS_BEFORE_A_FIX:
        from ..prompts.refutation import unable_reason

        if why := unable_reason(loop, refuted):
            return breakers.pause_loop(draft, "last", why, at)
    note = messages.turn_note(loop, step, said_done, refuted)
    if step and asks_person(loop) and loop.unmet_criteria:
        from ..prompts.questions import g2_question

        ask = breakers.ask_person(draft, "G2", g2_question(step), at)
        return ask.but(message=f"{note}\n{ask.message}")
    draft.record(ev.TurnContinued())
    return continue_turn(draft, note)


def ask_about_disputes(draft: Draft, at: float) -> Directive | None:
    """Ask the person if nothing is open but what the agent calls wrong."""
    from .disputes import DISPUTE_CAUSE, ask_for_ruling, only_disputed

    names = only_disputed(draft.loop)
    return ask_for_ruling(draft, DISPUTE_CAUSE, names, at) if names else None


def is_all_met(loop: Loop) -> bool:
    return bool(loop.criteria and not loop.unmet_criteria and not loop.assumed_criteria)


def finish_unclaimed(draft: Draft, check_round: CheckRound, at: float) -> Directive | None:
    """All criteria are met and the agent does not claim the end: ask the person, or finish.

    None: the agent is reminded, or a breaker pauses the loop.
    """
    loop, streak = draft.loop, draft.loop.streak
    if check_round.finish_agreed:
        return finish_or_ask(draft, check_round, at)
    tripped = breakers.tripped(loop)
    cause = tripped[0] if tripped else ""
    at_limit = streak.stuck >= loop.limits.stuck or streak.idle >= loop.limits.idle
    if not streak.unclaimed:
        return None
    if asks_person(loop):
        if not at_limit or cause not in ("", "idle"):
            return None
        from ..prompts.questions import FINISH_QUESTION

        return breakers.ask_person(draft, "finish", FINISH_QUESTION, at)
    # Checks that passed before the work began cannot show that it is done; changed files can.
    only_guards = all(c.guard for c in loop.criteria)
    still_works = check_round.tree_changed and (only_guards or _has_steps_to_do(loop))
    if cause in NO_MORE_TURNS:  # it cannot be reminded
        is_shown = not only_guards and all(c.is_verified_by("loop") for c in loop.criteria)
        return finish_or_ask(draft, check_round, at) if is_shown and not still_works else None
    if cause in ("", "idle") and streak.unclaimed > REMINDERS and (at_limit or not still_works):
        return finish_or_ask(draft, check_round, at)
    return None


def _has_steps_to_do(loop: Loop) -> bool:
    """Are steps left that somebody asked for? The usual ones are only a guide to the end."""
    from ..prompts.workflow_steps import USUAL_STEPS

    usual = {name for names in USUAL_STEPS.values() for name in names}
    return any(step.name not in usual for step in loop.remaining_steps)


def finish_or_ask(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    from .final_proof import run_final_proof

    if draft.loop.demands:
        from .demands import ask_for_tests, tell_open_demands

        directive = (
            ask_for_tests(draft, check_round)
            or run_final_proof(draft, check_round, at)
            or tell_open_demands(draft, check_round)
        )
    else:
        directive = run_final_proof(draft, check_round, at)
    if directive:
        return directive
    agreed = check_round.finish_agreed and not _needs_acceptance(draft.loop)
    if check_round.confirmed or agreed or not asks_person(draft.loop):
        return finish_loop(draft, check_round, at)
    return ask_to_finish(draft, at)


def _needs_acceptance(loop: Loop) -> bool:
    """Does a criterion rest on the agent's word, or a finding on a person's? Then G3 asks."""
    if loop.baseline.findings:
        from ..findings import MEDIUM
        from ..loop import open_findings

        if open_findings(loop, MEDIUM):
            return True
    return not all(c.is_verified_by("loop") for c in loop.criteria)


def ask_to_finish(draft: Draft, at: float) -> Directive:
    """Ask G3. The question lists the findings that a yes accepts."""
    from ..prompts.questions import g3_question

    question = g3_question(draft.loop)
    listed: tuple[str, ...] = ()
    if draft.loop.baseline.findings:
        from ..prompts.objections import acceptance_question

        question, listed = acceptance_question(draft.loop, question)
    return breakers.ask_person(draft, "G3", question, at, listed)


def handle_refutation(draft: Draft, at: float) -> Directive:
    """The checks support the claim, but a finding or a final check refutes it: continue."""
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    draft.record(ev.TurnContinued())
    note = messages.turn_note(draft.loop, "", said_done=not draft.loop.streak.unclaimed)
    return continue_turn(draft, note)


def asks_person(loop: Loop) -> bool:
    """Does the loop ask at its gates? Never under a runner: no person is there to answer."""
    return loop.gates_enabled and loop.shape.name == "colleague" and not loop.headless_run


def refute_failed_claims(draft: Draft, check_round: CheckRound) -> tuple[str, ...]:
    """A failed check takes back the exit claim and the claim of its own criterion: their names."""
    loop = draft.loop
    ran = [c for c in loop.criteria if c.name in check_round.ran and not loop.is_met(c)]
    # Who disputes a check does not claim that it passes.
    unmet = [c for c in ran if c.name not in loop.disputed_criteria]
    refuted = tuple(c.name for c in unmet if loop.exit_claimed or c.is_claimed)
    if refuted:
        why = "our own run of the check does not pass on this tree"
        draft.record(ev.ClaimRefuted(refuted, why))
    return refuted


def finish_loop(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    from ..prompts.end_screen import end_screen
    from ..proof.verdict import verdict_of

    if check_round.confirmed:
        _record_confirmation(draft, check_round, at)
    verdict = verdict_of(draft.loop)
    draft.record(ev.LoopFinished(verdict, at))
    text = end_screen(draft.loop)
    is_answer = check_round.confirmed or check_round.finish_agreed
    return Stop("complete", text, verdict, answers_prompt=is_answer)


def _record_confirmation(draft: Draft, check_round: CheckRound, at: float) -> None:
    """The person's yes to G3 confirms what we could not run and accepts the findings listed."""
    not_run = [c for c in draft.loop.criteria if not c.is_verified_by("loop")]
    draft.record(ev.CriteriaConfirmed(tuple(c.name for c in not_run), at))
    if check_round.accepted_findings:
        from ..proof.events import FindingsAccepted

        draft.record(FindingsAccepted(check_round.accepted_findings))
