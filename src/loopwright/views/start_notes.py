"""What a person should know before saying yes: limits, work and check, what can be shown."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.prompts import clean_checkout as room
from ..core.prompts.announcements import STATE_FILE_QUESTION
from ..core.prompts.phrases import count_phrase
from ..core.prompts.questions import outside_words
from ..core.proof.grades import REFACTOR_WORKFLOW
from ..core.start.workflow import ADVERSARIAL
from .rows import prefix_rows

MAX_NAMED = 5  # files on one line


def start_notes(loop: Loop) -> list[str]:
    """What the person should know before saying yes."""
    baseline = loop.baseline
    notes = [*work_notes(loop), *_proof_notes(loop)]
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


def bounds_line(loop: Loop) -> str:
    limit = loop.limits
    return (
        f"Limits: {count_phrase(limit.iterations, 'iteration')}, ${limit.dollars:g}, "
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
    tried = [f'"{c.name}"' for c in loop.criteria if _ran_outside_once(c)]
    once = f" {', '.join(tried)} failed in it, so it ran once outside too." if tried else ""
    return f"\nChecks run in a sandbox ({loop.check_box.backend}){network}{exceptions}.{once}"


def _ran_outside_once(c: Criterion) -> bool:
    """Did the check fail in its sandbox at the start? Then it ran outside, to learn why."""
    if not c.check or c.check.box or c.check.probe or not c.proof:
        return False
    return c.proof.by == "loop" and (not c.proof.passed or bool(c.proof.failing))


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
    """Why this loop cannot end as proven, if so. Before the checks have run, nobody knows."""
    if any(not c.proof for c in loop.unrequired_checks):
        return []
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
    if all_green(loop) and loop.workflow.letter == REFACTOR_WORKFLOW:
        return ["Every check passes already. A refactoring is proven if they pass at the end too."]
    if all_green(loop):
        return [
            "Every check passes already: they guard the work. At the end the new tests are tried "
            "without it: if one fails there and passes with it, the end is tested. "
            "For proven, add a check that fails now."
        ]
    return []


def all_green(loop: Loop) -> bool:
    """Every criterion of its own has a check, and all of them pass before the work begins."""
    checked = [c for c in loop.criteria if not c.stands_for_spec]
    return bool(checked and not loop.backlog and all(c.guard for c in checked))


def _reversibility_notes(loop: Loop) -> list[str]:
    if loop.reversibility == "2B":
        return [
            "It takes minutes to undo, so every turn that changes files is kept. "
            "Back to one: `loop rewind N`"
        ]
    if loop.reversibility == "1":
        return [
            "It takes hours to undo. Before you say yes, attack the spec:",
            *prefix_rows("- ", ADVERSARIAL),
        ]
    return []
