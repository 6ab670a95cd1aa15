"""Breakers: the reasons to pause. Each is a named counter held against its limit; adding one is one line in BREAKERS."""

from __future__ import annotations

from . import events as ev
from .directives import Ask, Stop
from .draft import Draft
from .limits import Streak
from .loop import CheckRound, Gate, Loop
from .prompts import messages
from .signals import TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def tripped(loop: Loop) -> tuple[str, str] | None:
    """The first breaker that has a reason to pause, and the reason."""
    return next(((name, why) for name, breaker in BREAKERS.items() if (why := breaker(loop))), None)


def blocking_error(loop: Loop) -> str | None:
    return loop.streak.blocking_error or None


def transient_faults(loop: Loop) -> str | None:
    if loop.streak.transient >= loop.limits.transient:
        return f"the same kind of passing fault {loop.streak.transient} times in a row: {loop.streak.error_text}"
    return None


def denied_calls(loop: Loop) -> str | None:
    if loop.headless_run and loop.headless_run.blocked_by_denials:
        return f"the agent was denied what it wanted to do, and changed nothing: {'; '.join(loop.headless_run.denied_calls[:3])}"
    return None


def stuck(loop: Loop) -> str | None:
    if (loop.unmet_criteria or loop.objections) and loop.streak.stuck >= loop.limits.stuck:
        return f"circuit breaker triggered after {loop.streak.stuck} stuck iterations"
    return None


def same_error(loop: Loop) -> str | None:
    if loop.streak.same_error >= loop.limits.same_error:
        return f"the same error {loop.streak.same_error} times in a row: {loop.streak.error_text}"
    return None


def same_file(loop: Loop) -> str | None:
    if loop.streak.same_file >= loop.limits.same_file:
        return f"{loop.streak.most_edited_file} edited {loop.streak.same_file} times in one iteration, likely thrashing"
    return None


def idle_turns(loop: Loop) -> str | None:
    if loop.streak.idle >= loop.limits.idle:
        if loop.backlog:
            return f"{loop.streak.idle} idle turns: no file, commit, backlog item, focus or note has changed"
        return (
            f"{loop.streak.idle} turns of talk: no tool used, no file changed, nothing new claimed"
        )
    return None


def toolless_answers(loop: Loop) -> str | None:
    if 0 < loop.streak.toolless_cap < loop.streak.toolless:
        return f"{loop.streak.toolless} answers in a row without a tool call; the client takes no more than {loop.streak.toolless_cap}"
    return None


def budget_reached(loop: Loop) -> str | None:
    if loop.spend.dollars >= loop.limits.dollars:
        return f"budget of ${loop.limits.dollars:g} reached (${loop.spend.dollars:.2f} spent)"
    return None


def iterations_reached(loop: Loop) -> str | None:
    if loop.spend.iterations >= loop.limits.iterations:
        return f"iteration limit of {loop.limits.iterations} reached"
    return None


def time_reached(loop: Loop) -> str | None:
    if loop.spend.seconds >= loop.limits.minutes * 60:
        return f"time limit of {loop.limits.minutes:g} minutes reached"
    return None


BREAKERS: dict[str, Callable[[Loop], str | None]] = {
    "trouble": blocking_error,
    "transient": transient_faults,
    "denied": denied_calls,
    "stuck": stuck,
    "same-error": same_error,
    "same-file": same_file,
    "idle": idle_turns,
    "cap": toolless_answers,
    "budget": budget_reached,
    "iterations": iterations_reached,
    "clock": time_reached,
}


def pause_loop(draft: Draft, cause: str, why: str, at: float) -> Stop:
    """Pause, don't kill: the reason, where it stands, and the command that goes on."""
    if cause in BREAKERS or cause == "must-not":
        draft.record(ev.BreakerTripped(cause, why))
    draft.record(ev.LoopPaused(cause, why, at))
    return Stop(why, messages.pause_text(draft.loop))


def ask_person(draft: Draft, gate: str, question: str, at: float) -> Ask:
    """Wait for a person."""
    draft.record(ev.GateOpened(Gate(gate, question), at))
    return Ask(question, messages.question_text(draft.loop))


def count_turn(streak: Streak, turn: TurnOver) -> Streak:
    """What the agent's tools met in this turn: errors in a row, the file edited most, and whether there were any."""
    file, edits = max(turn.edits, key=lambda pair: pair[1], default=("", 0))
    toolless = streak.toolless + 1 if turn.tool_calls == 0 else 0
    streak = streak.but(
        most_edited_file=file, same_file=edits, toolless=toolless, toolless_cap=turn.toolless_cap
    )
    if not turn.tool_outcomes and not turn.api_failure:
        return streak.but(transient=0, blocking_error="")
    for outcome in turn.tool_outcomes:
        if outcome.error:
            from .errors import signature

            found = signature(outcome.key, outcome.error)
            again = streak.same_error + 1 if found == streak.error_signature else 1
            streak = streak.but(
                error_signature=found, error_text=outcome.error[:200], same_error=again
            )
        elif streak.error_signature.startswith(f"{outcome.key[:200]}: "):
            streak = streak.but(error_signature="", same_error=0)
    return _judge_last_error(
        streak, turn.api_failure or turn.tool_outcomes[-1].error, bool(turn.api_failure)
    )


def _judge_last_error(streak: Streak, error: str, from_api: bool) -> Streak:
    """Only the error that the turn ended on counts: one that the agent worked past is handled."""
    if not error:
        return streak.but(transient=0, blocking_error="")
    from .errors import BLOCKING, LOGIC, TRANSIENT, classify_error

    kind = classify_error(error, from_api)
    if kind == TRANSIENT:
        return streak.but(transient=streak.transient + 1, error_text=error[:200], blocking_error="")
    if kind == LOGIC:
        return streak.but(transient=0, blocking_error="")
    word = "blocked by" if kind == BLOCKING else "unknown error, guidance needed:"
    return streak.but(transient=0, blocking_error=f"{word} {error[:300]}", error_text=error[:200])


def count_progress(loop: Loop, turn: CheckRound) -> Streak:
    """Rule 21: what has come nearer to the end since the last Stop, measured on the set of unmet criteria."""
    streak, unmet = loop.streak, tuple(sorted(loop.unmet_criteria))
    proofs = [
        c.proof
        for c in loop.criteria
        if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree
    ]
    proven = {p.criterion for p in proofs if p.passed}
    best = dict(streak.fewest_failures)
    numbers = {p.criterion: p.failures for p in proofs if p.failures is not None}
    improved = any(number < best[name] for name, number in numbers.items() if name in best)
    progress = (
        unmet not in streak.unmet
        or set(unmet) < set(streak.unmet[-1])
        or bool(proven - set(streak.ever_proven))
        or bool(turn.step)
        or improved
    )
    score = (len(unmet), sum(numbers.values()))
    return streak.but(
        unmet=(*streak.unmet, unmet)[-6:],
        trees=(*streak.trees, loop.tree[:12])[-6:],
        scores=(*streak.scores, score)[-6:],
        stuck=0 if progress else streak.stuck + 1,
        ever_proven=tuple(sorted({*streak.ever_proven, *proven})),
        fewest_failures=tuple(
            sorted({n: min(v, best.get(n, v)) for n, v in {**best, **numbers}.items()}.items())
        ),
        idle=0 if turn.is_active else streak.idle + 1,
    )
