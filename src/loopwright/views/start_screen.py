"""The start screen: the score of the spec, the criteria with their current results, the limits."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.criteria import LISTED_AT_START, Check, Criterion
from ..core.discovery.backlog import Backlog
from ..core.loop import Loop
from ..core.plan.plan import Plan
from ..core.prompts import clean_checkout as room
from ..core.prompts import demands
from ..core.prompts.announcements import STATE_FILE_QUESTION
from ..core.prompts.discovery import BACKLOG_PAGE
from ..core.prompts.messages import start_line
from ..core.prompts.phrases import count_phrase
from ..core.prompts.questions import outside_words
from ..core.start.check_result import check_result, is_unable
from ..core.start.workflow import ADVERSARIAL
from . import plan_waves
from .rows import prefix_rows

MAX_NAMED = 5  # files on one line


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
        "Spec scoring:",
        *(f"- {point.dimension}: {point.points} ({point.reason})" for point in shape.points),
        f"Total: {shape.score}/10 → {shape.name.capitalize()}-shaped",
        "",
        "Criteria:",
        *_criterion_rows(loop.criteria, loop),
        *unrequired_rows(loop),
        *offered_rows(loop),
        *must_not_rows(loop),
        *final_check_rows(loop),
        *demand_rows(loop),
        "",
        f"Steps (workflow {workflow.letter}{guess}):",
        *([f"0. {workflow.step_zero}"] if workflow.step_zero else ()),
        *(f"{number}. {step.name}" for number, step in enumerate(loop.steps, 1)),
        "",
        *start_notes(loop),
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
    failing = [_failing_row(c) for c in loop.unrequired_checks if not is_unable(c)]
    unable = [row for c in loop.unrequired_checks if is_unable(c) for row in _unable_rows(c)]
    return [
        *(["Failing already, not required:", *failing] if failing else ()),
        *(["Cannot run here, not required:", *unable] if unable else ()),
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


def bounds_line(loop: Loop) -> str:
    limit = loop.limits
    return (
        f"Bounds: {count_phrase(limit.iterations, 'iteration')}, ${limit.dollars:g}, "
        f"{limit.minutes:g} minutes; "
        f"whichever comes first pauses it.{sandbox_line(loop)}"
    )


def sandbox_line(loop: Loop) -> str:
    """The sandbox of the checks, and which of them need more; on a line of its own."""
    if not loop.check_box.backend:
        return ""
    checks = [(c.name, c.check) for c in (*loop.criteria, *loop.must_not) if c.check]
    more = [f"{name}{outside_words(check)}" for name, check in checks if check.box]
    exceptions = f", except: {', '.join(more)}" if more else ""
    # A command of the person, or a container that runs already, has the network that it has.
    is_closed = loop.check_box.backend not in ("command", "devcontainer")
    network = " without network" if is_closed else ""
    tried = [c.name for c in loop.criteria if _ran_outside_once(c)]
    once = f" Failed inside, so run once outside too: {', '.join(tried)}." if tried else ""
    return f"\nChecks run in a sandbox ({loop.check_box.backend}){network}{exceptions}.{once}"


def _ran_outside_once(c: Criterion) -> bool:
    """Did the check fail in its sandbox at the start? Then it ran outside, to learn why."""
    if not c.check or c.check.box or c.check.probe or not c.proof:
        return False
    return c.proof.by == "loop" and (not c.proof.passed or bool(c.proof.failing))


def _criterion_rows(criteria: Iterable[Criterion], loop: Loop) -> list[str]:
    rows = []
    for c in criteria:
        rows += [f"- {_criterion_line(c, loop)}", *_fix_rows(c)]
    return rows


def _criterion_line(c: Criterion, loop: Loop) -> str:
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
    """Only the reviewer's command is shown; a held-out check stays hidden from the agent."""
    if c.check and c.check.origin == "review":
        return c.check.command_line
    return "held out"


def all_green(loop: Loop) -> bool:
    """Every criterion of its own has a check, and all of them pass before the work begins."""
    checked = [c for c in loop.criteria if not c.stands_for_spec]
    return bool(checked and not loop.backlog and all(c.guard for c in checked))


def block_cap_rows(loop: Loop, cap: int) -> list[str]:
    if not 0 < cap < loop.limits.iterations:
        return []
    return [
        f"Claude Code lets go after {cap} answers in a row without a tool call; "
        "the loop then pauses. To allow more, set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP in the settings "
        "of Claude Code, or in a terminal: loop install --block-cap"
    ]


def start_notes(loop: Loop) -> list[str]:
    """What the person should know before saying yes."""
    baseline = loop.baseline
    notes = [bounds_line(loop), *work_notes(loop), *_proof_notes(loop)]
    if baseline.changed_tests:
        notes.append(
            "Tests or their settings with changes that are not committed; the loop takes them as "
            f"they are: {', '.join(baseline.changed_tests)}"
        )
    if baseline.protected_paths:
        notes.append(f"May not change at all: {', '.join(baseline.protected_paths)}")
    if baseline.start_tree and not baseline.tree_id:
        notes.append(
            "The tree of this start could not be kept: "
            "Loopwright cannot tell whether tests were weakened since then."
        )
    if note := room.start_note(loop):
        notes.append(note)
    notes += _reversibility_notes(loop)
    if loop.gate:
        notes.append(STATE_FILE_QUESTION.replace("[Y/n]", "(answer `y delete` for yes)"))
    else:
        notes.append(STATE_FILE_QUESTION.partition(" Delete")[0])
    return notes


def work_notes(loop: Loop) -> list[str]:
    """What counts as the work, and what as the check."""
    room = loop.room
    work = ", ".join(("the product", *name_some(room.work_files), *name_some(room.may_change)))
    checks = ", ".join(("the tests, their data and settings", *name_some(room.deciding_files)))
    return [
        f"The work: {work}.",
        f"The check: {checks}. To make one of these the work: --may-change PATH",
    ]


def name_some(paths: tuple[str, ...]) -> list[str]:
    """The first paths, and how many more there are."""
    more = [f"{len(paths) - MAX_NAMED} more"] if len(paths) > MAX_NAMED else []
    return [*paths[:MAX_NAMED], *more]


def _proof_notes(loop: Loop) -> list[str]:
    """Why this loop cannot end as proven, if so."""
    checks = [c.check for c in loop.criteria if c.check]
    if not any(check.allowed or not loop.settings.unproven for check in checks):
        return [
            "No criterion has a check that may run: this loop can end as reported, never as proven."
        ]
    if without_check := [c.name for c in loop.criteria if not c.check and not c.stands_for_spec]:
        return [
            f"No command shows: {', '.join(without_check)}. "
            "So this loop can end as accepted by you or as reported, not as proven."
        ]
    if all_green(loop):
        return [
            "Every check passes already: they guard the work. At the end the new tests are tried "
            "without it: if one fails there and passes with it, the end is tested. "
            "For proven, add a check that fails now."
        ]
    return []


def _reversibility_notes(loop: Loop) -> list[str]:
    if loop.reversibility == "2B":
        return [
            "Type 2B (minutes to take back): every turn that changes files is kept. "
            "Back to one: `loop rewind N`"
        ]
    if loop.reversibility == "1":
        return [
            "Type 1 (hours to take back). Before you say yes, attack the spec:",
            *prefix_rows("- ", ADVERSARIAL),
        ]
    return []
