"""Orders of a person, and where answers and client events go."""

from __future__ import annotations

from .. import events as ev
from ..directives import Continue, Directive, Stop
from ..draft import Draft
from ..loop import Loop
from ..pausing import breakers
from ..policies.next_prompt import continue_prompt, next_prompt
from ..policies.permission import ALLOW, ask_for_permission
from ..prompts import announcements, messages, order_replies, questions
from ..proof.state import CheckRound
from ..session.client_events import handle_client_event
from ..signals import Answered, ClientEvent, MirrorLost, Ordered, Signal
from ..status import ENDED
from .gate_answers import handle_answered

PROVE = "prove"  # of `continue`: who gives the order waits for a proof that is due


def handle_person_or_client(draft: Draft, signal: Signal) -> Directive:
    """Handle a signal that comes from a person or the client. An ended loop ignores it."""
    status = draft.loop.status
    if status in ENDED and isinstance(signal, Ordered):
        return Stop(message=order_replies.ended_text(status))
    if status in ENDED:
        return Stop()
    match signal:
        case MirrorLost():
            return handle_mirror_lost(draft, signal)
        case Answered():
            return handle_answered(draft, signal)
        case Ordered():
            return ORDERS[signal.order](draft, signal)
        case ClientEvent():
            return handle_client_event(draft, signal)
    raise TypeError(f"BUG: no such signal: {signal!r}")


def handle_mirror_lost(draft: Draft, signal: MirrorLost) -> Directive:
    if signal.how == "unreadable":
        draft.record(ev.MirrorRebuilt(signal.aside_path))
        return Stop(message=order_replies.mirror_rebuilt_text(signal.file, signal.aside_path))
    if draft.loop.status == "paused":
        return Stop()
    why = order_replies.mirror_edited_reason(signal.file, signal.how)
    return breakers.pause_loop(draft, "person", why, signal.at)


def handle_pause(draft: Draft, order: Ordered) -> Directive:
    if draft.loop.status == "paused":
        return Stop(message=messages.pause_text(draft.loop))
    if order.by == "runner":  # a fault of the machine, which says nothing about the claims
        from ..policies.check_rounds import pause_for_fault

        return pause_for_fault(draft, order.reason, order.at)
    if order.by == "lanes":
        return breakers.pause_loop(draft, "landing", order.reason, order.at)
    return breakers.pause_loop(draft, "person", order.reason or "asked by a person", order.at)


def handle_cancel(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LoopCancelled(order.at, order.keep_mirror))
    return Stop("cancelled", announcements.cancel_report(draft.loop))


def handle_continue(draft: Draft, order: Ordered) -> Directive:
    """Continue a paused loop. A reached limit must be raised first; a streak is reset."""
    if order.dollars or order.iterations or order.minutes:
        draft.record(ev.LimitsRaised(order.dollars, order.iterations, order.minutes))
    if draft.loop.waits_for_person:
        return give_turn_back(draft, order)
    if draft.loop.status == "running":
        return Continue(next_prompt(draft), "the loop is running already")
    unfinished = round_without_turn(draft.loop, order)
    if refused := resume_or_refuse(draft, order):
        return refused
    if unfinished and PROVE in order.arguments:
        from ..policies.check_rounds import finish_check_round

        return finish_check_round(draft, unfinished, order.at, order.tree)
    if unfinished:  # the runner that comes next finishes it
        return Continue("", announcements.continue_notice(draft.loop))
    if draft.loop.plan:
        from ..policies import plan

        directive = plan.resume_plan(draft, order.tree, order.at)
        if isinstance(directive, Continue):
            return directive.but(message=announcements.continue_notice(draft.loop))
        return directive
    if is_proof_due(draft.loop, order):
        from ..policies.check_rounds import prove_pending_claims

        return prove_pending_claims(draft, order.tree, order.at)
    return Continue(continue_prompt(draft), announcements.continue_notice(draft.loop))


def round_without_turn(loop: Loop, order: Ordered) -> CheckRound | None:
    """The round that a pause cut off, if it is finished before the agent has another turn."""
    is_finished_first = PROVE in order.arguments or loop.headless_run
    return loop.round_to_finish if order.order == "continue" and is_finished_first else None


def is_proof_due(loop: Loop, order: Ordered) -> bool:
    """Does the end wait for a proof that never began, and can it run here?

    The agent has nothing to do for it. A session or a runner proves at its next Stop.
    """
    waits = loop.pending_claims.exit and bool(order.tree) and not loop.backlog
    return waits and PROVE in order.arguments


def give_turn_back(draft: Draft, order: Ordered) -> Directive:
    """The person took the turn, and now the loop may have it again."""
    draft.record(ev.PersonSpoke(order.at, begins_turn=order.agent_informed))
    if order.agent_informed:
        return Continue(next_prompt(draft), announcements.continue_notice(draft.loop))
    draft.record(ev.PromptQueued())
    return Continue(next_prompt(draft), messages.NEXT_PROMPT_NOTICE)


def resume_or_refuse(draft: Draft, order: Ordered) -> Directive | None:
    """Resume a paused or asking loop; refuse while one of its limits is reached.

    A limit bounds the work of the agent, and not the checks of the work that it has done.
    """
    loop = draft.loop
    needs_turn = not round_without_turn(loop, order) and not is_proof_due(loop, order)
    for name in messages.RAISE_FLAGS if needs_turn else ():
        if why := breakers.BREAKERS[name](loop):
            draft.record(ev.OrderRefused("continue", name))
            return Stop(message=f"{why}. Raise it: {messages.resume_command(loop, name)}")
    if ask := ask_for_permission(draft, order.at):
        return ask
    if loop.gate and loop.gate.name == "G3":
        draft.record(ev.DoneTakenBack("the person wants it to go on"))
    cause = loop.pause.cause
    rearmed = cause if cause in (*breakers.BREAKERS, "limit") else ""
    draft.record(ev.LoopResumed(order.at, rearmed))
    if not order.agent_informed:
        draft.record(ev.PromptQueued())
    return None


def handle_stage(draft: Draft, order: Ordered) -> Directive:
    """/loop:execute or /loop:verify: enter this stage of the plan, and resume a paused loop."""
    if not draft.loop.plan:
        return Stop(message=order_replies.NO_PLAN)
    if order.by != "person" and draft.loop.status == "paused":  # a runner resumes nothing
        return Stop(draft.loop.pause.why, messages.pause_text(draft.loop))
    if draft.loop.status != "running" and (refused := resume_or_refuse(draft, order)):
        return refused
    from ..policies import plan

    return plan.enter_stage(draft, order.order, order.tree, order.at)


def handle_attach(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LeaseTaken(order.at, order.session, order.pid))
    draft.record(ev.ProtocolNeeded())
    if not order.agent_informed:
        draft.record(ev.PromptQueued())
    message = order_replies.attached_text(draft.loop, order.agent_informed)
    if draft.loop.status == "running":
        return Continue(next_prompt(draft), message)
    return Stop(message=message)


def handle_detach(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LeaseReleased(order.at))
    return Stop(message=order_replies.DETACHED)


def handle_steer(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.GuidanceGiven(order.reason))
    return Stop(message=order_replies.STEERED)


def handle_criteria(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.CriteriaChanged(order.criteria))
    return Stop(message=order_replies.criteria_changed_text(len(order.criteria)))


def handle_independent_checks(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.IndependentChecksChanged(order.criteria))
    names = ", ".join(c.name for c in order.criteria) or "none"
    return Stop(message=f"[LOOP] Independent checks: {names}")


def handle_allow(draft: Draft, order: Ordered) -> Directive:
    """Allow the checks of the order, which holds their text; or remove them (deny)."""
    for c in order.criteria:
        draft.record(ev.CheckAllowed(c.name, c.check))
    allowed = order.order == "allow"
    text = order_replies.checks_allowed_text(len(order.criteria), allowed)
    if not allowed:  # who denies a check has chosen to work without it
        draft.record(ev.ChecksWaived(order.at))
    gate = draft.loop.gate
    if gate and gate.name == ALLOW and not draft.loop.waiting_checks:
        draft.record(ev.GateAnswered(gate.name, order.order, order.at))
        draft.record(ev.PromptQueued())
        return Stop(message=f"{text} Continue: `loop continue`, or in a terminal: loop run")
    if gate:
        return Stop(message=f"{text}\n{questions.question_text(draft.loop)}")
    return Stop(message=text)


def handle_waive(draft: Draft, order: Ordered) -> Directive:
    """The person chooses to work without the checks that may not run."""
    draft.record(ev.ChecksWaived(order.at))
    return Stop(message=messages.waived_text(draft.loop))


def handle_accept(draft: Draft, order: Ordered) -> Directive:
    """The person accepts findings: they no longer refute the claim."""
    from ..proof.events import FindingsAccepted

    draft.record(FindingsAccepted(order.arguments))
    return Stop(message=order_replies.findings_accepted_text(len(order.arguments)))


def handle_rule(draft: Draft, order: Ordered) -> Directive:
    """The person decides about a disputed criterion, or a final check without looks left."""
    from ..policies import disputes

    return disputes.handle_rule(draft, order)


def handle_rewind(draft: Draft, order: Ordered) -> Directive:
    from ..proof.events import FilesRewound

    iteration, commit, saved_commit = order.arguments
    draft.record(FilesRewound(order.at, int(iteration), commit, saved_commit))
    return Stop()


def handle_refused(draft: Draft, order: Ordered) -> Directive:
    """An agent tried a command that only a person may run, itself or in the person's name."""
    if not order.arguments:
        draft.record(ev.OrderRefused(order.reason, "it is the person's to do"))
        return Stop()
    why = order.arguments[0]
    # Whoever typed it in the session has read the refusal there.
    draft.record(ev.OrderRefused(order.reason, why, forged=not order.agent_informed))
    return Stop(message=order_replies.order_refused_text(order.reason, why))


ORDERS = {
    "pause": handle_pause,
    "cancel": handle_cancel,
    "continue": handle_continue,
    "execute": handle_stage,
    "verify": handle_stage,
    "attach": handle_attach,
    "detach": handle_detach,
    "steer": handle_steer,
    "criteria": handle_criteria,
    "independent": handle_independent_checks,
    "allow": handle_allow,
    "waive": handle_waive,
    "deny": handle_allow,
    "accept": handle_accept,
    "rule": handle_rule,
    "rewind": handle_rewind,
    "refused": handle_refused,
}
