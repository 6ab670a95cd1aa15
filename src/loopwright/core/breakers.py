"""Breakers: the reasons to pause. Each is a named counter held against its limit; adding one is one line in BREAKERS."""

from __future__ import annotations

from . import events as ev
from . import wording
from .loop import Gate, Loop, Streak, Turn
from .signals import Ask, Stop, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def tripped(loop: Loop) -> tuple[str, str] | None:
    """The first breaker that has a reason to pause, and the reason."""
    return next(((name, why) for name, breaker in BREAKERS.items() if (why := breaker(loop))), None)


def trouble(loop: Loop) -> str | None:
    return loop.streak.trouble or None


def transient(loop: Loop) -> str | None:
    if loop.streak.transient >= loop.limits.transient:
        return f"the same kind of passing fault {loop.streak.transient} times in a row: {loop.streak.error_text}"
    return None


def denied(loop: Loop) -> str | None:
    if loop.headless and loop.headless.helpless:
        return f"the agent was denied what it wanted to do, and changed nothing: {'; '.join(loop.headless.denied[:3])}"
    return None


def stuck(loop: Loop) -> str | None:
    if (loop.unmet or loop.objected) and loop.streak.stuck >= loop.limits.stuck:
        return f"circuit breaker triggered after {loop.streak.stuck} stuck iterations"
    return None


def same_error(loop: Loop) -> str | None:
    if loop.streak.same_error >= loop.limits.same_error:
        return f"the same error {loop.streak.same_error} times in a row: {loop.streak.error_text}"
    return None


def same_file(loop: Loop) -> str | None:
    if loop.streak.same_file >= loop.limits.same_file:
        return f"{loop.streak.file} edited {loop.streak.same_file} times in one iteration, likely thrashing"
    return None


def idle(loop: Loop) -> str | None:
    if loop.streak.idle >= loop.limits.idle:
        if loop.backlog:
            return f"{loop.streak.idle} idle turns: no file, commit, backlog item, focus or note has changed"
        return f"{loop.streak.idle} turns of talk: no tool used, no file changed, nothing new claimed"
    return None


def cap(loop: Loop) -> str | None:
    if 0 < loop.streak.cap < loop.streak.toolless:
        return f"{loop.streak.toolless} answers in a row without a tool call; the client takes no more than {loop.streak.cap}"
    return None


def budget(loop: Loop) -> str | None:
    if loop.spend.dollars >= loop.limits.dollars:
        return f"budget of ${loop.limits.dollars:g} reached (${loop.spend.dollars:.2f} spent)"
    return None


def iterations(loop: Loop) -> str | None:
    if loop.spend.iterations >= loop.limits.iterations:
        return f"iteration limit of {loop.limits.iterations} reached"
    return None


def clock(loop: Loop) -> str | None:
    if loop.spend.seconds >= loop.limits.minutes * 60:
        return f"time limit of {loop.limits.minutes:g} minutes reached"
    return None


BREAKERS: dict[str, Callable[[Loop], str | None]] = {
    "trouble": trouble,
    "transient": transient,
    "denied": denied,
    "stuck": stuck,
    "same-error": same_error,
    "same-file": same_file,
    "idle": idle,
    "cap": cap,
    "budget": budget,
    "iterations": iterations,
    "clock": clock,
}


def pause(draft: ev.Draft, cause: str, why: str, at: float) -> Stop:
    """Pause, don't kill: the reason, where it stands, and the command that goes on."""
    if cause in BREAKERS or cause == "forbidden":
        draft.say(ev.BreakerTripped(cause, why))
    draft.say(ev.LoopPaused(cause, why, at))
    return Stop(why, wording.paused(draft.loop))


def ask(draft: ev.Draft, gate: str, question: str, at: float) -> Ask:
    """Wait for a person."""
    draft.say(ev.GateOpened(Gate(gate, question), at))
    return Ask(question, wording.asking(draft.loop))


def count_turn(streak: Streak, turn: TurnOver) -> Streak:
    """What the agent's tools met in this turn: errors in a row, the file edited most, and whether there were any."""
    file, edits = max(turn.edits, key=lambda pair: pair[1], default=("", 0))
    toolless = streak.toolless + 1 if turn.tools == 0 else 0
    streak = streak.but(file=file, same_file=edits, toolless=toolless, cap=turn.cap)
    if not turn.outcomes and not turn.failure:
        return streak.but(transient=0, trouble="")
    for outcome in turn.outcomes:
        if outcome.error:
            from .errors import signature

            found = signature(outcome.key, outcome.error)
            again = streak.same_error + 1 if found == streak.error else 1
            streak = streak.but(error=found, error_text=outcome.error[:200], same_error=again)
        elif streak.error.startswith(f"{outcome.key[:200]}: "):
            streak = streak.but(error="", same_error=0)
    return _judge_last(streak, turn.failure or turn.outcomes[-1].error, bool(turn.failure))


def _judge_last(streak: Streak, error: str, from_api: bool) -> Streak:
    """Only the error that the turn ended on counts: one that the agent worked past is handled."""
    if not error:
        return streak.but(transient=0, trouble="")
    from .errors import BLOCKING, LOGIC, TRANSIENT, classify

    kind = classify(error, from_api)
    if kind == TRANSIENT:
        return streak.but(transient=streak.transient + 1, error_text=error[:200], trouble="")
    if kind == LOGIC:
        return streak.but(transient=0, trouble="")
    word = "blocked by" if kind == BLOCKING else "unknown error, guidance needed:"
    return streak.but(transient=0, trouble=f"{word} {error[:300]}", error_text=error[:200])


def count_progress(loop: Loop, turn: Turn) -> Streak:
    """Rule 21: what has come nearer to the end since the last Stop, measured on the set of unmet criteria."""
    streak, unmet = loop.streak, tuple(sorted(loop.unmet))
    proofs = [c.proof for c in loop.criteria if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree]
    proven = {p.criterion for p in proofs if p.passed}
    best = dict(streak.failures)
    numbers = {p.criterion: p.failures for p in proofs if p.failures is not None}
    improved = any(number < best[name] for name, number in numbers.items() if name in best)
    progress = (
        unmet not in streak.unmet
        or set(unmet) < set(streak.unmet[-1])
        or bool(proven - set(streak.proven))
        or bool(turn.step)
        or improved
    )
    score = (len(unmet), sum(numbers.values()))
    return streak.but(
        unmet=(*streak.unmet, unmet)[-6:],
        trees=(*streak.trees, loop.tree[:12])[-6:],
        scores=(*streak.scores, score)[-6:],
        stuck=0 if progress else streak.stuck + 1,
        proven=tuple(sorted({*streak.proven, *proven})),
        failures=tuple(sorted({n: min(v, best.get(n, v)) for n, v in {**best, **numbers}.items()}.items())),
        idle=0 if turn.fresh else streak.idle + 1,
    )
