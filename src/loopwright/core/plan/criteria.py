"""What must hold when a plan is carried out: the checks of its tasks, the project's commands, artifacts, links, must-haves."""

from __future__ import annotations

from ..criteria import Check, Criterion
from .plan import (
    CONTENT,
    CREATE,
    E2E,
    FILE,
    PROJECT_COMMANDS,
    Plan,
    PlannedFile,
    TaskCheck,
    criterion_names,
)


def plan_criteria(
    plan: Plan, commands: dict[str, Check], timeout: int = 300
) -> tuple[Criterion, ...]:
    """All that must hold in the end: the checks of the tasks, the project's commands, artifacts, links, must-haves.

    A command that stands in the plan came with a file: it waits for the person's yes.
    """
    found = [
        Criterion(name, task_check(c, timeout))
        for t in plan.tasks
        for name, c in zip(criterion_names(t), t.checks, strict=True)
    ]
    found += [
        Criterion(name, commands[name]) for name in (*PROJECT_COMMANDS, E2E) if name in commands
    ]
    linked = {end for link in plan.links for end in (link.source, link.target)}
    for file in plan_artifacts(plan):
        wired = "" if file.action != CREATE or file.path in linked else "wired"
        found.append(
            Criterion(
                f"artifact {file.path}", probe_check("artifact", file.path, file.action, wired)
            )
        )
    found += [
        Criterion(f"link {k.source} → {k.target}", probe_check("link", k.source, k.target, k.how))
        for k in plan.links
    ]
    found += [
        Criterion(must.text, proposed_check(must.command, timeout) if must.command else None)
        for must in plan.must_haves
    ]
    first: dict[str, Criterion] = {}
    for criterion in found:
        first.setdefault(
            criterion.name, criterion
        )  # a must-have called "test" does not replace the test
    return tuple(first.values())


def plan_artifacts(plan: Plan) -> tuple[PlannedFile, ...]:
    """What the tasks leave behind; the last word on a path stands."""
    return tuple({file.path: file for task in plan.tasks for file in task.files}.values())


def task_check(check: TaskCheck, timeout: int = 300) -> Check | None:
    """None where no machine can tell: an agent claims it with evidence, or a person confirms it."""
    if check.command:
        return proposed_check(check.command, timeout)
    if check.kind == FILE and check.path:
        return probe_check("file", check.path)
    if check.kind == CONTENT and check.path and check.wanted:
        return probe_check("content", check.path, *check.wanted)
    return None


def probe_check(*words: str) -> Check:
    """A check that runs no program: we look ourselves, so nobody need allow it."""
    return Check(words, origin="plan", probe=True)


def proposed_check(command: str, timeout: int) -> Check:
    return Check(command, timeout, origin="proposed", allowed=False)
