"""Orders, answers and awakenings: what a person or the client tells the loop, outside the turns of the agent."""

from __future__ import annotations

from . import announce, breakers, wording
from . import events as ev
from .loop import ENDED, Turn
from .policies import spec
from .signals import Answered, Continue, Directive, MirrorLost, Ordered, Signal, Stop, Woke

NO = ("no", "n", "stop", "wait")
YES = ("yes", "y", "ok", "confirm")
LIFT = "proceed without confirmation"


def hear(draft: ev.Draft, signal: Signal) -> Directive:
    if draft.loop.status in ENDED:
        return Stop(say=f"this loop has ended ({draft.loop.status})" if isinstance(signal, Ordered) else "")
    match signal:
        case MirrorLost():
            return mirror_lost(draft, signal)
        case Answered():
            return answered(draft, signal)
        case Ordered():
            return ORDERS[signal.order](draft, signal)
        case Woke():
            return woke(draft, signal)
    raise TypeError(f"BUG: no such signal: {signal!r}")


def mirror_lost(draft: ev.Draft, signal: MirrorLost) -> Directive:
    if signal.how == "unreadable":
        draft.say(ev.MirrorRebuilt(signal.aside))
        return Stop(say=f"[LOOP] {signal.file} could not be read. Set aside as {signal.aside}, rebuilt; the loop goes on.")
    if draft.loop.status == "paused":
        return Stop()
    word = "was deleted" if signal.how == "deleted" else f"was set to {signal.how}"
    return breakers.pause(draft, "person", f"{signal.file} {word} by hand", signal.at)


def answered(draft: ev.Draft, signal: Answered) -> Directive:
    """G1 and G2 go on unless told no; G3 finishes only on a bare yes."""
    gate, text = draft.loop.gate, signal.text.strip()
    bare = text.lower().rstrip(".!").removesuffix(" delete").removesuffix(",")
    if not gate:
        return Stop(say="the loop has asked nothing")
    delete = gate.name == "G1" and (bare == "delete" or (text.lower().endswith((" delete", ",delete")) and bare in YES))
    plain = gate.name != "ask" and bare in (*YES, *NO, LIFT, "delete")  # to the agent's own question, a yes is all there is
    guidance = "" if plain else text[:2000]
    draft.say(ev.GateAnswered(gate.name, text[:2000], signal.at, guidance, delete))
    if LIFT in text.lower():
        draft.say(ev.GatesLifted())
    elif gate.name not in ("G3", "ask") and bare in NO:
        return breakers.pause(draft, "person", f"{gate.name} answered {bare}", signal.at)
    if gate.name == "G1" and (LIFT in text.lower() or text.lower().split(" ")[0].strip(".,!") in YES):
        allow_proposed(draft)
    loop = draft.loop
    if gate.name == "G3":
        if bare in YES or LIFT in text.lower():  # to want no more questions is not to have looked
            confirmed = bare in YES
            return spec.begin(draft, Turn(loop.rounds + 1, signal.tree or loop.tree, confirmed=confirmed), signal.at)
        draft.say(ev.DoneTakenBack("the person did not confirm"))
    if tripped := breakers.tripped(draft.loop):  # a question is no way round a limit
        return breakers.pause(draft, *tripped, signal.at)
    if not signal.heard:
        draft.say(ev.PromptWaits())
    if draft.loop.plan and gate.name != "ask":
        from .policies import plan

        return plan.answered(draft, gate.name, signal.tree, signal.at)
    return Continue(next_prompt(draft))


def next_prompt(draft: ev.Draft) -> str:
    if draft.loop.plan:
        from .policies.giving import assign

        assign(draft)
    return wording.go_on(draft.loop) if draft.loop.spend.iterations else announce.opening(draft.loop)


def allow_proposed(draft: ev.Draft) -> None:
    """The yes to G1 covers the checks that the model proposed: its question named them."""
    for c in (*draft.loop.criteria, *draft.loop.forbidden):
        if c.check and c.check.origin == "proposed" and not c.check.allowed:
            draft.say(ev.CheckAllowed(c.name, c.check.but(allowed=True)))


def pause(draft: ev.Draft, order: Ordered) -> Directive:
    if draft.loop.status == "paused":
        return Stop(say=wording.paused(draft.loop))
    return breakers.pause(draft, "person", order.reason or "asked by a person", order.at)


def cancel(draft: ev.Draft, order: Ordered) -> Directive:
    draft.say(ev.LoopCancelled(order.at, order.keep))
    return Stop("cancelled", announce.cancelled(draft.loop))


def resume(draft: ev.Draft, order: Ordered) -> Directive:
    """Go on where it paused. A limit that was reached must be raised; a streak is re-armed."""
    if order.dollars or order.iterations or order.minutes:
        draft.say(ev.LimitsRaised(order.dollars, order.iterations, order.minutes))
    if draft.loop.status == "running":
        return Continue(next_prompt(draft), "the loop is running already")
    if refused := run_again(draft, order):
        return refused
    if draft.loop.plan:
        from .policies import plan

        following = plan.resumed(draft, order.tree, order.at)
        return following.but(say=announce.continuing(draft.loop)) if isinstance(following, Continue) else following
    return Continue(wording.go_on(draft.loop), announce.continuing(draft.loop))


def run_again(draft: ev.Draft, order: Ordered) -> Directive | None:
    """What was paused or asked runs again; or why it cannot."""
    loop = draft.loop
    reached = [name for name in wording.NEED_A_RAISE if breakers.BREAKERS[name](draft.loop)]
    if reached:
        flag = wording.NEED_A_RAISE[reached[0]]
        draft.say(ev.OrderRefused("continue", reached[0]))
        return Stop(say=f"{breakers.BREAKERS[reached[0]](draft.loop)}. Raise it: `loop continue {flag}=N`")
    if loop.gate and loop.gate.name == "G3":
        draft.say(ev.DoneTakenBack("the person wants it to go on"))
    draft.say(ev.LoopResumed(order.at, loop.cause if loop.cause in (*breakers.BREAKERS, "limit") else ""))
    if not order.heard:
        draft.say(ev.PromptWaits())
    return None


def stage(draft: ev.Draft, order: Ordered) -> Directive:
    """/loop:execute or /loop:verify on a loop with a plan; one that is paused goes on by it."""
    if not draft.loop.plan:
        return Stop(say="this loop has no plan. Start one: `loop start --plan FILE`")
    if draft.loop.status != "running" and (refused := run_again(draft, order)):
        return refused
    from .policies import plan

    return plan.ordered(draft, order.order, order.tree, order.at)


def attach(draft: ev.Draft, order: Ordered) -> Directive:
    draft.say(ev.LeaseTaken(order.at, order.session, order.pid))
    if not order.heard:
        draft.say(ev.PromptWaits())
    said = f"[LOOP] Attached: this loop is now driven by {order.session}."
    return Continue(next_prompt(draft), said) if draft.loop.status == "running" else Stop(say=said)


def detach(draft: ev.Draft, order: Ordered) -> Directive:
    draft.say(ev.LeaseGiven(order.at))
    return Stop(say="[LOOP] Detached. The next session that is prompted in this folder drives it.")


def steer(draft: ev.Draft, order: Ordered) -> Directive:
    draft.say(ev.GuidanceGiven(order.reason))
    return Stop(say="[LOOP] Noted: the agent hears it with its next prompt.")


def criteria(draft: ev.Draft, order: Ordered) -> Directive:
    draft.say(ev.CriteriaChanged(order.criteria))
    return Stop(say=f"{len(order.criteria)} criteria now; the stuck counter starts anew.")


def allow(draft: ev.Draft, order: Ordered) -> Directive:
    """The checks named in the order may run (their text is in it), or are taken out."""
    for c in order.criteria:
        draft.say(ev.CheckAllowed(c.name, c.check))
    return Stop(say=f"{len(order.criteria)} checks {'allowed' if order.order == 'allow' else 'denied'}.")


def accept(draft: ev.Draft, order: Ordered) -> Directive:
    """What was found stands as it is, on the person's word."""
    from .ratchet import FindingsAccepted

    draft.say(FindingsAccepted(order.names))
    return Stop(say=f"{wording.counted(len(order.names), 'finding')} accepted; the verdict will name what was.")


def rewind(draft: ev.Draft, order: Ordered) -> Directive:
    from .ratchet import Rewound

    number, commit, saved = order.names
    draft.say(Rewound(order.at, int(number), commit, saved))
    return Stop()


def refuse(draft: ev.Draft, order: Ordered) -> Directive:
    """An agent tried what is the person's to do."""
    draft.say(ev.OrderRefused(order.reason, "it is the person's to do"))
    return Stop()


ORDERS = {
    "pause": pause,
    "cancel": cancel,
    "continue": resume,
    "execute": stage,
    "verify": stage,
    "attach": attach,
    "detach": detach,
    "steer": steer,
    "criteria": criteria,
    "allow": allow,
    "deny": allow,
    "accept": accept,
    "rewind": rewind,
    "refused": refuse,
}


def woke(draft: ev.Draft, signal: Woke) -> Directive:
    """A session begins, speaks, compacts or ends. Only a prompt may bind a loop that nobody drives."""
    lease = draft.loop.lease
    if not signal.session:
        return Stop()
    if signal.event == "prompt":
        return prompted(draft, signal)
    if signal.event == "start":
        return session_began(draft, signal)
    if signal.session == lease.holder and signal.event == "compact":
        draft.say(ev.ContextCompacted(signal.at))
    elif signal.session == lease.holder and not lease.ended:
        draft.say(ev.SessionEnded(signal.at))
    return Stop()


def prompted(draft: ev.Draft, signal: Woke) -> Directive:
    """The person speaks. In `asking` that is the answer; on a loop that nobody drives it is the start."""
    new = not draft.loop.lease.holder
    if not spec.holds(draft, signal.session, signal.pid, signal.at):
        return Stop()
    if draft.loop.status == "asking" and not signal.text.startswith("/"):
        if new:  # the question has not been seen in this session yet
            return Stop(say=wording.asking(draft.loop))
        if draft.loop.lease.ended:  # it is there again
            draft.say(ev.PersonSpoke(signal.at))
        return answered(draft, Answered(signal.at, signal.text, signal.tree, heard=True))
    if LIFT in signal.text.lower() and draft.loop.gates:
        draft.say(ev.GatesLifted())
    told = not new and not draft.loop.prompt_waits
    draft.say(ev.PersonSpoke(signal.at, interrupted=draft.loop.held))
    return Stop() if told or draft.loop.status != "running" else Continue(next_prompt(draft))


def session_began(draft: ev.Draft, signal: Woke) -> Directive:
    loop, lease = draft.loop, draft.loop.lease
    if not lease.holder:
        return Stop(say="[LOOP] A loop waits in this folder; your next prompt here drives it. See: `loop status`")
    if signal.source == "clear" and signal.pid and signal.pid == lease.pid and signal.session != lease.holder:
        draft.say(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    if signal.session != draft.loop.lease.holder:
        return spec.stranger(draft, signal.session) if loop.status == "running" else Stop()
    if loop.status == "running":
        return Continue(f"{announce.resumed(loop)}\n{wording.protocol(loop)}")
    return Stop(say=wording.paused(loop) if loop.status == "paused" else wording.asking(loop))
