"""The morning report: what was asked, what is proven and by which evidence, what failed, what it cost, what to do next.

Markdown, from the journal alone, so that it reads the same on a good night and on a bad one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core import events as ev
from ..core import objections
from ..core.engine import evolve
from ..core.loop import ENDED, Criterion, Loop
from ..core.record import Record
from ..core.running import AgentLimited, TurnBegan, TurnTold, WaitBegan
from ..core.wording import clip, counted, spent
from ..core.wording import summary as one_line
from . import executing
from .board import ending, next_command

MOST_TAIL = 1_200


class Row(Record):
    """One turn: `flips` are the criteria that changed in it."""

    number: str
    agent: str = ""
    seconds: float = 0.0
    cost: str = ""
    flips: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Retold(Record):
    rows: tuple[Row, ...] = ()
    breakers: tuple[str, ...] = ()


def text(loop: Loop, moves: Iterable[tuple[Record, ...]], stat: str = "", branch: str = "") -> str:
    """`branch` is the loop's own, where it has one."""
    told = retold(moves)
    parts = [
        f"# {one_line(loop, 100)}",
        "",
        f"**{_outcome(loop)}**",
        "",
        f"Loop `{loop.id}`: {counted(loop.spend.iterations, 'iteration')} of {loop.limits.iterations}, "
        f"{spent(loop)} of ${loop.limits.dollars:g}, {loop.spend.seconds / 60:.0f} of {loop.limits.minutes:g} min"
        f"{_waited(loop)}.",
        *_section("Asked", [*_fenced(loop.spec, 4_000)]),
        *_section("Proven", [_proof(c, loop) for c in loop.criteria if _proven(c, loop)] or ["Nothing."]),
        *_section("Not proven", [row for c in loop.criteria if not _proven(c, loop) for row in _failing(c, loop)]),
        *_section("To know", [f"- {line(note)}" for note in (loop.verdict.notes if loop.verdict else ())]),
        *_section("Speaks against it", objections.rows(loop)),
        *_section("Found and fixed", _backlog(loop)),
        *_section("Tasks", _tasks(loop)),
        *_section("Iterations", _table(told.rows)),
        *_section("Why it was stopped or warned", [f"- {line(words)}" for words in told.breakers]),
        *_section("Changed since the start", _fenced(stat, 4_000)),
        *_section("Next", _next(loop, branch)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def summary(loop: Loop) -> str:
    """summary.md of the seeds."""
    done = (*(step.name for step in loop.completed), *(c.name for c in loop.criteria if loop.is_met(c)))
    left = (*(step.name for step in loop.remaining), *loop.unmet)
    rows = [
        "# Loop summary",
        "",
        f"**Status:** {loop.status}{line(ending(loop))}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {spent(loop)}/${loop.limits.dollars:.2f}",
    ]
    for title, mark, names in (("Completed", "x", done), ("Remaining", " ", left)):
        rows += _section(title, [f"- [{mark}] {line(name)}" for name in names] or ["(none)"])
    return "\n".join(rows) + "\n"


def retold(moves: Iterable[tuple[Record, ...]]) -> Retold:
    """The journal once more: each turn with what it changed."""
    rows: list[Row] = []
    breakers: list[str] = []
    loop: Loop | None = None
    met: set[str] = set()
    agent, since = "", 0.0
    for event in (event for events in moves for event in events):
        match event:
            case TurnBegan():
                agent, since = event.agent, event.at
            case ev.TurnEnded() if loop:
                met = _close(rows, loop, met)
                number = str(loop.spend.iterations + 1) if event.counts else "–"
                cost = "unknown" if event.unpriced else f"${event.dollars:.2f}"
                rows.append(Row(number, agent, event.at - since if since else 0.0, cost))
                since = 0.0
            case TurnTold() if rows:
                rows[-1] = _noted(rows[-1], *_about(event))
            case WaitBegan() if rows:
                rows[-1] = _noted(rows[-1], f"waited {(event.until - event.at) / 60:.0f} min")
            case AgentLimited() if rows and event.known:
                rows[-1] = _noted(rows[-1], "usage limit")
            case ev.ClaimRefuted() if rows:
                rows[-1] = _noted(rows[-1], "claimed done, and was not")
            case ev.LoopPaused():
                breakers.append(event.why)
            case ev.TamperingSeen():
                breakers.append(f"tampering: {', '.join(event.fields)}")
        loop = evolve(loop, event) if loop else event.loop if isinstance(event, ev.LoopStarted) else None
    if loop:
        _close(rows, loop, met)
    return Retold(tuple(rows), tuple(dict.fromkeys(breakers)))


def _close(rows: list[Row], loop: Loop, met: set[str]) -> set[str]:
    """The turn before is judged: what holds now that did not, and the other way round."""
    now = {c.name for c in loop.criteria if loop.is_met(c)} if not loop.plan else {f"task {name}" for name in loop.plan.done}
    if rows:
        flips = (*(f"✓ {name}" for name in sorted(now - met)), *(f"✗ {name}" for name in sorted(met - now)))
        rows[-1] = rows[-1].but(flips=flips)
    return now


def _noted(row: Row, *notes: str) -> Row:
    return row.but(notes=tuple(dict.fromkeys((*row.notes, *(note for note in notes if note)))))


def _about(event: TurnTold) -> tuple[str, ...]:
    told = event.told
    denied = f"denied: {'; '.join(told.denied[:2])}" if told.denied else ""
    return (f"cut off: {told.cut}" if told.cut else "", denied, "the API failed" if event.failed and not told.limited else "")


def _outcome(loop: Loop) -> str:
    if loop.verdict:
        sure = "proven by our own runs" if loop.verdict.proven else f"not proven: {line(loop.verdict.why)}"
        return f"{loop.verdict.name}: finished, {sure}"
    if loop.status in ("paused", "cancelled", "failed"):
        return f"NOT DONE: {loop.status}{line(ending(loop))}"
    return f"NOT DONE: {loop.status}" + (f": {line(loop.gate.question)}" if loop.gate else "")


def _waited(loop: Loop) -> str:
    return f", {loop.run.waited / 60:.0f} min waited for limits" if loop.run and loop.run.waited else ""


def _proven(c: Criterion, loop: Loop) -> bool:
    return bool(c.proof and c.proof.by != "agent" and loop.is_met(c))


def _proof(c: Criterion, loop: Loop) -> str:
    assert c.proof is not None
    if c.proof.by == "person":
        return f"- {line(c.name)}: confirmed by a person"
    if c.check and c.check.probe:
        return f"- {line(c.name)}: {line(c.proof.detail.partition(chr(10))[0])}, on tree `{c.proof.tree[:12]}`"
    ran = f"{code(c.check.line)} exited {c.proof.code} in {c.proof.seconds:.1f} s" if c.check else "measured"
    folder = f".loop/history/{loop.id}" if loop.status in ENDED else ".loop"
    log = f", output in `{folder}/{c.proof.log}`" if c.proof.log else ""
    return f"- {line(c.name)}: {ran} on tree `{c.proof.tree[:12]}`{log}"


def _failing(c: Criterion, loop: Loop) -> list[str]:
    if c.claim and c.claim.met and loop.is_met(c):
        return [f"- {line(c.name)}: only the agent says so ({c.claim.kind or 'no evidence given'})"]
    proof = c.proof
    if not c.check or not proof or proof.by != "loop":
        return [f"- {line(c.name)}: not shown"]
    how = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    here = "" if proof.tree == loop.tree else ", on an earlier tree"
    return [f"- {line(c.name)}: {code(c.check.line)} {how}{here}", *_fenced(proof.detail[-MOST_TAIL:], MOST_TAIL)]


def _backlog(loop: Loop) -> list[str]:
    if not loop.backlog:
        return []
    done = [f"- [x] {line(item)}" for item in loop.backlog.done]
    left = [f"- [ ] {line(item)}" for item in loop.backlog.items]
    return [f"{loop.backlog.tally}, {len(loop.backlog.items)} open", "", *done[-50:], *left[:50]]


def _tasks(loop: Loop) -> list[str]:
    return [f"    {row}" for row in executing.rows(loop)] if loop.plan else []


def _table(rows: tuple[Row, ...]) -> list[str]:
    if not rows:
        return ["None."]
    head = ["| # | agent | minutes | cost | changed | |", "|---|---|---|---|---|---|"]
    return head + [f"| {r.number} | {r.agent} | {r.seconds / 60:.1f} | {r.cost} | {_told(r)} |" for r in rows]


def _told(row: Row) -> str:
    return f"{_cell(', '.join(row.flips))} | {_cell('; '.join(row.notes))}"


def _cell(words: str) -> str:
    return clip(line(words).replace("|", "\\|"), 160)


def line(words: str) -> str:
    """Somebody's words as part of a line: no end of it, no code, no tag."""
    return "".join(f"\\{letter}" if letter in "\\`<" else letter for letter in " ".join(words.split()))


def code(words: str) -> str:
    """A command as it is, whatever backticks are in it."""
    fence = "``" if "`" in words else "`"
    while fence in words:
        fence += "`"
    return f"{fence} {' '.join(words.split())} {fence}" if len(fence) > 1 else f"`{' '.join(words.split())}`"


def _next(loop: Loop, branch: str) -> list[str]:
    if loop.status not in ENDED:
        return [f"- {next_command(loop)}"]
    if not loop.verdict:
        return ["- Start again: `loop start`"]
    rows = ["- Look at the change, and keep it or not. The record: `loop history`."]
    if branch:
        rows.append(f"- It is on a branch of its own. To take it over, in your own checkout: `git merge {branch}`")
    return rows


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"## {title}", "", *rows] if rows else []


def _fenced(words: str, most: int) -> list[str]:
    words = clip(words.strip(), most).replace("```", "'''")
    return ["```text", words, "```"] if words else []
