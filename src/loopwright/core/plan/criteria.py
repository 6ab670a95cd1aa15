"""The criteria of a plan: checks of its tasks, project commands, artifacts, links, must-haves."""

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
    """Everything that must hold in the end. Of two criteria with one name, the first counts.

    A command in the plan comes from a file, so it waits for the person's permission.
    """
    criteria = (
        *_task_criteria(plan, timeout),
        *_command_criteria(commands),
        *_artifact_criteria(plan),
        *_link_criteria(plan),
        *_must_have_criteria(plan, timeout),
    )
    by_name: dict[str, Criterion] = {}
    for criterion in criteria:  # a must-have called "test" does not replace the test
        by_name.setdefault(criterion.name, criterion)
    return tuple(by_name.values())


def _task_criteria(plan: Plan, timeout: int) -> list[Criterion]:
    return [
        Criterion(name, task_check(check, timeout))
        for task in plan.tasks
        for name, check in zip(criterion_names(task), task.checks, strict=True)
    ]


def _command_criteria(commands: dict[str, Check]) -> list[Criterion]:
    names = [name for name in (*PROJECT_COMMANDS, E2E) if name in commands]
    return [Criterion(name, commands[name]) for name in names]


def _artifact_criteria(plan: Plan) -> list[Criterion]:
    """Each planned file must be there. A new file that no link names must also be wired."""
    linked = {end for link in plan.links for end in (link.source, link.target)}
    criteria = []
    for file in plan_artifacts(plan):
        must_be_wired = file.action == CREATE and file.path not in linked
        check = probe_check("artifact", file.path, file.action, "wired" if must_be_wired else "")
        criteria.append(Criterion(f"artifact {file.path}", check))
    return criteria


def _link_criteria(plan: Plan) -> list[Criterion]:
    return [
        Criterion(
            f"link {link.source} → {link.target}",
            probe_check("link", link.source, link.target, link.how),
        )
        for link in plan.links
    ]


def _must_have_criteria(plan: Plan, timeout: int) -> list[Criterion]:
    criteria = []
    for must in plan.must_haves:
        check = command_check(must.command, timeout) if must.command else None
        criteria.append(Criterion(must.text, check))
    return criteria


def plan_artifacts(plan: Plan) -> tuple[PlannedFile, ...]:
    """The files that the tasks leave. If several tasks name a path, the last one counts."""
    return tuple({file.path: file for task in plan.tasks for file in task.files}.values())


def task_check(check: TaskCheck, timeout: int = 300) -> Check | None:
    """The check of a task; None: an agent must claim it with evidence, or a person confirm it."""
    if check.command:
        return command_check(check.command, timeout)
    if check.kind == FILE and check.path:
        return probe_check("file", check.path)
    if check.kind == CONTENT and check.path and check.wanted:
        return probe_check("content", check.path, *check.wanted)
    return None


def probe_check(*words: str) -> Check:
    """A check that runs no program, so it needs no permission."""
    return Check(words, origin="plan", probe=True)


def command_check(command: str, timeout: int) -> Check:
    return Check(command, timeout, origin="plan", allowed=False)
