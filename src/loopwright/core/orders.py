"""Orders, answers and client events: what happens outside the turns of the agent."""

from __future__ import annotations

from . import breakers
from . import events as ev
from .answers import NO, YES, GateAnswer, lifts_gates, read_answer
from .criteria import LISTED_AT_START
from .directives import Ask, Continue, Directive, Stop
from .draft import Draft
from .loop import CheckRound, Gate
from .policies import frame
from .policies.next_prompt import continue_prompt, next_prompt, record_protocol_sent
from .policies.permission import ALLOW, allow_checks, ask_for_permission
from .prompts import announcements, messages, order_replies, phrases
from .signals import Answered, ClientEvent, MirrorLost, Ordered, Signal
from .status import ENDED

# A prompt that begins with one of these gives the turn back to a loop that was interrupted.
CONTINUE_WORDS = (
    *("continue", "go on", "go ahead", "proceed", "resume"),
    *("carry on", "keep going", "keep on", "keep working"),
)
OWN_COMMANDS = ("/loop",)
NEW_CLIENT = ("resume", "startup")  # sources of a SessionStart


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


def handle_answered(draft: Draft, signal: Answered) -> Directive:
    """Apply an answer. Only a yes passes a gate; the answer to the agent's question is free."""
    gate, text = draft.loop.gate, signal.text.strip()
    if not gate:
        return Stop(message=order_replies.NOTHING_ASKED)
    if gate.name == "rule":
        return _rule_or_keep_waiting(draft, signal, gate, text)
    if gate.name == "ask":
        return _pass_on_answer(draft, signal, text)
    answer = read_answer(text)
    if answer.meaning == NO:
        return _pause_at_gate(draft, signal, gate, answer)
    if answer.meaning == YES and not (gate.name == "G3" and answer.has_condition):
        return _pass_gate(draft, signal, gate, answer)
    return _keep_waiting(draft, signal, gate, text)


def _pass_on_answer(draft: Draft, signal: Answered, text: str) -> Directive:
    """The agent asked this question, so it gets every answer to it, even a plain yes."""
    draft.record(ev.GateAnswered("ask", text[:2000], signal.at, guidance=text[:2000]))
    if lifts_gates(text):
        draft.record(ev.GatesLifted())
    return _continue_after_answer(draft, signal, "ask")


def _rule_or_keep_waiting(draft: Draft, signal: Answered, gate: Gate, text: str) -> Directive:
    """`keep` or `drop` decides about all that is disputed; anything else is talk."""
    from .policies.disputing import rule_by_answer

    if rule_by_answer(draft, signal):
        return _continue_after_answer(draft, signal, gate.name)
    return _keep_waiting(draft, signal, gate, text)


def _pass_gate(draft: Draft, signal: Answered, gate: Gate, answer: GateAnswer) -> Directive:
    draft.record(
        ev.GateAnswered(
            gate=gate.name,
            text=signal.text.strip()[:2000],
            at=signal.at,
            guidance=answer.guidance[:2000],
            delete_mirror=gate.name == "G1" and answer.deletes_mirror,
        )
    )
    if answer.lifts_gates:
        draft.record(ev.GatesLifted())
    if gate.name == "G1":
        allow_proposed(draft)
    if gate.name == ALLOW:
        allow_checks(draft, gate.listed)
    if gate.name in ("G3", "finish"):
        return _start_last_round(draft, signal, gate)
    return _continue_after_answer(draft, signal, gate.name)


def _pause_at_gate(draft: Draft, signal: Answered, gate: Gate, answer: GateAnswer) -> Directive:
    """Pause after a no. What it says beyond no reaches the agent when the loop continues."""
    text = signal.text.strip()[:2000]
    draft.record(ev.GateAnswered(gate.name, text, signal.at, guidance=answer.guidance[:2000]))
    if gate.name == "G3":
        draft.record(ev.DoneTakenBack("the person did not confirm"))
    said = phrases.cut_at_word(text.lower().rstrip(".!"), 60)
    stop = breakers.pause_loop(draft, "person", f"{gate.name} answered {said}", signal.at)
    if answer.guidance and signal.agent_informed:
        return Continue(messages.talk_while_paused_prompt(), stop.message)
    return stop.but(answers_prompt=True)


def _keep_waiting(draft: Draft, signal: Answered, gate: Gate, text: str) -> Directive:
    """Neither yes nor no: the person talks with the agent, and the question stays open."""
    unheard = "" if signal.agent_informed else text[:2000]
    draft.record(ev.PersonTalked(text[:2000], signal.at, guidance=unheard))
    if signal.agent_informed:
        return Continue(messages.talk_at_gate_prompt(gate))
    return Ask(gate.question, messages.question_again_text(draft.loop))


def _start_last_round(draft: Draft, signal: Answered, gate: Gate) -> Directive:
    check_round = CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=signal.tree or draft.loop.tree,
        confirmed=gate.name == "G3",
        finish_agreed=gate.name == "finish",
        accepted_findings=gate.listed,
    )
    return frame.start_check_round(draft, check_round, signal.at)


def _continue_after_answer(draft: Draft, signal: Answered, gate: str) -> Directive:
    # An answered question does not get a loop past its limits.
    if pause := breakers.pause_if_tripped(draft, signal.at):
        return pause
    if ask := ask_for_permission(draft, signal.at):
        return ask
    if not signal.agent_informed:
        draft.record(ev.PromptQueued())
    if draft.loop.plan and gate != "ask":
        from .policies import plan

        return plan.handle_plan_answer(draft, gate, signal.tree, signal.at)
    return Continue(next_prompt(draft))


def allow_proposed(draft: Draft) -> None:
    """Allow the checks that the model proposed or the plan has: the question has named them."""
    waiting = ((c.name, c.check) for c in draft.loop.waiting_checks)
    listed = (name for name, check in waiting if check and check.origin in LISTED_AT_START)
    allow_checks(draft, tuple(listed))


def handle_pause(draft: Draft, order: Ordered) -> Directive:
    if draft.loop.status == "paused":
        return Stop(message=messages.pause_text(draft.loop))
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
    if refused := resume_or_refuse(draft, order):
        return refused
    if draft.loop.plan:
        from .policies import plan

        directive = plan.resume_plan(draft, order.tree, order.at)
        if isinstance(directive, Continue):
            return directive.but(message=announcements.continue_notice(draft.loop))
        return directive
    return Continue(continue_prompt(draft), announcements.continue_notice(draft.loop))


def give_turn_back(draft: Draft, order: Ordered) -> Directive:
    """The person took the turn, and now the loop may have it again."""
    draft.record(ev.PersonSpoke(order.at, begins_turn=order.agent_informed))
    if order.agent_informed:
        return Continue(next_prompt(draft), announcements.continue_notice(draft.loop))
    draft.record(ev.PromptQueued())
    return Continue(next_prompt(draft), messages.NEXT_PROMPT_NOTICE)


def resume_or_refuse(draft: Draft, order: Ordered) -> Directive | None:
    """Resume a paused or asking loop; refuse while one of its limits is reached."""
    loop = draft.loop
    for name in messages.RAISE_FLAGS:
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
    if draft.loop.status != "running" and (refused := resume_or_refuse(draft, order)):
        return refused
    from .policies import plan

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
        return Stop(message=f"{text}\n{messages.question_text(draft.loop)}")
    return Stop(message=text)


def handle_waive(draft: Draft, order: Ordered) -> Directive:
    """The person chooses to work without the checks that may not run."""
    draft.record(ev.ChecksWaived(order.at))
    return Stop(message=messages.waived_text(draft.loop))


def handle_accept(draft: Draft, order: Ordered) -> Directive:
    """The person accepts findings: they no longer refute the claim."""
    from .proof_events import FindingsAccepted

    draft.record(FindingsAccepted(order.arguments))
    return Stop(message=order_replies.findings_accepted_text(len(order.arguments)))


def handle_rule(draft: Draft, order: Ordered) -> Directive:
    """The person decides about a disputed criterion, or a final check without looks left."""
    from .policies import disputing

    return disputing.handle_rule(draft, order)


def handle_rewind(draft: Draft, order: Ordered) -> Directive:
    from .proof_events import FilesRewound

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
    "allow": handle_allow,
    "waive": handle_waive,
    "deny": handle_allow,
    "accept": handle_accept,
    "rule": handle_rule,
    "rewind": handle_rewind,
    "refused": handle_refused,
}


def handle_client_event(draft: Draft, signal: ClientEvent) -> Directive:
    """A session starts, gets a prompt, compacts or ends. Only a prompt may take a free lease."""
    lease = draft.loop.lease
    if not signal.session:
        return Stop()
    if signal.event == "prompt":
        return handle_prompt(draft, signal)
    if signal.event == "start":
        return handle_session_start(draft, signal)
    if signal.session != lease.holder:
        return Stop()
    if signal.event == "compact":
        draft.record(ev.ContextCompacted(signal.at))
        draft.record(ev.ProtocolNeeded())
    elif not lease.session_ended:
        draft.record(ev.SessionEnded(signal.at))
    return Stop()


def handle_prompt(draft: Draft, signal: ClientEvent) -> Directive:
    """The person types a prompt: an answer, the start of a free loop, or their own question."""
    is_new = frame.is_free(draft.loop, signal)
    if not frame.acquire_lease(draft, signal):
        return Stop()
    notice = messages.binding_notice(draft.loop) if is_new else ""
    notice = f"{frame.refused_orders_notice(draft)}\n{notice}".strip()
    if draft.loop.status == "asking" and not signal.text.startswith("/"):
        directive = _handle_prompt_as_answer(draft, signal, is_new)
    else:
        directive = _handle_prompt_while_running(draft, signal, is_new)
    return directive.but(message=f"{notice}\n{directive.message}".strip())


def _handle_prompt_while_running(draft: Draft, signal: ClientEvent, is_new: bool) -> Directive:
    loop, dialogue = draft.loop, draft.loop.dialogue
    if lifts_gates(signal.text) and loop.gates_enabled:
        draft.record(ev.GatesLifted())
    agent_knows = not is_new and not dialogue.prompt_queued
    in_same_turn = bool(signal.prompt_id) and signal.prompt_id == dialogue.prompt_id
    if agent_knows and signal.text.startswith(OWN_COMMANDS):
        if loop.status == "running" and dialogue.turn_continued and signal.prompt_id:
            # A command such as /loop:continue has begun this turn: later prompts may belong to it.
            draft.record(ev.PersonSpoke(signal.at, begins_turn=True, prompt_id=signal.prompt_id))
        return Stop()  # answered already; it is no turn of the agent
    interrupted = (
        loop.status == "running" and dialogue.turn_continued and agent_knows and not in_same_turn
    )
    waited = loop.waits_for_person
    takes_turn = (interrupted or waited) and not asks_to_continue(signal.text)
    draft.record(
        ev.PersonSpoke(
            signal.at,
            interrupted=interrupted,
            takes_turn=takes_turn,
            begins_turn=loop.status == "running" and not takes_turn,
            prompt_id=signal.prompt_id,
        )
    )
    if takes_turn:
        return Continue(messages.PERSON_TURN_PROMPT, "" if waited else messages.PERSON_TURN_NOTICE)
    gives_turn_back = interrupted or waited
    if loop.status != "running" or (agent_knows and not gives_turn_back):
        return Stop()
    return Continue(next_prompt(draft))


def asks_to_continue(text: str) -> bool:
    """Does the prompt begin with a word that lets an interrupted loop continue?"""
    text = text.strip().lower()
    return any(
        text.startswith(words) and not text[len(words) : len(words) + 1].isalnum()
        for words in CONTINUE_WORDS
    )


def _handle_prompt_as_answer(draft: Draft, signal: ClientEvent, is_new: bool) -> Directive:
    if is_new:  # this session has not shown the question yet
        return Stop(message=messages.question_text(draft.loop))
    if draft.loop.lease.session_ended:  # the session was resumed
        draft.record(ev.PersonSpoke(signal.at))
    answer = Answered(signal.at, signal.text, signal.tree, agent_informed=True)
    directive = handle_answered(draft, answer)
    if isinstance(directive, Continue) and draft.loop.status == "running":
        draft.record(ev.PersonSpoke(signal.at, begins_turn=True, prompt_id=signal.prompt_id))
    return directive


def handle_session_start(draft: Draft, signal: ClientEvent) -> Directive:
    loop, lease = draft.loop, draft.loop.lease
    is_new_session = signal.session != lease.holder
    # /clear gives the same client a new session id.
    same_client = signal.source == "clear" and signal.pid and signal.pid == lease.pid
    if is_new_session and not same_client and frame.is_free(loop, signal):
        return Stop(message=order_replies.UNBOUND if signal.attended else "")
    if is_new_session and same_client:
        draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    elif is_new_session and loop.status == "running":
        return frame.notify_foreign_session(draft, signal)
    elif is_new_session:
        return Stop()
    if signal.source == "compact":
        draft.record(ev.ContextCompacted(signal.at))
    if loop.waits_for_person:
        return Stop(message=messages.PERSON_TURN_NOTICE)
    if loop.status == "running" and signal.source in NEW_CLIENT and loop.dialogue.turn_continued:
        draft.record(ev.TurnReleased())  # the turn ended with its client: nobody interrupted it
    if loop.status == "running":
        record_protocol_sent(draft)
        return Continue(f"{messages.resume_text(loop)}\n{messages.reply_protocol(loop)}")
    if not draft.loop.dialogue.protocol_due:
        draft.record(ev.ProtocolNeeded())
    if loop.status == "paused":
        return Stop(message=messages.pause_text(loop))
    return Stop(message=messages.question_text(loop))
