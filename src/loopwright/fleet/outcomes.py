"""What a step of a segment means for its job: in which state it goes on, and why.

An outcome is a JSON object, because the engine records it:

    state           the state of the job from now on
    reason          why it is paused, cancelled, failed or not proven, or why an attempt failed
    waits_for       what a queued job waits for
    delay           the seconds until a queued job may be claimed
    not_before      the same as a time of the database's clock
    question        what a person is asked
    grade           how the loop ended
    failed          true: this attempt counts as a failure of the job
    blocks_account  true: no job of its account may start before the same time
"""

from __future__ import annotations

from typing import Any

from ..core.directives import Continue, Reply, Wait
from ..core.loop import Loop
from ..views import facts
from .ledger import Grant
from .tables import ASKING, CANCELLED, ENDED, FAILED, PAUSED, QUEUED, RUNNING

Outcome = dict[str, Any]
RETRY_SECONDS = 10.0  # before a job is tried again whose attempt failed


def outcome_of_reply(reply: Reply, loop: Loop, now: float) -> Outcome:
    """What the runner's reply means. `now` is of the same clock as the times of the loop."""
    if isinstance(reply, Continue):
        return {"state": RUNNING}
    if isinstance(reply, Wait):
        return {
            "state": QUEUED,
            "waits_for": reply.why,
            "delay": max(0.0, reply.until - now),
            "blocks_account": _is_usage_limited(loop, now),
        }
    return outcome_of_loop(loop)


def outcome_of_loop(loop: Loop) -> Outcome:
    if loop.status == "finished":
        return _outcome_of_verdict(loop)
    if loop.status == "cancelled":
        return {"state": CANCELLED, "reason": loop.pause.why}
    if loop.gate:
        return {"state": ASKING, "question": loop.gate.question}
    if loop.status == "paused":
        return {"state": PAUSED, "reason": loop.pause.why}
    return {"state": RUNNING}


def _outcome_of_verdict(loop: Loop) -> Outcome:
    verdict = loop.verdict
    if verdict is None:
        return {"state": ENDED}
    reason = "" if verdict.is_shown else verdict.why
    return {"state": ENDED, "grade": verdict.grade_word, "reason": reason}


def outcome_of_refusal(grant: Grant) -> Outcome:
    """The ledger granted no turn."""
    if grant.used_up:
        return {"state": PAUSED, "reason": grant.used_up}
    return {"state": QUEUED, "waits_for": grant.waits_for, "not_before": grant.not_before}


def failed_attempt(reason: str, waits_for: str = "another attempt") -> Outcome:
    """Something went wrong that may not be wrong elsewhere, or later."""
    return {
        "state": QUEUED,
        "reason": reason,
        "waits_for": waits_for,
        "delay": RETRY_SECONDS,
        "failed": True,
    }


def failed_job(reason: str) -> Outcome:
    """Something is wrong with the job itself."""
    return {"state": FAILED, "reason": reason}


def job_columns(loop: Loop) -> dict[str, Any]:
    """What the row of a job says about its loop."""
    return {
        "loop": loop.id,
        "loop_facts": facts.loop_facts(loop),
        "budget": loop.limits.dollars,
    }


def _is_usage_limited(loop: Loop, now: float) -> bool:
    """Does the loop wait because the account has used up its allowance?

    An agent that crashed waits too, but that says nothing about the other jobs of its account.
    """
    if loop.run is None:
        return False
    crashed = {agent for agent, count in loop.run.crashes if count}
    return any(until > now and agent not in crashed for agent, until in loop.run.agent_limits)
