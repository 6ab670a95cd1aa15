"""The rows of a simulated run, and a recorded run compared with one under other limits. Pure."""

from __future__ import annotations

from typing import Any

from ..core.directives import Ask, Stop, Wait
from ..core.loop import Loop
from ..core.prompts.parts import spec_summary
from ..core.prompts.phrases import clip_text, count_phrase, duration
from ..views.replay import ReplayResult
from .simulation import PlayedTurn

# A longer list loses its middle.
MAX_ROWS = 40


def simulation_header(loop: Loop) -> str:
    names = ", ".join(c.name for c in (*loop.criteria, *loop.final_checks))
    most = loop.limits
    rows = [
        f"Played, not run: {spec_summary(loop, 100)}",
        f"Criteria: {clip_text(names, 300) or 'none'}",
        f"Bounds: {most.iterations} iterations, ${most.dollars:g}, {most.minutes:g} minutes",
    ]
    return "\n".join(rows)


def turn_row(played: PlayedTurn) -> str:
    """One turn on one line: its work, its checks, the spend so far and the reply."""
    spend = played.loop.spend
    passed = sum(passes for _, passes in played.results)
    checks = f"{passed}/{len(played.results)} checks" if played.results else "no check ran"
    work = ", ".join(played.tasks) or ("says done" if played.script.done else "works")
    spent = f"${spend.dollars:.2f}  {duration(spend.seconds)}"
    reply = clip_text(" ".join(_reply_text(played).split()), 90)
    row = f"{played.turn:>4}  {clip_text(work, 20):<20} {checks:<14} {spent:<18} {reply}"
    return row.rstrip()


def _reply_text(played: PlayedTurn) -> str:
    match played.reply:
        case Stop(reason=reason):
            return f"■ {reason}"
        case Ask(question=question):
            return f"? {question}"
        case Wait(why=why):
            return f"⏳ {why}"
    failing = [name for name, passes in played.results if not passes]
    return f"continues: {', '.join(failing)} failing" if failing else "continues"


def shortened_rows(rows: list[str]) -> str:
    """All rows, or the first and the last of them."""
    if len(rows) <= MAX_ROWS:
        return "\n".join(rows)
    half = MAX_ROWS // 2
    gap = f"   …  {count_phrase(len(rows) - 2 * half, 'turn')} left out"
    return "\n".join([*rows[:half], gap, *rows[-half:]])


def outcome_line(loop: Loop) -> str:
    """The status of the loop and its reason, on one line."""
    line = f"{loop.status}: {loop.pause.why}" if loop.pause.why else loop.status
    if loop.status == "finished" and loop.verdict:
        certainty = loop.verdict.grade_text
        line = f"finished, {certainty} ({loop.verdict.name})"
    elif loop.status == "asking" and loop.gate:
        line = f"waits for a person: {loop.gate.question}"
    return " ".join(line.split())


def spend_line(loop: Loop) -> str:
    iterations = count_phrase(loop.spend.iterations, "iteration")
    return f"{iterations}, ${loop.spend.dollars:.2f}, {duration(loop.spend.seconds)}"


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
    return {
        "turn": played.turn,
        "tasks": list(played.tasks),
        "results": dict(played.results),
        **outcome_facts(played.loop),
        "reply": _reply_text(played),
    }


def limits_comparison(recorded: Loop, name: str, replayed: ReplayResult) -> str:
    """How a recorded loop would have ended under other limits; `name` names them."""
    if not replayed.diverged_at:
        return f"{name}: nothing changes"
    outcome = "it would have gone on; the record does not say how"
    if replayed.outcome_known:
        outcome = outcome_line(replayed.loop)
    saved = recorded.spend.dollars - replayed.loop.spend.dollars
    money = ""
    if abs(saved) >= 0.005:
        money = f", ${abs(saved):.2f} {'less' if saved > 0 else 'more'}"
    return (
        f"{name}: parts at iteration {replayed.diverged_at}"
        f" → {spend_line(replayed.loop)}{money}\n"
        f"    {outcome}"
    )
