"""A night that was only played, turn by turn, and a recorded one beside what other limits would have made of it. Pure."""

from __future__ import annotations

from typing import Any

from ..core.loop import Loop
from ..core.replay import Replayed
from ..core.signals import Ask, Stop, Wait
from ..core.simulation import Played
from ..core.wording import clip, counted, duration

ROWS = 40  # then the middle is left out


def head(loop: Loop) -> str:
    names = [c.name for c in (*loop.criteria, *loop.last)]
    most = loop.limits
    return "\n".join(
        [
            f"Played, not run: {clip(' '.join(loop.spec.split()), 100)}",
            f"Criteria: {clip(', '.join(names), 300) or 'none'}",
            f"Bounds: {most.iterations} iterations, ${most.dollars:g}, {most.minutes:g} minutes",
        ]
    )


def row(played: Played) -> str:
    """One turn on one line: what it was for, what its checks said, what it has cost so far, what followed."""
    loop, fine = played.loop, sum(fine for _, fine in played.results)
    checks = f"{fine}/{len(played.results)} checks" if played.results else "no check ran"
    what = ", ".join(played.tasks) or ("says done" if played.act.done else "works")
    spent = f"${loop.spend.dollars:.2f}  {duration(loop.spend.seconds)}"
    return (
        f"{played.turn:>4}  {clip(what, 20):<20} {checks:<14} {spent:<18} {clip(' '.join(_reply(played).split()), 90)}".rstrip()
    )


def _reply(played: Played) -> str:
    match played.reply:
        case Stop(reason=reason):
            return f"■ {reason}"
        case Ask(question=question):
            return f"? {question}"
        case Wait(why=why):
            return f"⏳ {why}"
    failing = [name for name, fine in played.results if not fine]
    return f"goes on: {', '.join(failing)} failing" if failing else "goes on"


def night(rows: list[str]) -> str:
    """All of it, or its beginning and its end."""
    if len(rows) <= ROWS:
        return "\n".join(rows)
    half = ROWS // 2
    return "\n".join([*rows[:half], f"   …  {counted(len(rows) - 2 * half, 'turn')} left out", *rows[-half:]])


def end(loop: Loop) -> str:
    """How it stands, in a line."""
    if loop.status == "finished" and loop.verdict:
        word = f"finished, {'proven' if loop.verdict.proven else 'reported'} ({loop.verdict.name})"
    elif loop.status == "asking" and loop.gate:
        word = f"waits for a person: {loop.gate.question}"
    else:
        word = f"{loop.status}: {loop.why}" if loop.why else loop.status
    return " ".join(word.split())


def spent(loop: Loop) -> str:
    return f"{counted(loop.spend.iterations, 'iteration')}, ${loop.spend.dollars:.2f}, {duration(loop.spend.seconds)}"


def facts(loop: Loop) -> dict[str, Any]:
    return {
        "status": loop.status,
        "cause": loop.cause or None,
        "why": loop.why or None,
        "proven": bool(loop.verdict and loop.verdict.proven),
        "iterations": loop.spend.iterations,
        "dollars": round(loop.spend.dollars, 4),
        "seconds": round(loop.spend.seconds, 1),
    }


def played_facts(played: Played) -> dict[str, Any]:
    results = dict(played.results)
    return {"turn": played.turn, "tasks": list(played.tasks), "results": results, **facts(played.loop), "reply": _reply(played)}


def compared(recorded: Loop, name: str, other: Replayed) -> str:
    """What other limits would have made of it."""
    if not other.parted:
        return f"{name}: nothing changes"
    saved = recorded.spend.dollars - other.loop.spend.dollars
    money = f", ${abs(saved):.2f} {'less' if saved > 0 else 'more'}" if abs(saved) >= 0.005 else ""
    outcome = end(other.loop) if other.known else "it would have gone on; the record does not say how"
    return f"{name}: parts at iteration {other.parted} → {spent(other.loop)}{money}\n    {outcome}"
