"""The pages of a plan loop: VERIFICATION.md and the summary.md of a phase. Pure.

`core/plan/gaps.py` reads VERIFICATION.md back.
"""

from __future__ import annotations

from html import escape

from ..core.criteria import Criterion, Evidence
from ..core.loop import Loop, plan_of
from ..core.plan.criteria import plan_artifacts
from ..core.plan.gaps import HUMAN_NEEDED, MAX_FILE, MAX_GAPS, gap_of, merge_gaps
from ..core.plan.plan import (
    E2E,
    GAPS_FOUND,
    PASSED,
    PROJECT_COMMANDS,
    VERIFY,
    Gap,
    Link,
    Plan,
    Task,
    TaskFailure,
    criterion_names,
)
from ..core.prompts.parts import cost_text
from ..core.prompts.phrases import count_phrase
from ..core.replies.reports import single_line
from .board import outcome_suffix
from .markdown import EMPTY_CELL, cell_code, cell_text, section, table
from .rows import prefix_rows

PROVEN, CONFIRMED, CLAIMED, FAILS, OPEN = "proven", "confirmed", "claimed", "fails", "open"
STATUS_SIGNS = {
    PROVEN: "✓ passed",
    CONFIRMED: "✓ confirmed",
    CLAIMED: "? claimed",
    FAILS: "✗ failed",
    OPEN: "– open",
}
MAX_ROUNDS, MAX_CLOSED = 50, 20


def text(loop: Loop) -> str:
    """VERIFICATION.md: each criterion on the tree of the last Stop, and every gap."""
    plan = plan_of(loop)
    commands = [_command_row(c, loop) for c in _command_criteria(loop)]
    truths = [_truth_row(c, loop) for c in _truth_criteria(loop)]
    tasks = [_task_check_row(task, loop) for task in plan.tasks]
    human = prefix_rows("- [ ] ", _human_verification_rows(loop))
    parts = [
        f"# Verification Report: Phase {cell_text(plan.phase)}",
        "",
        f"## Status: {report_status(loop)}",
        "",
        _totals_line(loop, plan),
        *section("CI Checks", table("Check Status Time Notes", commands)),
        *section("Observable Truths", table("Truth Status Evidence", truths)),
        *section("Artifact Inventory", table("File L1 L2 L3 Notes", _artifact_rows(loop))),
        *section("Key Links", table("From To Connection Status", _link_rows(loop))),
        *section("Task Checks", table("Task Title Passed Notes", tasks)),
        *section("Gaps", _gap_block(open_gaps(loop), plan)),
        *section("Human Verification Required", human),
        *section("History", _history_rows(plan)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _totals_line(loop: Loop, plan: Plan) -> str:
    met = sum(map(loop.is_met, loop.criteria))
    gaps = count_phrase(len(open_gaps(loop)), "gap")
    return (
        f"{met} of {len(loop.criteria)} criteria hold, {gaps}, "
        f"round {plan.fix_rounds} of {plan.max_fix_rounds}."
    )


def report_status(loop: Loop) -> str:
    """human_needed: nothing fails, but a person must confirm what is open or only claimed."""
    if open_gaps(loop):
        return GAPS_FOUND
    if not loop.criteria or loop.waiting_checks or _human_verification_rows(loop):
        return HUMAN_NEEDED
    return PASSED


def open_gaps(loop: Loop) -> tuple[Gap, ...]:
    """The gaps of the plan, and one for each failing criterion that they do not cover."""
    gaps = plan_of(loop).gaps
    covered = {gap.criterion for gap in gaps}
    failing = [c for c in loop.criteria if criterion_status(c, loop) == FAILS]
    uncovered = [gap_of(c) for c in failing if c.name not in covered]
    return merge_gaps((*gaps, *uncovered))


def criterion_status(c: Criterion, loop: Loop) -> str:
    """One of the keys of STATUS_SIGNS."""
    proof = c.proof
    if c.check and c.check.allowed:
        if not proof or proof.by != "loop" or proof.tree != loop.tree:
            return OPEN
        return PROVEN if proof.passed else FAILS
    if not loop.is_met(c):
        return OPEN
    return CONFIRMED if proof and proof.by == "person" else CLAIMED


def summary(loop: Loop) -> str:
    """summary.md of a phase: what is done, what it cost, what is left."""
    plan = plan_of(loop)
    title = f": {cell_text(plan.title)}" if plan.title else ""
    rounds = count_phrase(plan.fix_rounds, "round")
    done = sum(task.id in plan.done for task in plan.tasks)
    retried = [failure for failure in plan.failures if failure.times]
    attempts = count_phrase(sum(failure.times for failure in retried), "failed attempt")
    tasks = [_task_row(task, plan) for task in plan.tasks]
    parts = [
        f"# Phase {cell_text(plan.phase)}{title}",
        "",
        f"**Verdict:** {loop.status}{cell_text(outcome_suffix(loop))}",
        f"**Verification:** {report_status(loop)} after {rounds} of fixing",
        f"**Tasks:** {done}/{len(plan.tasks)}, {attempts}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {cost_text(loop)}/${loop.limits.dollars:.2f}",
        f"**Time:** {loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min",
        *section("Tasks", table("Task Title Status Commit Attempts", tasks)),
        *section("Retries", list(map(_retry_row, retried))),
        *section("Gaps", _round_rows(plan)),
        *section("Parked", prefix_rows("- ", map(cell_text, _parked_names(loop)))),
        *section("Issues found", prefix_rows("- ", map(cell_text, plan.issues))),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _retry_row(failure: TaskFailure) -> str:
    error = cell_text(failure.error) or EMPTY_CELL
    return f"- {cell_text(failure.task)}: {failure.times}, the last: {error}"


def _command_criteria(loop: Loop) -> list[Criterion]:
    return [c for name in (*PROJECT_COMMANDS, E2E) for c in loop.criteria if c.name == name]


def _truth_criteria(loop: Loop) -> list[Criterion]:
    """The must-haves, and the criteria that a person added to the plan."""
    plan = plan_of(loop)
    in_other_tables = {*PROJECT_COMMANDS, E2E}
    in_other_tables |= {name for task in plan.tasks for name in criterion_names(task)}
    in_other_tables |= {f"artifact {file.path}" for file in plan_artifacts(plan)}
    in_other_tables |= {_link_criterion(link) for link in plan.links}
    return [c for c in loop.criteria if c.name not in in_other_tables]


def _link_criterion(link: Link) -> str:
    return f"link {link.source} → {link.target}"


def _criterion_named(name: str, loop: Loop) -> Criterion:
    return next((c for c in loop.criteria if c.name == name), Criterion(name))


def _command_row(c: Criterion, loop: Loop) -> list[str]:
    status = criterion_status(c, loop)
    seconds = EMPTY_CELL
    if c.proof and status in (PROVEN, FAILS):
        seconds = f"{c.proof.seconds:.1f} s"
    return [cell_text(c.name), STATUS_SIGNS[status], seconds, _evidence_text(c, loop)]


def _truth_row(c: Criterion, loop: Loop) -> list[str]:
    return [cell_text(c.name), STATUS_SIGNS[criterion_status(c, loop)], _evidence_text(c, loop)]


def _evidence_text(c: Criterion, loop: Loop) -> str:
    """The evidence for a criterion, or why it is not met."""
    status, claim = criterion_status(c, loop), c.claim
    if status == PROVEN and c.check:
        return f"proven by {cell_code(c.check.command_line)}"
    if status == FAILS and c.proof:
        return _failure_text(c.proof)
    if status == CONFIRMED:
        return "a person confirmed it"
    if status == CLAIMED and claim:
        kind = claim.kind or "no evidence given"
        return cell_text(f"the agent says so ({kind}) {claim.evidence}")
    if not c.check:
        return "not shown yet"
    if c.check.allowed:
        return "not run on this tree"
    return f"{cell_code(c.check.command_line)} waits for `loop allow`"


def _failure_text(proof: Evidence) -> str:
    """The last line of the output, and the file with the rest."""
    last_line = cell_text(proof.detail.strip().rpartition("\n")[2]) or "no output"
    if not proof.log:
        return last_line
    return f"{last_line} ({cell_code('.loop/' + proof.log)})"


def _artifact_rows(loop: Loop) -> list[list[str]]:
    rows = []
    for file in plan_artifacts(plan_of(loop)):
        c = _criterion_named(f"artifact {file.path}", loop)
        levels, note = "", "not looked at on this tree"
        if c.proof and criterion_status(c, loop) in (PROVEN, FAILS):
            levels, _, note = c.proof.detail.partition(": ")
        marks = [_level_mark(levels, name) for name in ("L1", "L2", "L3")]
        rows.append([cell_code(file.path), *marks, cell_text(f"{file.action}; {note}")])
    return rows


def _level_mark(levels: str, name: str) -> str:
    """✓ or ✗ as the probe wrote it; a dash for a level that was not checked."""
    mark = levels.partition(f"{name} ")[2][:1]
    return mark if mark in ("✓", "✗") else EMPTY_CELL


def _link_rows(loop: Loop) -> list[list[str]]:
    rows = []
    for link in plan_of(loop).links:
        c = _criterion_named(_link_criterion(link), loop)
        sign = STATUS_SIGNS[criterion_status(c, loop)]
        rows.append([cell_code(link.source), cell_code(link.target), cell_text(link.how), sign])
    return rows


def _task_check_row(task: Task, loop: Loop) -> list[str]:
    criteria = [_criterion_named(name, loop) for name in criterion_names(task)]
    met = f"{sum(map(loop.is_met, criteria))}/{len(criteria)}" if criteria else "no check"
    notes = ["parked"] if task.id in plan_of(loop).parked else []
    for c in criteria:
        status = criterion_status(c, loop)
        if status not in (PROVEN, CONFIRMED):
            notes.append(f"{c.name}: {status}")
    return [cell_text(task.id), cell_text(task.title), met, cell_text("; ".join(notes))]


def _gap_block(gaps: tuple[Gap, ...], plan: Plan) -> list[str]:
    if not gaps:
        return []
    elements = [_gap_element(gap, plan) for gap in gaps[:MAX_GAPS]]
    block = ["```xml", "<gaps>", *elements, "</gaps>", "```"]
    if len(gaps) > MAX_GAPS:
        block.append(f"… and {len(gaps) - MAX_GAPS} more")
    return block


def _gap_element(gap: Gap, plan: Plan) -> str:
    file = escape(single_line(gap.file, MAX_FILE))
    target = escape(single_line(gap.target, MAX_FILE))
    where = f'from="{file}" to="{target}"' if target else f'file="{file}"'
    parked = ' parked="true"' if gap.key in plan.parked else ""
    return f'  <gap type="{gap.kind}" {where}{parked}>{escape(single_line(gap.text))}</gap>'


def _human_verification_rows(loop: Loop) -> list[str]:
    """What is open, only claimed, or out of retries."""
    plan = plan_of(loop)
    waiting = [c for c in loop.criteria if criterion_status(c, loop) in (OPEN, CLAIMED)]
    rows = [f"{cell_text(c.name)}: {_evidence_text(c, loop)}" for c in waiting]
    for name in _parked_names(loop):
        error = cell_text(plan.failure_of(name).error)
        rows.append(f"{cell_text(name)}: parked, out of retries. {error}".rstrip())
    return rows


def _parked_names(loop: Loop) -> list[str]:
    """Tasks and gaps out of retries, except those that were fixed later."""
    plan = plan_of(loop)
    gap_keys = {gap.key for gap in open_gaps(loop)}
    task_ids = {task.id for task in plan.tasks}
    unfinished = gap_keys | task_ids.difference(plan.done)
    return [name for name in plan.parked if name in unfinished]


def _history_rows(plan: Plan) -> list[str]:
    if not plan.history:
        return []
    rows = [
        [str(entry.iteration), *map(cell_text, (entry.kind, entry.result, ", ".join(entry.gaps)))]
        for entry in plan.history[-MAX_ROUNDS:]
    ]
    return table("Iteration Kind Result Gaps", rows)


def _task_row(task: Task, plan: Plan) -> list[str]:
    state = "open"
    if task.id in plan.done:
        state = "done"
    elif task.id in plan.parked:
        state = "parked"
    attempts = plan.failure_of(task.id).times + (state == "done")
    commits = _commit_list(task.id, plan) or EMPTY_CELL
    return [cell_text(task.id), cell_text(task.title), state, commits, str(attempts)]


def _commit_list(name: str, plan: Plan) -> str:
    return ", ".join(cell_code(commit[:12]) for owner, commit in plan.commits if owner == name)


def _round_rows(plan: Plan) -> list[str]:
    """The gaps of each verification, and those closed since the one before."""
    rows = []
    before: set[str] = set()
    for entry in plan.history:
        if entry.kind != VERIFY:
            continue
        keys = sorted(before.difference(entry.gaps))[:MAX_CLOSED]
        closed = [f"{cell_text(key)} {_commit_list(key, plan)}".rstrip() for key in keys]
        gaps = cell_text(", ".join(entry.gaps))
        rows.append([str(entry.iteration), gaps or EMPTY_CELL, ", ".join(closed) or EMPTY_CELL])
        before = set(entry.gaps)
    return table("Iteration Found Closed", rows[-MAX_ROUNDS:]) if rows else []
