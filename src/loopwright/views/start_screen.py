"""The start screen: how the spec scored and why, what must become true and what holds now, and the one question."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.discovery.backlog import Backlog
from ..core.loop import Loop
from ..core.plan.plan import Plan
from ..core.prompts.announcements import STATE_FILE_QUESTION
from ..core.prompts.discovery import BACKLOG_PAGE
from ..core.prompts.messages import start_line
from ..core.workflow import ADVERSARIAL
from . import plan_waves


def text(loop: Loop, cap: int = 0, detected: tuple[str, ...] = ()) -> str:
    """`cap` is how many answers without a tool call the client lets us hold; 0 is any number, or none of our business.

    `detected` are the repository's own commands, for a loop that has no guard yet.
    """
    if loop.backlog:
        return "\n".join(
            [*discovery_rows(loop, loop.backlog, detected), *block_cap_rows(loop, cap)]
        )
    if loop.plan:
        return "\n".join([*plan_rows(loop, loop.plan), *block_cap_rows(loop, cap)])
    lines = [start_line(loop), "", "Spec scoring:"]
    lines += [f"- {p.dimension}: {p.points} ({p.reason})" for p in loop.shape.points]
    lines += [
        f"Total: {loop.shape.score}/10 → {loop.shape.name.capitalize()}-shaped",
        "",
        "Criteria:",
    ]
    lines += [f"- {_criterion_line(c, loop)}" for c in loop.criteria]
    lines += [*must_not_rows(loop), *final_check_rows(loop)]
    unsure = "" if loop.workflow.sure else " (a guess: no word of the spec says which)"
    lines += [
        "",
        f"Steps (workflow {loop.workflow.letter}{unsure}):",
        f"0. {loop.workflow.step_zero}",
    ]
    lines += [f"{n}. {step.name}" for n, step in enumerate(loop.steps, 1)]
    lines += ["", *start_notes(loop), *block_cap_rows(loop, cap)]
    return "\n".join(lines)


def discovery_rows(loop: Loop, b: Backlog, detected: tuple[str, ...]) -> list[str]:
    """A discovery loop: what it works on, with which preset, how far, and how to end it."""
    # A client shows the first lines of what its agent ran, and folds the rest: they hold what a person must know.
    lines = [f"{start_line(loop)} | End it: `loop cancel`", f"Scope: {loop.spec}"]
    lines.append(f"Preset: {b.preset}, {len(b.suggestions)} suggestions, one a turn")
    if b.context:
        lines.append(f"Context: {b.context}")
    one = ", one task a cycle" if b.task_mode else ""
    lines.append(
        f"Backlog: {len(b.items)} to begin with{one}"
        if b.items
        else "Backlog: empty, so the first turn explores"
    )
    lines += [f"- {text}" for text in b.items]
    if loop.criteria:
        lines += [
            "Guards, run after every change:",
            *(f"- {_criterion_line(c, loop)}" for c in loop.criteria),
        ]
    else:
        own = f' This repository has one: --check "stays green={detected[0]}"' if detected else ""
        lines.append(f"No guard: nothing tells when the work breaks something.{own}")
    return [
        *lines,
        *must_not_rows(loop),
        *final_check_rows(loop),
        "",
        bounds_line(loop),
        f"State: {BACKLOG_PAGE}, yours to read and to edit at any time.",
    ]


def plan_rows(loop: Loop, plan: Plan) -> list[str]:
    """A plan: its waves, the commands that would run, how it is verified, how far it may go."""
    mode = (
        "interactive: asks before a retry, a fix and the next wave"
        if loop.gates_enabled
        else "yolo: retries and fixes without asking"
    )
    lines = [
        f"{start_line(loop)} | End it: `loop cancel`",
        f"{mode}; nothing is pushed",
        "",
        plan_waves.text(plan),
        "",
    ]
    commands = [c for c in loop.criteria if c.check and not c.check.probe]
    if commands:
        lines += ["Commands that verify it:", *(f"- {_criterion_line(c, loop)}" for c in commands)]
    else:
        lines.append(
            'No command verifies it: files are looked at, nothing is run. Add one: --check "tests pass=COMMAND"'
        )
    if bare := [c.name for c in loop.criteria if not c.check]:
        lines += [
            "No command shows these: the agent examines them, a person confirms; else it ends as reported:"
        ]
        lines += [f"- {name}" for name in bare]
    return [*lines, *must_not_rows(loop), *final_check_rows(loop), "", bounds_line(loop)]


def must_not_rows(loop: Loop) -> list[str]:
    return ["Must not:", *(f"- {c.name}" for c in loop.must_not)] if loop.must_not else []


def bounds_line(loop: Loop) -> str:
    limit = loop.limits
    return f"Bounds: {limit.iterations} iterations, ${limit.dollars:g}, {limit.minutes:g} minutes; whichever comes first pauses it."


def _criterion_line(c: Criterion, loop: Loop) -> str:
    if not c.check:
        return f"{c.name} (no check: it can only be reported)"
    if not c.check.allowed:
        word = "yes" if c.check.origin == "proposed" and loop.gate else "`loop allow`"
        return f"{c.name} ← {c.check.command_line} (waits for your {word})"
    now = _current_result(c, loop)
    found = ", found in the repository" if c.check.origin == "detected" else ""
    return f"{c.name} ← {c.check.command_line} ({now}{found})"


def _current_result(c: Criterion, loop: Loop) -> str:
    """Red first: what fails now can prove the work, what passes can only guard it (and in a discovery loop all do no more)."""
    if not c.proof:
        return "not run yet"
    if c.check and c.check.frozen and c.proof.passed:
        return f"{len(c.check.frozen)} tests failing now, and no others may: a guard"
    if c.proof.passed:
        return "passing now" if loop.backlog else "passing now: a guard, no proof"
    return f"failing now ({c.proof.outcome} {c.proof.code})"


def final_check_rows(loop: Loop) -> list[str]:
    rows = [
        f"- {c.name} ← {c.check.command_line if c.check and c.check.origin == 'review' else 'held out'}"
        for c in loop.final_checks
    ]
    return ["At the end only:", *rows] if rows else []


def all_green(loop: Loop) -> bool:
    """Every criterion has a check, and all of them pass before the work begins."""
    return bool(loop.criteria and not loop.backlog and all(c.guard for c in loop.criteria))


def block_cap_rows(loop: Loop, cap: int) -> list[str]:
    if not 0 < cap < loop.limits.iterations:
        return []
    return [
        f"Claude Code lets go after {cap} answers in a row without a tool call; the loop then pauses. "
        "More of them: `loop install --block-cap` writes CLAUDE_CODE_STOP_HOOK_BLOCK_CAP to the local settings."
    ]


def start_notes(loop: Loop) -> list[str]:
    """What the person should know before saying yes."""
    said = [bounds_line(loop)]
    checks = [
        c for c in loop.criteria if c.check and (c.check.allowed or c.check.origin == "proposed")
    ]
    if not checks:
        said.append(
            "No criterion has a check that may run: this loop can end as reported, never as proven."
        )
    elif all_green(loop):
        said.append(
            "Every check passes already: they guard the work but cannot prove it, so it would end as reported. "
            "Add one that fails now."
        )
    if loop.baseline.protected_paths:
        said.append(f"May not change at all: {', '.join(loop.baseline.protected_paths)}")
    if not loop.baseline.tree_id:
        said.append(
            "The tree of this start could not be kept: nobody can look back to it for tests that were weakened."
        )
    if loop.reversibility == "2B":
        said.append(
            "Type 2B (minutes to take back): every turn that changes files is kept. Back to one: `loop rewind N`"
        )
    if loop.reversibility == "1":
        said += [
            "Type 1 (hours to take back). Before you say yes, attack the spec:",
            *(f"- {attack}" for attack in ADVERSARIAL),
        ]
    disclosed = (
        STATE_FILE_QUESTION.replace("[Y/n]", "(answer `y delete` for yes)")
        if loop.gate
        else STATE_FILE_QUESTION.partition(" Delete")[0]
    )
    return [*said, disclosed]
