"""Orders, answers and awakenings: what a person or the client tells the loop, outside the turns of the agent."""

from __future__ import annotations

from . import breakers
from . import events as ev
from .directives import Continue, Directive, Stop
from .draft import Draft
from .loop import CheckRound
from .policies import frame
from .policies.next_prompt import next_prompt
from .prompts import announcements, messages, phrases
from .signals import Answered, ClientEvent, MirrorLost, Ordered, Signal
from .status import ENDED

NO = ("no", "n", "stop", "wait")
YES = ("yes", "y", "ok", "confirm")
LIFT_GATES = "proceed without confirmation"


def handle_person_or_client(draft: Draft, signal: Signal) -> Directive:
    if draft.loop.status in ENDED:
        return Stop(
            message=f"this loop has ended ({draft.loop.status})"
            if isinstance(signal, Ordered)
            else ""
        )
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
        return Stop(
            message=f"[LOOP] {signal.file} could not be read. Set aside as {signal.aside_path}, rebuilt; the loop goes on."
        )
    if draft.loop.status == "paused":
        return Stop()
    word = "was deleted" if signal.how == "deleted" else f"was set to {signal.how}"
    return breakers.pause_loop(draft, "person", f"{signal.file} {word} by hand", signal.at)


def handle_answered(draft: Draft, signal: Answered) -> Directive:
    """G1 and G2 go on unless told no; G3 finishes only on a bare yes."""
    gate, text = draft.loop.gate, signal.text.strip()
    bare = text.lower().rstrip(".!").removesuffix(" delete").removesuffix(",")
    if not gate:
        return Stop(message="the loop has asked nothing")
    delete = gate.name == "G1" and (
        bare == "delete" or (text.lower().endswith((" delete", ",delete")) and bare in YES)
    )
    plain = gate.name != "ask" and bare in (
        *YES,
        *NO,
        LIFT_GATES,
        "delete",
    )  # to the agent's own question, a yes is all there is
    guidance = "" if plain else text[:2000]
    draft.record(ev.GateAnswered(gate.name, text[:2000], signal.at, guidance, delete))
    if LIFT_GATES in text.lower():
        draft.record(ev.GatesLifted())
    elif gate.name not in ("G3", "ask") and bare in NO:
        return breakers.pause_loop(draft, "person", f"{gate.name} answered {bare}", signal.at)
    if gate.name == "G1" and (
        LIFT_GATES in text.lower() or text.lower().split(" ")[0].strip(".,!") in YES
    ):
        allow_proposed(draft)
    loop = draft.loop
    if gate.name == "G3":
        if (
            bare in YES or LIFT_GATES in text.lower()
        ):  # to want no more questions is not to have looked
            confirmed = bare in YES
            return frame.start_check_round(
                draft,
                CheckRound(loop.rounds_started + 1, signal.tree or loop.tree, confirmed=confirmed),
                signal.at,
            )
        draft.record(ev.DoneTakenBack("the person did not confirm"))
    if tripped := breakers.tripped(draft.loop):  # a question is no way round a limit
        return breakers.pause_loop(draft, *tripped, signal.at)
    if not signal.agent_informed:
        draft.record(ev.PromptQueued())
    if draft.loop.plan and gate.name != "ask":
        from .policies import plan

        return plan.handle_plan_answer(draft, gate.name, signal.tree, signal.at)
    return Continue(next_prompt(draft))


def allow_proposed(draft: Draft) -> None:
    """The yes to G1 covers the checks that the model proposed: its question named them."""
    for c in (*draft.loop.criteria, *draft.loop.must_not):
        if c.check and c.check.origin == "proposed" and not c.check.allowed:
            draft.record(ev.CheckAllowed(c.name, c.check.but(allowed=True)))


def handle_pause(draft: Draft, order: Ordered) -> Directive:
    if draft.loop.status == "paused":
        return Stop(message=messages.pause_text(draft.loop))
    return breakers.pause_loop(draft, "person", order.reason or "asked by a person", order.at)


def handle_cancel(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LoopCancelled(order.at, order.keep_mirror))
    return Stop("cancelled", announcements.cancel_report(draft.loop))


def handle_continue(draft: Draft, order: Ordered) -> Directive:
    """Go on where it paused. A limit that was reached must be raised; a streak is re-armed."""
    if order.dollars or order.iterations or order.minutes:
        draft.record(ev.LimitsRaised(order.dollars, order.iterations, order.minutes))
    if draft.loop.status == "running":
        return Continue(next_prompt(draft), "the loop is running already")
    if refused := resume_or_refuse(draft, order):
        return refused
    if draft.loop.plan:
        from .policies import plan

        following = plan.resume_plan(draft, order.tree, order.at)
        return (
            following.but(message=announcements.continue_notice(draft.loop))
            if isinstance(following, Continue)
            else following
        )
    return Continue(messages.continue_prompt(draft.loop), announcements.continue_notice(draft.loop))


def resume_or_refuse(draft: Draft, order: Ordered) -> Directive | None:
    """What was paused or asked runs again; or why it cannot."""
    loop = draft.loop
    reached = [name for name in messages.RAISE_FLAGS if breakers.BREAKERS[name](draft.loop)]
    if reached:
        flag = messages.RAISE_FLAGS[reached[0]]
        draft.record(ev.OrderRefused("continue", reached[0]))
        return Stop(
            message=f"{breakers.BREAKERS[reached[0]](draft.loop)}. Raise it: `loop continue {flag}=N`"
        )
    if loop.gate and loop.gate.name == "G3":
        draft.record(ev.DoneTakenBack("the person wants it to go on"))
    draft.record(
        ev.LoopResumed(
            order.at, loop.pause.cause if loop.pause.cause in (*breakers.BREAKERS, "limit") else ""
        )
    )
    if not order.agent_informed:
        draft.record(ev.PromptQueued())
    return None


def handle_stage(draft: Draft, order: Ordered) -> Directive:
    """/loop:execute or /loop:verify on a loop with a plan; one that is paused goes on by it."""
    if not draft.loop.plan:
        return Stop(message="this loop has no plan. Start one: `loop start --plan FILE`")
    if draft.loop.status != "running" and (refused := resume_or_refuse(draft, order)):
        return refused
    from .policies import plan

    return plan.enter_stage(draft, order.order, order.tree, order.at)


def handle_attach(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LeaseTaken(order.at, order.session, order.pid))
    if not order.agent_informed:
        draft.record(ev.PromptQueued())
    said = f"[LOOP] Attached: this loop is now driven by {order.session}."
    return (
        Continue(next_prompt(draft), said) if draft.loop.status == "running" else Stop(message=said)
    )


def handle_detach(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.LeaseReleased(order.at))
    return Stop(
        message="[LOOP] Detached. The next session that is prompted in this folder drives it."
    )


def handle_steer(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.GuidanceGiven(order.reason))
    return Stop(message="[LOOP] Noted: the agent hears it with its next prompt.")


def handle_criteria(draft: Draft, order: Ordered) -> Directive:
    draft.record(ev.CriteriaChanged(order.criteria))
    return Stop(message=f"{len(order.criteria)} criteria now; the stuck counter starts anew.")


def handle_allow(draft: Draft, order: Ordered) -> Directive:
    """The checks named in the order may run (their text is in it), or are taken out."""
    for c in order.criteria:
        draft.record(ev.CheckAllowed(c.name, c.check))
    return Stop(
        message=f"{len(order.criteria)} checks {'allowed' if order.order == 'allow' else 'denied'}."
    )


def handle_accept(draft: Draft, order: Ordered) -> Directive:
    """What was found stands as it is, on the person's word."""
    from .proof_events import FindingsAccepted

    draft.record(FindingsAccepted(order.arguments))
    return Stop(
        message=f"{phrases.count_phrase(len(order.arguments), 'finding')} accepted; the verdict will name what was."
    )


def handle_rewind(draft: Draft, order: Ordered) -> Directive:
    from .proof_events import FilesRewound

    number, commit, saved = order.arguments
    draft.record(FilesRewound(order.at, int(number), commit, saved))
    return Stop()


def handle_refused(draft: Draft, order: Ordered) -> Directive:
    """An agent tried what is the person's to do."""
    draft.record(ev.OrderRefused(order.reason, "it is the person's to do"))
    return Stop()


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
    "allow": handle_allow,
    "deny": handle_allow,
    "accept": handle_accept,
    "rewind": handle_rewind,
    "refused": handle_refused,
}


def handle_client_event(draft: Draft, signal: ClientEvent) -> Directive:
    """A session begins, speaks, compacts or ends. Only a prompt may bind a loop that nobody drives."""
    lease = draft.loop.lease
    if not signal.session:
        return Stop()
    if signal.event == "prompt":
        return handle_prompt(draft, signal)
    if signal.event == "start":
        return handle_session_start(draft, signal)
    if signal.session == lease.holder and signal.event == "compact":
        draft.record(ev.ContextCompacted(signal.at))
    elif signal.session == lease.holder and not lease.session_ended:
        draft.record(ev.SessionEnded(signal.at))
    return Stop()


def handle_prompt(draft: Draft, signal: ClientEvent) -> Directive:
    """The person speaks. In `asking` that is the answer; on a loop that nobody drives it is the start."""
    new = not draft.loop.lease.holder
    if not frame.acquire_lease(draft, signal.session, signal.pid, signal.at):
        return Stop()
    if draft.loop.status == "asking" and not signal.text.startswith("/"):
        if new:  # the question has not been seen in this session yet
            return Stop(message=messages.question_text(draft.loop))
        if draft.loop.lease.session_ended:  # it is there again
            draft.record(ev.PersonSpoke(signal.at))
        return handle_answered(
            draft, Answered(signal.at, signal.text, signal.tree, agent_informed=True)
        )
    if LIFT_GATES in signal.text.lower() and draft.loop.gates_enabled:
        draft.record(ev.GatesLifted())
    told = not new and not draft.loop.dialogue.prompt_queued
    draft.record(ev.PersonSpoke(signal.at, interrupted=draft.loop.dialogue.turn_continued))
    return Stop() if told or draft.loop.status != "running" else Continue(next_prompt(draft))


def handle_session_start(draft: Draft, signal: ClientEvent) -> Directive:
    loop, lease = draft.loop, draft.loop.lease
    if not lease.holder:
        return Stop(
            message="[LOOP] A loop waits in this folder; your next prompt here drives it. See: `loop status`"
        )
    if (
        signal.source == "clear"
        and signal.pid
        and signal.pid == lease.pid
        and signal.session != lease.holder
    ):
        draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    if signal.session != draft.loop.lease.holder:
        return (
            frame.notify_foreign_session(draft, signal.session)
            if loop.status == "running"
            else Stop()
        )
    if loop.status == "running":
        return Continue(f"{messages.resume_text(loop)}\n{messages.reply_protocol(loop)}")
    return Stop(
        message=messages.pause_text(loop)
        if loop.status == "paused"
        else messages.question_text(loop)
    )
