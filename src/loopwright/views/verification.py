"""The pages of a plan loop: VERIFICATION.md, which `core/plan/gaps.py` reads back, and summary.md of a phase. Pure."""

from __future__ import annotations

from html import escape

from ..core.criteria import Criterion
from ..core.loop import Loop, plan_of
from ..core.plan.criteria import plan_artifacts
from ..core.plan.gaps import (
    GAPS_FOUND,
    HUMAN_NEEDED,
    MAX_FILE,
    MAX_GAPS,
    PASSED,
    gap_of,
    merge_gaps,
)
from ..core.plan.plan import E2E, PROJECT_COMMANDS, VERIFY, Gap, Plan, Task, criterion_names
from ..core.prompts.parts import cost_text
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.replies.reports import single_line
from .board import outcome_suffix

PROVEN, CONFIRMED, CLAIMED, FAILS, OPEN = "proven", "confirmed", "claimed", "fails", "open"
STATUS_SIGNS = {
    PROVEN: "✓ passed",
    CONFIRMED: "✓ confirmed",
    CLAIMED: "? claimed",
    FAILS: "✗ failed",
    OPEN: "– open",
}
EMPTY_CELL = "–"
MAX_CELL, MAX_ROUNDS, MAX_CLOSED = 200, 50, 20


def text(loop: Loop) -> str:
    """VERIFICATION.md: how each criterion stands on the tree of the last Stop, and every gap."""
    plan = plan_of(loop)
    parts = [
        f"# Verification Report: Phase {_cell_text(plan.phase)}",
        "",
        f"## Status: {report_status(loop)}",
        "",
        f"{sum(map(loop.is_met, loop.criteria))} of {len(loop.criteria)} criteria hold, {count_phrase(len(open_gaps(loop)), 'gap')}, "
        f"round {plan.fix_rounds} of {plan.max_fix_rounds}.",
        *_section(
            "CI Checks",
            _markdown_table(
                "Check Status Time Notes", [_command_row(c, loop) for c in _command_criteria(loop)]
            ),
        ),
        *_section(
            "Observable Truths",
            _markdown_table(
                "Truth Status Evidence", [_truth_row(c, loop) for c in _truth_criteria(loop)]
            ),
        ),
        *_section(
            "Artifact Inventory", _markdown_table("File L1 L2 L3 Notes", _artifact_rows(loop))
        ),
        *_section("Key Links", _markdown_table("From To Connection Status", _link_rows(loop))),
        *_section(
            "Task Checks",
            _markdown_table(
                "Task Title Passed Notes", [_task_check_row(task, loop) for task in plan.tasks]
            ),
        ),
        *_section("Gaps", _gap_block(open_gaps(loop), plan)),
        *_section(
            "Human Verification Required",
            [f"- [ ] {row}" for row in _human_verification_rows(loop)],
        ),
        *_section("History", _history_rows(plan)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def report_status(loop: Loop) -> str:
    """human_needed: nothing fails, but something is open or only claimed, and no person has confirmed it."""
    if open_gaps(loop):
        return GAPS_FOUND
    return HUMAN_NEEDED if _human_verification_rows(loop) or not loop.criteria else PASSED


def open_gaps(loop: Loop) -> tuple[Gap, ...]:
    """Those that the plan holds, and one for each failing criterion that they do not cover."""
    known = plan_of(loop).gaps
    covered = {gap.criterion for gap in known}
    failing = (
        c for c in loop.criteria if criterion_status(c, loop) == FAILS and c.name not in covered
    )
    return merge_gaps((*known, *map(gap_of, failing)))


def criterion_status(c: Criterion, loop: Loop) -> str:
    if c.check and c.check.allowed:
        ours = c.proof if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree else None
        return OPEN if not ours else PROVEN if ours.passed else FAILS
    if not loop.is_met(c):
        return OPEN
    return CONFIRMED if c.proof and c.proof.by == "person" else CLAIMED


def summary(loop: Loop) -> str:
    """summary.md of a phase: what was done, what it took, what is left."""
    plan = plan_of(loop)
    retried = [failed for failed in plan.failures if failed.times]
    tasks = [_task_row(task, plan) for task in plan.tasks]
    parts = [
        f"# Phase {_cell_text(plan.phase)}{f': {_cell_text(plan.title)}' if plan.title else ''}",
        "",
        f"**Verdict:** {loop.status}{_cell_text(outcome_suffix(loop))}",
        f"**Verification:** {report_status(loop)} after {count_phrase(plan.fix_rounds, 'round')} of fixing",
        f"**Tasks:** {sum(task.id in plan.done for task in plan.tasks)}/{len(plan.tasks)}, "
        f"{count_phrase(sum(failed.times for failed in retried), 'failed attempt')}",
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}",
        f"**Cost:** {cost_text(loop)}/${loop.limits.dollars:.2f}",
        f"**Time:** {loop.spend.seconds / 60:.0f}/{loop.limits.minutes:g} min",
        *_section("Tasks", _markdown_table("Task Title Status Commit Attempts", tasks)),
        *_section(
            "Retries",
            [
                f"- {_cell_text(f.task)}: {f.times}, the last: {_cell_text(f.error) or EMPTY_CELL}"
                for f in retried
            ],
        ),
        *_section("Gaps", _round_rows(plan)),
        *_section("Parked", [f"- {_cell_text(name)}" for name in _parked_names(loop)]),
        *_section("Issues found", [f"- {_cell_text(issue)}" for issue in plan.issues]),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _command_criteria(loop: Loop) -> list[Criterion]:
    return [c for name in (*PROJECT_COMMANDS, E2E) for c in loop.criteria if c.name == name]


def _truth_criteria(loop: Loop) -> list[Criterion]:
    """The must-haves, and what a person asked for beside the plan."""
    plan = plan_of(loop)
    elsewhere = {
        *PROJECT_COMMANDS,
        E2E,
        *(name for task in plan.tasks for name in criterion_names(task)),
    }
    elsewhere |= {f"artifact {file.path}" for file in plan_artifacts(plan)}
    elsewhere |= {f"link {link.source} → {link.target}" for link in plan.links}
    return [c for c in loop.criteria if c.name not in elsewhere]


def _criterion_named(name: str, loop: Loop) -> Criterion:
    return next((c for c in loop.criteria if c.name == name), Criterion(name))


def _command_row(c: Criterion, loop: Loop) -> list[str]:
    here = criterion_status(c, loop)
    seconds = f"{c.proof.seconds:.1f} s" if c.proof and here in (PROVEN, FAILS) else EMPTY_CELL
    return [_cell_text(c.name), STATUS_SIGNS[here], seconds, _evidence_text(c, loop)]


def _truth_row(c: Criterion, loop: Loop) -> list[str]:
    return [_cell_text(c.name), STATUS_SIGNS[criterion_status(c, loop)], _evidence_text(c, loop)]


def _evidence_text(c: Criterion, loop: Loop) -> str:
    """By which evidence it holds, or why it does not."""
    proof, claim = c.proof, c.claim
    here = criterion_status(c, loop)
    if here == PROVEN and c.check:
        return f"proven by {_cell_code(c.check.command_line)}"
    if here == FAILS and proof:
        last = _cell_text(proof.detail.strip().rpartition("\n")[2]) or "no output"
        return f"{last} ({_cell_code('.loop/' + proof.log)})" if proof.log else last
    if here == CONFIRMED:
        return "a person confirmed it"
    if here == CLAIMED and claim:
        return _cell_text(
            f"the agent says so ({claim.kind or 'no evidence given'}) {claim.evidence}"
        )
    if not c.check:
        return "nobody has shown it"
    return (
        "not run on this tree"
        if c.check.allowed
        else f"{_cell_code(c.check.command_line)} waits for `loop allow`"
    )


def _artifact_rows(loop: Loop) -> list[list[str]]:
    rows = []
    for file in plan_artifacts(plan_of(loop)):
        c = _criterion_named(f"artifact {file.path}", loop)
        seen = (
            c.proof.detail
            if c.proof and criterion_status(c, loop) in (PROVEN, FAILS)
            else ": not looked at on this tree"
        )
        levels, _, note = seen.partition(": ")
        rows.append(
            [
                _cell_code(file.path),
                *(_level_mark(levels, name) for name in ("L1", "L2", "L3")),
                _cell_text(f"{file.action}; {note}"),
            ]
        )
    return rows


def _level_mark(levels: str, name: str) -> str:
    """✓ or ✗ as the probe wrote it; a level that was not asked for has neither."""
    mark = levels.partition(f"{name} ")[2][:1]
    return mark if mark in ("✓", "✗") else EMPTY_CELL


def _link_rows(loop: Loop) -> list[list[str]]:
    found = (
        (link, _criterion_named(f"link {link.source} → {link.target}", loop))
        for link in plan_of(loop).links
    )
    return [
        [
            _cell_code(k.source),
            _cell_code(k.target),
            _cell_text(k.how),
            STATUS_SIGNS[criterion_status(c, loop)],
        ]
        for k, c in found
    ]


def _task_check_row(task: Task, loop: Loop) -> list[str]:
    found = [_criterion_named(name, loop) for name in criterion_names(task)]
    rest = [
        f"{c.name}: {criterion_status(c, loop)}"
        for c in found
        if criterion_status(c, loop) not in (PROVEN, CONFIRMED)
    ]
    parked = ["parked"] if task.id in plan_of(loop).parked else []
    held = f"{sum(map(loop.is_met, found))}/{len(found)}" if found else "no check"
    return [
        _cell_text(task.id),
        _cell_text(task.title),
        held,
        _cell_text("; ".join((*parked, *rest))),
    ]


def _gap_block(found: tuple[Gap, ...], plan: Plan) -> list[str]:
    if not found:
        return []
    more = [f"… and {len(found) - MAX_GAPS} more"] if len(found) > MAX_GAPS else []
    return [
        "```xml",
        "<gaps>",
        *(_gap_element(gap, plan) for gap in found[:MAX_GAPS]),
        "</gaps>",
        "```",
        *more,
    ]


def _gap_element(gap: Gap, plan: Plan) -> str:
    file, target = (
        escape(single_line(gap.file, MAX_FILE)),
        escape(single_line(gap.target, MAX_FILE)),
    )
    where = f'from="{file}" to="{target}"' if target else f'file="{file}"'
    parked = ' parked="true"' if gap.key in plan.parked else ""
    return f'  <gap type="{gap.kind}" {where}{parked}>{escape(single_line(gap.text))}</gap>'


def _human_verification_rows(loop: Loop) -> list[str]:
    """What is open or only claimed, and what nobody tries any more."""
    plan = plan_of(loop)
    waiting = [c for c in loop.criteria if criterion_status(c, loop) in (OPEN, CLAIMED)]
    return [
        *(f"{_cell_text(c.name)}: {_evidence_text(c, loop)}" for c in waiting),
        *(
            f"{_cell_text(name)}: parked, out of retries. {_cell_text(plan.failure_of(name).error)}".rstrip()
            for name in _parked_names(loop)
        ),
    ]


def _parked_names(loop: Loop) -> list[str]:
    """Tasks and gaps out of retries; not those that somebody has mended since."""
    plan = plan_of(loop)
    left = {task.id for task in plan.tasks if task.id not in plan.done} | {
        gap.key for gap in open_gaps(loop)
    }
    return [name for name in plan.parked if name in left]


def _history_rows(plan: Plan) -> list[str]:
    rows = [
        [str(r.iteration), _cell_text(r.kind), _cell_text(r.result), _cell_text(", ".join(r.gaps))]
        for r in plan.history
    ]
    return _markdown_table("Iteration Kind Result Gaps", rows[-MAX_ROUNDS:]) if rows else []


def _task_row(task: Task, plan: Plan) -> list[str]:
    state = "done" if task.id in plan.done else "parked" if task.id in plan.parked else "open"
    attempts = plan.failure_of(task.id).times + (state == "done")
    return [
        _cell_text(task.id),
        _cell_text(task.title),
        state,
        _commit_list(task.id, plan) or EMPTY_CELL,
        str(attempts),
    ]


def _commit_list(name: str, plan: Plan) -> str:
    return ", ".join(_cell_code(commit[:12]) for owner, commit in plan.commits if owner == name)


def _round_rows(plan: Plan) -> list[str]:
    """What each verification found, and what was gone since the one before."""
    rows, before = [], set[str]()
    for r in (r for r in plan.history if r.kind == VERIFY):
        closed = [
            f"{_cell_text(key)} {_commit_list(key, plan)}".rstrip()
            for key in sorted(before - set(r.gaps))
        ]
        rows.append(
            [
                str(r.iteration),
                _cell_text(", ".join(r.gaps)) or EMPTY_CELL,
                ", ".join(closed[:MAX_CLOSED]) or EMPTY_CELL,
            ]
        )
        before = set(r.gaps)
    return _markdown_table("Iteration Found Closed", rows[-MAX_ROUNDS:]) if rows else []


def _markdown_table(head: str, rows: list[list[str]]) -> list[str]:
    titles = head.split()
    return (
        [f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)]
        if rows
        else ["None."]
    )


def _cell_text(said: str) -> str:
    """Somebody's words in a cell or a line: no end of it, no other cell, no code, no tag, no heading, no link's address."""
    shown = "".join(
        f"\\{letter}" if letter in "\\`<|" else letter
        for letter in clip_text(single_line(said), MAX_CELL)
    )
    return f" {shown}".replace(" #", " \\#").replace("]:", "]\\:")[1:]


def _cell_code(said: str) -> str:
    shown = clip_text(single_line(said), MAX_CELL)
    return _cell_text(said) if set(shown) & set("`|\\") else f"`{shown}`" if shown else EMPTY_CELL


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"## {title}", "", *rows] if rows else []
