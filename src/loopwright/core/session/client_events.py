"""What the client tells: a session starts, gets a prompt, compacts or ends."""

from __future__ import annotations

from .. import events as ev
from ..directives import Ask, Continue, Directive, Stop
from ..draft import Draft
from ..loop import Loop
from ..person.answers import NO, YES, lifts_gates, read_answer
from ..person.gate_answers import handle_answered
from ..policies.next_prompt import next_prompt, record_protocol_sent
from ..policies.turn_over import (
    acquire_lease,
    is_free,
    notify_foreign_session,
    refused_orders_notice,
)
from ..prompts import messages, order_replies, questions
from ..signals import Answered, ClientEvent

# A prompt that begins with one of these gives the turn back to a loop that was interrupted.
CONTINUE_WORDS = (
    *("continue", "go on", "go ahead", "proceed", "resume"),
    *("carry on", "keep going", "keep on", "keep working"),
)
OWN_COMMANDS = ("/loop",)
NEW_CLIENT = ("resume", "startup")  # sources of a SessionStart


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
    is_new = is_free(draft.loop, signal)
    if not acquire_lease(draft, signal):
        return Stop()
    notice = messages.binding_notice(draft.loop) if is_new else ""
    notice = f"{refused_orders_notice(draft)}\n{notice}".strip()
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
        return Stop()  # answered already; it is not a turn of the agent
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
        draft.record(ev.QuestionShown(signal.at, signal.prompt_id))
        return Stop(message=questions.question_text(draft.loop))
    if _is_in_mid_turn(draft.loop, signal):
        return _keep_question_open(draft, signal)
    if draft.loop.lease.session_ended:  # the session was resumed
        draft.record(ev.PersonSpoke(signal.at))
    answer = Answered(signal.at, signal.text, signal.tree, agent_informed=True)
    directive = handle_answered(draft, answer)
    if isinstance(directive, Continue) and draft.loop.status == "running":
        draft.record(ev.PersonSpoke(signal.at, begins_turn=True, prompt_id=signal.prompt_id))
    elif isinstance(directive, Continue):  # the agent replies, and the question is asked again
        draft.record(ev.PersonSpoke(signal.at, prompt_id=signal.prompt_id))
    return directive


def _is_in_mid_turn(loop: Loop, signal: ClientEvent) -> bool:
    """Was it typed before the Stop that shows the question? The client sends it at once.

    All that is typed in one turn has the id of that turn.
    """
    is_unseen = bool(loop.gate and loop.gate.unseen)
    return is_unseen or bool(signal.prompt_id and signal.prompt_id == loop.dialogue.prompt_id)


def _keep_question_open(draft: Draft, signal: ClientEvent) -> Directive:
    """What reads like an answer is kept from the agent; anything else is for it."""
    gate = draft.loop.gate
    assert gate, "BUG: a loop that asks has a gate"
    is_answer = lifts_gates(signal.text) or read_answer(signal.text).meaning in (YES, NO)
    if gate.name == "ask" or not is_answer:
        return Stop()
    draft.record(ev.QuestionShown(signal.at, signal.prompt_id))
    return Ask(gate.question, questions.early_answer_text(draft.loop, signal.text))


def handle_session_start(draft: Draft, signal: ClientEvent) -> Directive:
    loop, lease = draft.loop, draft.loop.lease
    is_new_session = signal.session != lease.holder
    # /clear gives the same client a new session id.
    same_client = signal.source == "clear" and signal.pid and signal.pid == lease.pid
    if is_new_session and not same_client and is_free(loop, signal):
        return Stop(message=order_replies.UNBOUND if signal.attended else "")
    if is_new_session and same_client:
        draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    elif is_new_session and loop.status == "running":
        return notify_foreign_session(draft, signal)
    elif is_new_session:
        return Stop()
    if signal.source == "compact":
        draft.record(ev.ContextCompacted(signal.at))
        draft.record(ev.ProtocolNeeded())
    if loop.waits_for_person:
        return Stop(message=messages.PERSON_TURN_NOTICE)
    if loop.status == "running" and signal.source in NEW_CLIENT and loop.dialogue.turn_continued:
        draft.record(ev.TurnReleased())  # the turn ended with its client: no person interrupted it
    if loop.status == "running":
        record_protocol_sent(draft)
        return Continue(f"{messages.resume_text(loop)}\n{messages.reply_protocol(loop)}")
    if not draft.loop.dialogue.protocol_due:
        draft.record(ev.ProtocolNeeded())
    if loop.status == "paused":
        return Stop(message=messages.pause_text(loop))
    if loop.gate and loop.gate.unseen and signal.source != "compact":
        draft.record(ev.QuestionShown(signal.at))
    return Stop(message=questions.question_text(loop))
