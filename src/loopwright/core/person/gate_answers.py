"""A person answers a gate or a question of the agent."""

from __future__ import annotations

from .. import events as ev
from ..criteria import LISTED_AT_START
from ..directives import Ask, Continue, Directive, Stop
from ..draft import Draft
from ..loop import Gate
from ..pausing import breakers
from ..policies import check_rounds
from ..policies.final_proof import PACKAGES
from ..policies.next_prompt import next_prompt
from ..policies.permission import ALLOW, allow_checks, ask_for_permission
from ..prompts import order_replies, phrases, questions
from ..proof.events import NewPackagesDecided
from ..proof.state import CheckRound
from ..signals import Answered
from .answers import NO, YES, GateAnswer, lifts_gates, read_answer


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
    if gate.name == PACKAGES and answer.meaning in (YES, NO):
        return _decide_about_packages(draft, signal, gate, answer.meaning == YES)
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
    from ..policies.disputes import rule_by_answer

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
    stop = breakers.pause_loop(draft, "person", f"you answered {said}", signal.at)
    if answer.guidance and signal.agent_informed:
        return Continue(questions.talk_while_paused_prompt(), stop.message)
    return stop.but(answers_prompt=True)


def _decide_about_packages(
    draft: Draft, signal: Answered, gate: Gate, is_allowed: bool
) -> Directive:
    """Both answers continue the final proof: with the packages, or without a clean checkout."""
    draft.record(ev.GateAnswered(gate.name, signal.text.strip()[:2000], signal.at))
    draft.record(NewPackagesDecided(gate.listed, is_allowed, signal.at))
    return _start_last_round(draft, signal, gate.but(listed=()))


def _keep_waiting(draft: Draft, signal: Answered, gate: Gate, text: str) -> Directive:
    """Neither yes nor no: the person talks with the agent, and the question stays open."""
    unheard = "" if signal.agent_informed else text[:2000]
    draft.record(ev.PersonTalked(text[:2000], signal.at, guidance=unheard))
    if signal.agent_informed:
        return Continue(questions.talk_at_gate_prompt(gate))
    return Ask(gate.question, questions.question_again_text(draft.loop))


def _start_last_round(draft: Draft, signal: Answered, gate: Gate) -> Directive:
    check_round = CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=signal.tree or draft.loop.tree,
        confirmed=gate.name == "G3",
        finish_agreed=gate.name == "finish",
        accepted_findings=gate.listed,
    )
    return check_rounds.start_check_round(draft, check_round, signal.at)


def _continue_after_answer(draft: Draft, signal: Answered, gate: str) -> Directive:
    # An answered question does not get a loop past its limits.
    if pause := breakers.pause_if_tripped(draft, signal.at):
        return pause
    if ask := ask_for_permission(draft, signal.at):
        return ask
    if not signal.agent_informed:
        draft.record(ev.PromptQueued())
    if draft.loop.plan and gate != "ask":
        from ..policies import plan

        return plan.handle_plan_answer(draft, gate, signal.tree, signal.at)
    return Continue(next_prompt(draft))


def allow_proposed(draft: Draft) -> None:
    """Allow the checks that the model proposed or the plan has: the question has named them."""
    waiting = ((c.name, c.check) for c in draft.loop.waiting_checks)
    listed = (name for name, check in waiting if check and check.origin in LISTED_AT_START)
    allow_checks(draft, tuple(listed))
