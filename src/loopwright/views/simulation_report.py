"""A night that was only played, turn by turn, and a recorded one beside what other limits would have made of it. Pure."""

from __future__ import annotations

from typing import Any

from ..core.directives import Ask, Stop, Wait
from ..core.loop import Loop
from ..core.prompts.phrases import clip_text, count_phrase, duration
from .replay import ReplayResult
from .simulation import PlayedTurn

MAX_ROWS = 40  # then the middle is left out


def simulation_header(loop: Loop) -> str:
    names = [c.name for c in (*loop.criteria, *loop.final_checks)]
    most = loop.limits
    return "\n".join(
        [
            f"Played, not run: {clip_text(' '.join(loop.spec.split()), 100)}",
            f"Criteria: {clip_text(', '.join(names), 300) or 'none'}",
            f"Bounds: {most.iterations} iterations, ${most.dollars:g}, {most.minutes:g} minutes",
        ]
    )


def turn_row(played: PlayedTurn) -> str:
    """One turn on one line: what it was for, what its checks said, what it has cost so far, what followed."""
    loop, fine = played.loop, sum(fine for _, fine in played.results)
    checks = f"{fine}/{len(played.results)} checks" if played.results else "no check ran"
    what = ", ".join(played.tasks) or ("says done" if played.script.done else "works")
    spent = f"${loop.spend.dollars:.2f}  {duration(loop.spend.seconds)}"
    return f"{played.turn:>4}  {clip_text(what, 20):<20} {checks:<14} {spent:<18} {clip_text(' '.join(_reply_text(played).split()), 90)}".rstrip()


def _reply_text(played: PlayedTurn) -> str:
    match played.reply:
        case Stop(reason=reason):
            return f"■ {reason}"
        case Ask(question=question):
            return f"? {question}"
        case Wait(why=why):
            return f"⏳ {why}"
    failing = [name for name, fine in played.results if not fine]
    return f"goes on: {', '.join(failing)} failing" if failing else "goes on"


def shortened_rows(rows: list[str]) -> str:
    """All of it, or its beginning and its end."""
    if len(rows) <= MAX_ROWS:
        return "\n".join(rows)
    half = MAX_ROWS // 2
    return "\n".join(
        [
            *rows[:half],
            f"   …  {count_phrase(len(rows) - 2 * half, 'turn')} left out",
            *rows[-half:],
        ]
    )


def outcome_line(loop: Loop) -> str:
    """How it stands, in a line."""
    if loop.status == "finished" and loop.verdict:
        word = f"finished, {'proven' if loop.verdict.proven else 'reported'} ({loop.verdict.name})"
    elif loop.status == "asking" and loop.gate:
        word = f"waits for a person: {loop.gate.question}"
    else:
        word = f"{loop.status}: {loop.pause.why}" if loop.pause.why else loop.status
    return " ".join(word.split())


def spend_line(loop: Loop) -> str:
    return f"{count_phrase(loop.spend.iterations, 'iteration')}, ${loop.spend.dollars:.2f}, {duration(loop.spend.seconds)}"


def outcome_facts(loop: Loop) -> dict[str, Any]:
    return {
        "status": loop.status,
        "cause": loop.pause.cause or None,
        "why": loop.pause.why or None,
        "proven": bool(loop.verdict and loop.verdict.proven),
        "iterations": loop.spend.iterations,
        "dollars": round(loop.spend.dollars, 4),
        "seconds": round(loop.spend.seconds, 1),
    }


def turn_facts(played: PlayedTurn) -> dict[str, Any]:
    results = dict(played.results)
    return {
        "turn": played.turn,
        "tasks": list(played.tasks),
        "results": results,
        **outcome_facts(played.loop),
        "reply": _reply_text(played),
    }


def limits_comparison(recorded: Loop, name: str, other: ReplayResult) -> str:
    """What other limits would have made of it."""
    if not other.diverged_at:
        return f"{name}: nothing changes"
    saved = recorded.spend.dollars - other.loop.spend.dollars
    money = f", ${abs(saved):.2f} {'less' if saved > 0 else 'more'}" if abs(saved) >= 0.005 else ""
    outcome = (
        outcome_line(other.loop)
        if other.outcome_known
        else "it would have gone on; the record does not say how"
    )
    return f"{name}: parts at iteration {other.diverged_at} → {spend_line(other.loop)}{money}\n    {outcome}"
