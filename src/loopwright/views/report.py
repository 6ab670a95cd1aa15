"""The morning report: what was asked, what is proven and by which evidence, what failed, what it cost, what to do next.

Markdown, from the journal alone, so that it reads the same on a good night and on a bad one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core import events as ev
from ..core.criteria import Criterion
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.prompts import objections
from ..core.prompts.parts import cost_text
from ..core.prompts.parts import spec_summary as one_line
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.record import Record
from ..core.runner.events import AgentLimited, TurnReported, TurnStarted, WaitStarted
from ..core.status import ENDED
from . import plan_board
from .board import next_command, outcome_suffix

MAX_TAIL = 1_200


class TurnRow(Record):
    """One turn: `flips` are the criteria that changed in it."""

    number: str
    agent: str = ""
    seconds: float = 0.0
    cost: str = ""
    flips: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class TurnHistory(Record):
    rows: tuple[TurnRow, ...] = ()
    breakers: tuple[str, ...] = ()


def text(loop: Loop, moves: Iterable[tuple[Record, ...]], stat: str = "", branch: str = "") -> str:
    """`branch` is the loop's own, where it has one."""
    told = turn_history(moves)
    parts = [
        f"# {one_line(loop, 100)}",
        "",
        f"**{_outcome_line(loop)}**",
        "",
        f"Loop `{loop.id}`: {count_phrase(loop.spend.iterations, 'iteration')} of {loop.limits.iterations}, "
        f"{cost_text(loop)} of ${loop.limits.dollars:g}, {loop.spend.seconds / 60:.0f} of {loop.limits.minutes:g} min"
        f"{_wait_suffix(loop)}.",
        *_section("Asked", [*_code_block(loop.spec, 4_000)]),
        *_section(
            "Proven",
            [_proof_row(c, loop) for c in loop.criteria if _is_proven(c, loop)] or ["Nothing."],
        ),
        *_section(
            "Not proven",
            [
                row
                for c in loop.criteria
                if not _is_proven(c, loop)
                for row in _failure_rows(c, loop)
            ],
        ),
        *_section(
            "To know",
            [f"- {inline_text(note)}" for note in (loop.verdict.notes if loop.verdict else ())],
        ),
        *_section("Speaks against it", objections.objection_lines(loop)),
        *_section("Found and fixed", _backlog_rows(loop)),
        *_section("Tasks", _task_rows(loop)),
        *_section("Iterations", _turn_table(told.rows)),
        *_section(
            "Why it was stopped or warned", [f"- {inline_text(words)}" for words in told.breakers]
        ),
        *_section("Changed since the start", _code_block(stat, 4_000)),
        *_section("Next", _next_rows(loop, branch)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def summary(loop: Loop) -> str:
    """summary.md of the seeds."""
    done = (
        *(step.name for step in loop.completed_steps),
        *(c.name for c in loop.criteria if loop.is_met(c)),
    )
    left = (*(step.name for step in loop.remaining_steps), *loop.unmet_criteria)
    rows = [
        "# Loop summary",
        "",
        f"**Status:** {loop.status}{inline_text(outcome_suffix(loop))}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {cost_text(loop)}/${loop.limits.dollars:.2f}",
    ]
    for title, mark, names in (("Completed", "x", done), ("Remaining", " ", left)):
        rows += _section(title, [f"- [{mark}] {inline_text(name)}" for name in names] or ["(none)"])
    return "\n".join(rows) + "\n"


def turn_history(moves: Iterable[tuple[Record, ...]]) -> TurnHistory:
    """The journal once more: each turn with what it changed."""
    rows: list[TurnRow] = []
    breakers: list[str] = []
    loop: Loop | None = None
    met: set[str] = set()
    agent, since = "", 0.0
    for event in (event for events in moves for event in events):
        match event:
            case TurnStarted():
                agent, since = event.agent, event.at
            case ev.TurnEnded() if loop:
                met = _record_flips(rows, loop, met)
                number = str(loop.spend.iterations + 1) if event.counts_as_iteration else "–"
                cost = "unknown" if event.unpriced else f"${event.dollars:.2f}"
                rows.append(TurnRow(number, agent, event.at - since if since else 0.0, cost))
                since = 0.0
            case TurnReported() if rows:
                rows[-1] = _with_notes(rows[-1], *_turn_notes(event))
            case WaitStarted() if rows:
                rows[-1] = _with_notes(rows[-1], f"waited {(event.until - event.at) / 60:.0f} min")
            case AgentLimited() if rows and event.reset_known:
                rows[-1] = _with_notes(rows[-1], "usage limit")
            case ev.ClaimRefuted() if rows:
                rows[-1] = _with_notes(rows[-1], "claimed done, and was not")
            case ev.LoopPaused():
                breakers.append(event.why)
            case ev.TamperingSeen():
                breakers.append(f"tampering: {', '.join(event.fields)}")
        loop = (
            evolve(loop, event)
            if loop
            else event.loop
            if isinstance(event, ev.LoopStarted)
            else None
        )
    if loop:
        _record_flips(rows, loop, met)
    return TurnHistory(tuple(rows), tuple(dict.fromkeys(breakers)))


def _record_flips(rows: list[TurnRow], loop: Loop, met: set[str]) -> set[str]:
    """The turn before is judged: what holds now that did not, and the other way round."""
    now = (
        {c.name for c in loop.criteria if loop.is_met(c)}
        if not loop.plan
        else {f"task {name}" for name in loop.plan.done}
    )
    if rows:
        flips = (
            *(f"✓ {name}" for name in sorted(now - met)),
            *(f"✗ {name}" for name in sorted(met - now)),
        )
        rows[-1] = rows[-1].but(flips=flips)
    return now


def _with_notes(row: TurnRow, *notes: str) -> TurnRow:
    return row.but(notes=tuple(dict.fromkeys((*row.notes, *(note for note in notes if note)))))


def _turn_notes(event: TurnReported) -> tuple[str, ...]:
    told = event.report
    denied = f"denied: {'; '.join(told.denied_calls[:2])}" if told.denied_calls else ""
    return (
        f"cut off: {told.cut_reason}" if told.cut_reason else "",
        denied,
        "the API failed" if event.failed and not told.usage_limited else "",
    )


def _outcome_line(loop: Loop) -> str:
    if loop.verdict:
        sure = (
            "proven by our own runs"
            if loop.verdict.proven
            else f"not proven: {inline_text(loop.verdict.why)}"
        )
        return f"{loop.verdict.name}: finished, {sure}"
    if loop.status in ("paused", "cancelled"):
        return f"NOT DONE: {loop.status}{inline_text(outcome_suffix(loop))}"
    return f"NOT DONE: {loop.status}" + (
        f": {inline_text(loop.gate.question)}" if loop.gate else ""
    )


def _wait_suffix(loop: Loop) -> str:
    return (
        f", {loop.run.waited_seconds / 60:.0f} min waited for limits"
        if loop.run and loop.run.waited_seconds
        else ""
    )


def _is_proven(c: Criterion, loop: Loop) -> bool:
    return bool(c.proof and c.proof.by != "agent" and loop.is_met(c))


def _proof_row(c: Criterion, loop: Loop) -> str:
    assert c.proof is not None
    if c.proof.by == "person":
        return f"- {inline_text(c.name)}: confirmed by a person"
    if c.check and c.check.probe:
        return f"- {inline_text(c.name)}: {inline_text(c.proof.detail.partition(chr(10))[0])}, on tree `{c.proof.tree[:12]}`"
    ran = (
        f"{inline_code(c.check.command_line)} exited {c.proof.code} in {c.proof.seconds:.1f} s"
        if c.check
        else "measured"
    )
    folder = f".loop/history/{loop.id}" if loop.status in ENDED else ".loop"
    log = f", output in `{folder}/{c.proof.log}`" if c.proof.log else ""
    return f"- {inline_text(c.name)}: {ran} on tree `{c.proof.tree[:12]}`{log}"


def _failure_rows(c: Criterion, loop: Loop) -> list[str]:
    if c.claim and c.claim.met and loop.is_met(c):
        return [
            f"- {inline_text(c.name)}: only the agent says so ({c.claim.kind or 'no evidence given'})"
        ]
    proof = c.proof
    if not c.check or not proof or proof.by != "loop":
        return [f"- {inline_text(c.name)}: not shown"]
    how = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    here = "" if proof.tree == loop.tree else ", on an earlier tree"
    return [
        f"- {inline_text(c.name)}: {inline_code(c.check.command_line)} {how}{here}",
        *_code_block(proof.detail[-MAX_TAIL:], MAX_TAIL),
    ]


def _backlog_rows(loop: Loop) -> list[str]:
    if not loop.backlog:
        return []
    done = [f"- [x] {inline_text(item)}" for item in loop.backlog.done]
    left = [f"- [ ] {inline_text(item)}" for item in loop.backlog.items]
    return [f"{loop.backlog.tally}, {len(loop.backlog.items)} open", "", *done[-50:], *left[:50]]


def _task_rows(loop: Loop) -> list[str]:
    return [f"    {row}" for row in plan_board.rows(loop)] if loop.plan else []


def _turn_table(rows: tuple[TurnRow, ...]) -> list[str]:
    if not rows:
        return ["None."]
    head = ["| # | agent | minutes | cost | changed | |", "|---|---|---|---|---|---|"]
    return head + [
        f"| {r.number} | {r.agent} | {r.seconds / 60:.1f} | {r.cost} | {_row_cells(r)} |"
        for r in rows
    ]


def _row_cells(row: TurnRow) -> str:
    return f"{_table_cell(', '.join(row.flips))} | {_table_cell('; '.join(row.notes))}"


def _table_cell(words: str) -> str:
    return clip_text(inline_text(words).replace("|", "\\|"), 160)


def inline_text(words: str) -> str:
    """Somebody's words as part of a line: no end of it, no code, no tag."""
    return "".join(
        f"\\{letter}" if letter in "\\`<" else letter for letter in " ".join(words.split())
    )


def inline_code(words: str) -> str:
    """A command as it is, whatever backticks are in it."""
    fence = "``" if "`" in words else "`"
    while fence in words:
        fence += "`"
    return (
        f"{fence} {' '.join(words.split())} {fence}"
        if len(fence) > 1
        else f"`{' '.join(words.split())}`"
    )


def _next_rows(loop: Loop, branch: str) -> list[str]:
    if loop.status not in ENDED:
        return [f"- {next_command(loop)}"]
    if not loop.verdict:
        return ["- Start again: `loop start`"]
    rows = ["- Look at the change, and keep it or not. The record: `loop history`."]
    if branch:
        rows.append(
            f"- It is on a branch of its own. To take it over, in your own checkout: `git merge {branch}`"
        )
    return rows


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"## {title}", "", *rows] if rows else []


def _code_block(words: str, most: int) -> list[str]:
    words = clip_text(words.strip(), most).replace("```", "'''")
    return ["```text", words, "```"] if words else []
