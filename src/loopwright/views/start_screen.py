"""The start screen: the score of the spec, the criteria with their current results, the limits."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.criteria import LISTED_AT_START, Check, Criterion
from ..core.discovery.backlog import Backlog
from ..core.loop import Loop
from ..core.plan.plan import Plan
from ..core.prompts import demands
from ..core.prompts.discovery import BACKLOG_PAGE
from ..core.prompts.messages import start_line
from ..core.proof.grades import REFACTOR_WORKFLOW, is_done_when_red_passes
from ..core.start.check_result import check_result, is_unable
from . import plan_waves
from .rows import prefix_rows
from .start_notes import bounds_line, start_notes

WORKFLOW_WORDS = {"A": "build", "B": "find and fix the cause", "C": "restructure"}


def text(loop: Loop, cap: int = 0) -> str:
    """The whole screen.

    `cap` is how many answers without a tool call the client lets us hold; 0 means no cap.
    """
    if loop.backlog:
        rows = discovery_rows(loop, loop.backlog)
    elif loop.plan:
        rows = plan_rows(loop, loop.plan)
    else:
        rows = spec_rows(loop)
    return "\n".join([*rows, *block_cap_rows(loop, cap)])


def spec_rows(loop: Loop) -> list[str]:
    """A spec loop: its score, its criteria and its steps."""
    shape, workflow = loop.shape, loop.workflow
    guess = "" if workflow.sure else " (a guess: no word of the spec says which)"
    return [
        start_line(loop),
        "",
        "Criteria:",
        *_criterion_rows(loop.criteria, loop),
        *unrequired_rows(loop),
        *offered_rows(loop),
        *must_not_rows(loop),
        *final_check_rows(loop),
        *demand_rows(loop),
        "",
        bounds_line(loop),
        "",
        f"Steps to {WORKFLOW_WORDS[workflow.letter]}{guess}:",
        *([f"0. {workflow.step_zero}"] if workflow.step_zero else ()),
        *(f"{number}. {step.name}" for number, step in enumerate(loop.steps, 1)),
        "",
        *start_notes(loop),
        "",
        "Spec scoring:",
        *(f"- {point.dimension}: {point.points} ({point.reason})" for point in shape.points),
        f"Total: {shape.score}/10 → {shape.name.capitalize()}-shaped",
    ]


def demand_rows(loop: Loop) -> list[str]:
    """The demands of the spec, so that the person sees what each end is held against."""
    if not loop.demands:
        return []
    return ["", demands.start_heading(loop.demands), *demands.start_lines(loop.demands)]


def discovery_rows(loop: Loop, backlog: Backlog) -> list[str]:
    """A discovery loop: its scope, preset, backlog, guards and limits."""
    # A client shows only the first lines of a tool's output and folds the rest.
    # What a person must know comes first.
    lines = [
        f"{start_line(loop)} | End it: `loop cancel`",
        f"Scope: {loop.spec}",
        f"Preset: {backlog.preset}, {len(backlog.suggestions)} suggestions, one a turn",
    ]
    if backlog.context:
        lines.append(f"Context: {backlog.context}")
    if backlog.items:
        task_mode = ", one task a cycle" if backlog.task_mode else ""
        lines.append(f"Backlog: {len(backlog.items)} to begin with{task_mode}")
    else:
        lines.append("Backlog: empty, so the first turn explores")
    return [
        *lines,
        *prefix_rows("- ", backlog.items),
        *_guard_rows(loop),
        *unrequired_rows(loop),
        *offered_rows(loop),
        *must_not_rows(loop),
        *final_check_rows(loop),
        "",
        bounds_line(loop),
        f"State: {BACKLOG_PAGE}, yours to read and to edit at any time.",
    ]


def _guard_rows(loop: Loop) -> list[str]:
    if loop.criteria:
        return ["Guards, run after every change:", *_criterion_rows(loop.criteria, loop)]
    return [
        'No guard: nothing tells when the work breaks something. Add one: --check "NAME=COMMAND"'
    ]


def unrequired_rows(loop: Loop) -> list[str]:
    """The repository's checks that no criterion names and that did not pass before the work."""
    measured = [c for c in loop.unrequired_checks if c.proof]
    failing = [_failing_row(c) for c in measured if not is_unable(c)]
    checks = [(c.name, c.check) for c in loop.unrequired_checks if not c.proof]
    to_run = [f"- {name} ← {check.command_line}" for name, check in checks if check]
    unable = [row for c in loop.unrequired_checks if is_unable(c) for row in _unable_rows(c)]
    return [
        *(["Failing already, not required:", *failing] if failing else ()),
        *(["Cannot run here, not required:", *unable] if unable else ()),
        # Of a start that is only shown.
        *(["Run once at the start; what passes then becomes a guard:", *to_run] if to_run else ()),
    ]


def offered_rows(loop: Loop) -> list[str]:
    """The repository's checks that do not run unless the person names them."""
    rows = [f"- {offer.name} ← {offer.command} ({offer.why})" for offer in loop.offered_checks]
    return ['Found too, not run (to use one: --check "NAME=COMMAND"):', *rows] if rows else []


def _unable_rows(c: Criterion) -> list[str]:
    command = c.check.command_line if c.check else ""
    return [f"- {c.name} ← {command} ({_result_text(c)})", *_fix_rows(c)]


def _fix_rows(c: Criterion) -> list[str]:
    """What helps a check that cannot run."""
    result = check_result(c)
    return [f"  Fix: {result.fix}"] if result and is_unable(c) else []


def _failing_row(c: Criterion) -> str:
    counts = ", ".join(f"{number:g} {name}" for name, number in c.baseline_counts)
    rule = f"must not get worse than {counts}"
    if not counts:
        rule = "it prints no counts, so Loopwright cannot see whether it gets worse"
    command = c.check.command_line if c.check else ""
    return f"- {c.name} ← {command} ({rule})"


def plan_rows(loop: Loop, plan: Plan) -> list[str]:
    """A plan loop: its waves, the commands that verify it, and its limits."""
    mode = "yolo: retries and fixes without asking"
    if loop.gates_enabled:
        mode = "interactive: asks before a retry, a fix and the next wave"
    lines = [
        f"{start_line(loop)} | End it: `loop cancel`",
        f"{mode}; nothing is pushed",
        "",
        plan_waves.text(plan),
        "",
    ]
    commands = [c for c in loop.criteria if c.check and not c.check.probe]
    if commands:
        lines += ["Commands that verify it:", *_criterion_rows(commands, loop)]
    else:
        lines.append(
            "No command verifies it: files are looked at, nothing is run. "
            'Add one: --check "tests pass=COMMAND"'
        )
    without_check = [f"- {c.name}" for c in loop.criteria if not c.check]
    if without_check:
        lines.append(
            "No command shows these: the agent examines them, a person confirms; "
            "else it ends as reported:"
        )
        lines += without_check
    return [*lines, *must_not_rows(loop), *final_check_rows(loop), "", bounds_line(loop)]


def must_not_rows(loop: Loop) -> list[str]:
    return ["Must not:", *(f"- {c.name}" for c in loop.must_not)] if loop.must_not else []


def _criterion_rows(criteria: Iterable[Criterion], loop: Loop) -> list[str]:
    rows = []
    for c in criteria:
        rows += [f"- {_criterion_line(c, loop)}", *_fix_rows(c)]
    return rows


def _criterion_line(c: Criterion, loop: Loop) -> str:
    if c.stands_for_spec and any(other.check for other in loop.criteria):
        if loop.workflow.letter == REFACTOR_WORKFLOW:
            return f"{c.name} (shown if all that passes now passes at the end)"
        if is_done_when_red_passes(loop):
            return f"{c.name} (shown if what fails now passes, and each demand has its test)"
        return f"{c.name} (shown if new tests fail without the work and pass with it)"
    if not c.check:
        return f"{c.name} (no check: it can only be reported)"
    if not c.check.allowed:
        permission = "yes" if c.check.origin in LISTED_AT_START else "`loop allow`"
        waits = "never runs here" if loop.settings.unproven else f"waits for your {permission}"
        return f"{c.name} ← {c.check.command_line} ({_origin_text(c.check, loop)}{waits})"
    origin = ", found in the repository" if c.check.origin == "detected" else ""
    return f"{c.name} ← {c.check.command_line} ({_current_result(c, loop)}{origin})"


def _origin_text(check: Check, loop: Loop) -> str:
    return f"from {loop.plan.file}, " if loop.plan and check.origin == "plan" else ""


def _current_result(c: Criterion, loop: Loop) -> str:
    """The baseline result. A check that fails now can prove the work; one that passes is a guard.

    In a discovery loop every check is a guard, so this is not said.
    """
    if not c.proof:
        return "not run yet"
    if c.check and c.check.frozen and c.proof.passed:
        return f"{len(c.check.frozen)} tests failing now, and no others may: a guard"
    if c.proof.passed:
        return "passing now" if loop.backlog else "passing now: a guard"
    return _result_text(c)


def _result_text(c: Criterion) -> str:
    """How a check did that does not pass: it fails, or it says nothing about the product."""
    result = check_result(c)
    if result and is_unable(c):
        return result.text
    return f"failing now ({c.proof.result_text})" if c.proof else "not run yet"


def final_check_rows(loop: Loop) -> list[str]:
    rows = [f"- {c.name} ← {_final_check_command(c)}" for c in loop.final_checks]
    return ["At the end only:", *rows] if rows else []


def _final_check_command(c: Criterion) -> str:
    """Only the reviewer is shown; a held-out check stays hidden from the agent."""
    if c.check and c.check.is_review:
        return c.check.command_line
    return f"held out, from the sentence: {c.quote}" if c.quote else "held out"


def block_cap_rows(loop: Loop, cap: int) -> list[str]:
    if not 0 < cap < loop.limits.iterations:
        return []
    return [
        f"Claude Code lets go after {cap} answers in a row without a tool call; "
        "the loop then pauses. To allow more, set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP in the settings "
        "of Claude Code, or in a terminal: loop install --block-cap"
    ]
