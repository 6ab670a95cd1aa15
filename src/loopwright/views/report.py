"""The report of a run: the request, what is proven and how, what failed, the cost, what to do next.

Markdown, from the journal alone. A failed run has the same sections as a successful one. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.prompts import objections
from ..core.prompts.demands import board_lines
from ..core.prompts.end_screen import is_shown
from ..core.prompts.end_words import end_text
from ..core.prompts.open_questions import TO_DECIDE, open_questions
from ..core.prompts.parts import cost_text, spec_summary
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.proof.grades import TESTED
from ..core.record import Record
from ..core.runner.sandbox import sandbox_text
from ..core.status import ENDED
from . import plan_board
from .attempts import attempt_rows
from .board import next_command, outcome_suffix
from .gate_content import gate_rows
from .markdown import code_block, inline_code, inline_text, section
from .rows import prefix_rows
from .strength_facts import strength_rows
from .turn_history import TurnHistory, TurnRow

MAX_TAIL = 1_200
MAX_ROWS = 50  # of the table of turns
MAX_FILES = 3  # named in a row of it


class TurnChange(Record):
    """What a turn changed in the files of the project."""

    files: tuple[str, ...]
    added: int = 0  # lines
    removed: int = 0


def text(
    loop: Loop,
    history: TurnHistory,
    stat: str = "",
    branch: str = "",
    changes: Mapping[tuple[str, str], TurnChange] | None = None,
) -> str:
    """The whole report.

    `stat` is the diffstat since the baseline, `branch` the loop's own branch if it has one, and
    `changes` what git says about the trees of each turn.
    """
    notes = loop.verdict.notes if loop.verdict else ()
    shown: list[str] = []
    not_shown: list[str] = []
    for c in loop.criteria:
        if is_shown(c, loop):
            shown.append(_proof_row(c, loop))
        else:
            not_shown += _failure_rows(c, loop)
    parts = [
        f"# {spec_summary(loop, 100)}",
        "",
        f"**{_outcome_line(loop)}**",
        "",
        _spend_line(loop),
        *_sandbox_rows(loop),
        *section("The question", code_block("\n".join(gate_rows(loop)), 4_000)),
        *section("Asked", code_block(loop.spec, 4_000)),
        *section("Shown", shown or ["Nothing."]),
        *section("Not shown", not_shown),
        *section("Demands of the spec", prefix_rows("- ", map(inline_text, board_lines(loop)))),
        *section("Strength of the checks", strength_rows(loop)),
        *section(TO_DECIDE, _question_rows(loop)),
        *section("To know", prefix_rows("- ", map(inline_text, notes))),
        *section("Speaks against it", objections.objection_lines(loop)),
        *section("Attempts", attempt_rows(loop)),
        *section("Found and fixed", _backlog_rows(loop)),
        *section("Tasks", _task_rows(loop)),
        *section("Iterations", _turn_table(history, changes or {})),
        *section(
            "Why it was stopped or warned", prefix_rows("- ", map(inline_text, history.breakers))
        ),
        *section("Changed since the start", code_block(stat, 4_000)),
        *section("Next", _next_rows(loop, branch)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def summary(loop: Loop) -> str:
    """summary.md in the documented format: the counters, completed and remaining work."""
    met = [
        c.name if is_shown(c, loop) else f"{c.name} (shown by no command)"
        for c in loop.criteria
        if loop.is_met(c)
    ]
    done = [*(step.name for step in loop.completed_steps), *met]
    left = [*(step.name for step in loop.remaining_steps), *loop.unmet_criteria]
    done_rows = prefix_rows("- [x] ", map(inline_text, done))
    left_rows = prefix_rows("- [ ] ", map(inline_text, left))
    rows = [
        "# Loop summary",
        "",
        f"**Status:** {loop.status}{inline_text(outcome_suffix(loop))}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {cost_text(loop)}/${loop.limits.dollars:.2f}",
        *section("Completed", done_rows or ["(none)"]),
        *section("Remaining", left_rows or ["(none)"]),
    ]
    return "\n".join(rows) + "\n"


def _question_rows(loop: Loop) -> list[str]:
    """What the person can still decide, with the command."""
    rows = []
    for question in open_questions(loop):
        commands = " or ".join(map(inline_code, question.commands))
        rows.append(f"- {inline_text(question.text)} {commands}")
    return rows


def _outcome_line(loop: Loop) -> str:
    """How it ended, or the status of a loop that has not."""
    verdict = loop.verdict
    if verdict:
        return f"Finished, {inline_text(end_text(verdict))}"
    if loop.status in ("paused", "cancelled"):
        return f"NOT DONE: {loop.status}{inline_text(outcome_suffix(loop))}"
    question = f": {inline_text(loop.gate.question)}" if loop.gate else ""
    return f"NOT DONE: {loop.status}{question}"


def _spend_line(loop: Loop) -> str:
    spend, limit = loop.spend, loop.limits
    waited = ""
    if loop.run and loop.run.waited_seconds:
        waited = f", {loop.run.waited_seconds / 60:.0f} min waited for limits"
    return (
        f"Loop `{loop.id}`: {count_phrase(spend.iterations, 'iteration')} of {limit.iterations}, "
        f"{cost_text(loop)} of ${limit.dollars:g}, "
        f"{spend.seconds / 60:.0f} of {limit.minutes:g} min{waited}."
    )


def _sandbox_rows(loop: Loop) -> list[str]:
    if not loop.run or not loop.run.sandbox:
        return []
    return ["", f"Sandbox of the agent: {inline_text(sandbox_text(loop.run.sandbox))}."]


def _proof_row(c: Criterion, loop: Loop) -> str:
    """By which evidence a criterion is shown."""
    name, proof = inline_text(c.name), c.proof
    if c.stands_for_spec:
        return f"- {name}: by the tests and checks that are named here"
    assert proof is not None
    tree = f"on tree `{proof.tree[:12]}`"
    if c.check and c.check.probe:
        first_line = proof.detail.partition("\n")[0]
        return f"- {name}: {inline_text(first_line)}, {tree}"
    ran = "measured"
    if c.check:
        command = inline_code(c.check.command_line)
        ran = f"{command} exited {proof.code} in {proof.seconds:.1f} s"
    folder = f".loop/history/{loop.id}" if loop.status in ENDED else ".loop"
    log = f", output in `{folder}/{proof.log}`" if proof.log else ""
    return f"- {name}: {ran} {tree}{log}"


def _failure_rows(c: Criterion, loop: Loop) -> list[str]:
    """Why a criterion is not proven, with the end of its output."""
    name, proof = inline_text(c.name), c.proof
    if c.is_verified_by("person"):
        return [f"- {name}: accepted by a person, no command has run"]
    if c.claim and c.claim.met and loop.is_met(c):
        return [f"- {name}: only the agent says so ({c.claim.kind or 'no evidence given'})"]
    if not c.check or not proof or proof.by != "loop":
        return [f"- {name}: not shown"]
    result = f"exited {proof.code}" if proof.outcome == "exit" else proof.outcome
    where = "" if proof.tree == loop.tree else ", on an earlier tree"
    return [
        f"- {name}: {inline_code(c.check.command_line)} {result}{where}",
        *code_block(proof.detail[-MAX_TAIL:], MAX_TAIL),
    ]


def _backlog_rows(loop: Loop) -> list[str]:
    backlog = loop.backlog
    if not backlog:
        return []
    done = prefix_rows("- [x] ", map(inline_text, backlog.done[-50:]))
    left = prefix_rows("- [ ] ", map(inline_text, backlog.items[:50]))
    return [f"{backlog.tally}, {len(backlog.items)} open", "", *done, *left]


def _task_rows(loop: Loop) -> list[str]:
    return prefix_rows("    ", plan_board.rows(loop)) if loop.plan else []


def _turn_table(history: TurnHistory, changes: Mapping[tuple[str, str], TurnChange]) -> list[str]:
    rows = history.rows[-MAX_ROWS:]
    if not rows:
        return ["None."]
    table = [
        "| # | agent | minutes | cost | files | last words | result | |",
        "|---|---|---|---|---|---|---|---|",
        *(_turn_table_row(row, changes.get(row.trees)) for row in rows),
    ]
    if history.earlier or len(history.rows) > MAX_ROWS:
        table += ["", f"The last {len(rows)} turns. All of them: `loop journal`"]
    return table


def _turn_table_row(row: TurnRow, change: TurnChange | None) -> str:
    cells = (
        row.number,
        row.agent,
        f"{row.seconds / 60:.1f}",
        row.cost,
        _table_cell(change_text(change) if change else ""),
        _table_cell(row.words),
        _table_cell(", ".join(row.flips)),
        _table_cell("; ".join(row.notes)),
    )
    return f"| {' | '.join(cells)} |"


def change_text(change: TurnChange) -> str:
    """The changed files and the size of the change."""
    names = ", ".join(change.files[:MAX_FILES])
    more = len(change.files) - MAX_FILES
    if more > 0:
        names += f" and {more} more"
    return f"{names} (+{change.added} −{change.removed})"


def _table_cell(words: str) -> str:
    return clip_text(inline_text(words).replace("|", "\\|"), 160)


def _next_rows(loop: Loop, branch: str) -> list[str]:
    if loop.status not in ENDED:
        rows = [f"- {next_command(loop)}"]
        if loop.run and loop.status == "running":
            rows.append("- Follow the agent: `loop logs -f`")
        elif loop.run:
            rows.append("- What the agent did last: `loop logs`")
        return rows
    if not loop.verdict:
        return ["- Start again: `loop start`"]
    rows = ["- Look at the change, and keep it or not. The record: `loop history`."]
    if loop.verdict.is_shown:
        rows.append("- The proof, for a pull request: `loop receipt`")
    elif loop.verdict.grade == TESTED:
        rows.append("- The agent wrote the tests that show it: read them before you keep it.")
    else:
        rows.append("- No command has shown it: try it yourself before you keep it.")
    if branch:
        rows.append(
            "- It is on a branch of its own. "
            f"To take it over, in your own checkout: `git merge {branch}`"
        )
    return rows
