"""Changes of a plan after the start: the edited file, a new task, one left out, one once more."""

from __future__ import annotations

import os
import time

from ...core.directives import Reply
from ...core.loop import Loop, plan_of
from ...core.plan.criteria import plan_criteria
from ...core.plan.plan import Plan, ProgressMark, Task, TaskCheck
from ...core.plan.schedule import assign_waves
from ...core.prompts.phrases import clip_text
from ...core.signals import PlanEdited
from ...formats.plan_progress import BOX
from ...store import trust
from ...store.folder import LoopFolder
from ..errors import UserError
from ..step import step
from .plan_files import is_edited, take_progress_back, text_digest
from .plan_matching import match_tasks, skipped_ids, without_tasks

MAX_TITLE = 72


def take_over(
    folder: LoopFolder, loop: Loop, new: Plan, what: str, pairs: dict[str, str] | None = None
) -> Reply:
    """Replace the tasks of the plan; those that are the same keep their progress and proofs.

    `pairs` has the new id of each task whose work is the same; without it, ids stay.
    """
    plan = plan_of(loop)
    if not is_edited(folder.root, plan):  # the same text, perhaps with other marks
        new = new.but(text_digest=text_digest(folder.root, new))
    kept = {task.id: task for task in new.tasks}
    changed = {task.id for task in plan.tasks if kept.get(task.id) != task}
    _refuse_running(plan, changed)
    own = {c.name for c in plan_criteria(plan, {})}
    others = [c for c in loop.criteria if c.name not in own]
    # A task that moved has a criterion of another name, and the command that the person allowed.
    allowed = {str(c.check.command) for c in loop.criteria if c.check and c.check.allowed}
    criteria = [
        c.but(check=c.check.but(allowed=True))
        if c.check and (str(c.check.command) in allowed or trust.is_allowed(folder, c.check))
        else c
        for c in plan_criteria(new, {})
    ]
    known = {c.name: c for c in loop.criteria}
    criteria = [known.get(c.name, c) if _same_check(known.get(c.name), c) else c for c in criteria]
    edited = PlanEdited(time.time(), new, (*criteria, *others), what=what)
    if pairs is not None:
        same = set(pairs.values())
        edited = edited.but(
            moved=tuple((old, now) for old, now in pairs.items() if old != now),
            reopened=tuple(task.id for task in plan.tasks if task.id not in same),
        )
    return step(folder, edited)


def _same_check(old: object, new: object) -> bool:
    command = getattr(getattr(old, "check", None), "command", None)
    return old is not None and command == getattr(getattr(new, "check", None), "command", None)


def _refuse_running(plan: Plan, names: set[str]) -> None:
    if busy := sorted(names.intersection(plan.running_tasks)):
        raise UserError(
            f"task {', '.join(busy)} is being worked on. Pause first (loop pause), "
            "or wait until its turn is over"
        )


def edited_plan(plan: Plan, new: Plan) -> tuple[Plan, dict[str, str]]:
    """The plan of the edited file, and the new id of each task that stays the same.

    What a person left out stays out, and what a person added stays in.
    """
    pairs = match_tasks((*plan.tasks, *plan.skipped_tasks), new.tasks)
    left_out = skipped_ids(plan, pairs)
    skipped_tasks = tuple(task for task in new.tasks if task.id in left_out)
    tasks = without_tasks(new.tasks, left_out)
    taken = {task.id for task in new.tasks}
    added = []
    for task in plan.tasks:
        if task.id in plan.added and task.id not in pairs:
            name = _free_name(taken, len(taken) + 1) if task.id in taken else task.id
            taken.add(name)
            pairs[task.id] = name
            added.append(task.but(id=name))
    names = {task.id for task in (*tasks, *added)}
    for task in added:
        depends = dict.fromkeys(pairs.get(other, other) for other in task.depends)
        tasks += (task.but(depends=tuple(other for other in depends if other in names)),)
    known = {task.id for task in plan.tasks}
    pairs = {old: now for old, now in pairs.items() if old in known}
    # What the file says counts for a new task as at the start, and for one that was reworded.
    done = tuple(name for name in new.done if name in names - set(pairs.values()))
    new = new.but(
        tasks=tasks,
        skipped=tuple(task.id for task in skipped_tasks),
        skipped_tasks=skipped_tasks,
        added=tuple(task.id for task in added),
        done=done,
        marks=_marks_of_both(plan, new, pairs) if plan.marks else (),
    )
    return new, pairs


def _marks_of_both(plan: Plan, new: Plan, pairs: dict[str, str]) -> tuple[ProgressMark, ...]:
    """The marks of the edited file, and those that are set already: a reader sees only open ones.

    A value is found by the id of its task, so its mark is of use only while the id stays.
    """
    known = {(mark.file, mark.text, mark.path) for mark in new.marks}
    kept = []
    for mark in plan.marks:
        tasks = tuple(pairs[name] for name in mark.tasks if name in pairs)
        is_lost = len(tasks) < len(mark.tasks) or (mark.kind != BOX and tasks != mark.tasks)
        if not is_lost and (mark.file, mark.text, mark.path) not in known:
            kept.append(mark.but(tasks=tasks))
    return (*new.marks, *kept)


def reload_plan(folder: LoopFolder, loop: Loop, new: Plan) -> Reply:
    """Take the edited file over."""
    plan = plan_of(loop)
    new, pairs = edited_plan(plan, new)
    if not new.tasks:
        raise UserError("a plan without tasks could never end. End the loop: loop cancel")
    _refuse_open_worktrees(plan, pairs)
    new = new.but(text_digest=text_digest(folder.root, new))
    return take_over(folder, loop, new, f"{plan.file} is read again", pairs)


def _refuse_open_worktrees(plan: Plan, pairs: dict[str, str]) -> None:
    """A worktree is named for its task, so a task whose work is in one keeps its id."""
    for worktree in plan.worktrees:
        name = worktree.task
        if pairs.get(name, name) != name and name not in plan.done and os.path.isdir(worktree.path):
            raise UserError(
                f"task {name} would become {pairs[name]}, and its work is in {worktree.path}. "
                f"Put new tasks below it in {plan.file}, or leave it out first: "
                f"loop plan skip {name}"
            )


def add_task(
    folder: LoopFolder,
    loop: Loop,
    title: str,
    command: str = "",
    after: tuple[str, ...] = (),
) -> Reply:
    """Add a task at the end of the plan; it begins after the tasks that it names."""
    plan = plan_of(loop)
    after = tuple(_task_named(plan, name) for name in after)
    taken = {*(task.id for task in plan.tasks), *plan.skipped}
    name = _free_name(taken, len(plan.tasks) + 1)
    checks = (TaskCheck("test", command, command),) if command else ()
    task = Task(
        id=name,
        title=clip_text(" ".join(title.split()), MAX_TITLE),
        depends=after,
        action=title,
        done_when=title,
        checks=checks,
    )
    waves = {task.id: task.wave for task in assign_waves((*plan.tasks, task))}
    wave = max(waves[name], max((t.wave for t in plan.tasks if t.id not in plan.done), default=1))
    new = plan.but(tasks=(*plan.tasks, task.but(wave=wave)), added=(*plan.added, name))
    return take_over(folder, loop, new, f"task {name} is new")


def _free_name(taken: set[str], number: int) -> str:
    while f"{number:02}" in taken:
        number += 1
    return f"{number:02}"


def skip_task(folder: LoopFolder, loop: Loop, name: str) -> Reply:
    """Take a task out of the plan. What waits for it waits for what it waited for."""
    plan = plan_of(loop)
    name = _task_named(plan, name)
    if name in plan.done:
        raise UserError(f"task {name} is done. To do it once more: loop plan retry {name}")
    tasks = without_tasks(plan.tasks, frozenset((name,)))
    if not tasks:
        raise UserError("a plan without tasks could never end. End the loop: loop cancel")
    marks = tuple(mark for mark in plan.marks if name not in mark.tasks)
    new = plan.but(
        tasks=tasks,
        marks=marks,
        skipped=(*plan.skipped, name),
        skipped_tasks=(*plan.skipped_tasks, plan.task(name)),
        added=tuple(other for other in plan.added if other != name),
    )
    return take_over(folder, loop, new, f"task {name} is left out")


def retry_task(folder: LoopFolder, loop: Loop, name: str) -> Reply:
    """Do a task once more, with all its retries; one that is done is no longer ticked."""
    plan = plan_of(loop)
    name = _task_named(plan, name)
    if name in plan.running_tasks:
        raise UserError(f"task {name} is being worked on already. Look: loop status")
    reply = step(folder, PlanEdited(time.time(), retry=(name,), what=f"task {name} once more"))
    take_progress_back(folder.root, plan, name)
    return reply


def _task_named(plan: Plan, name: str) -> str:
    """The id of the task that is meant: 2 is 02, and t001 is T001, where only one can be."""
    ids = [task.id for task in plan.tasks]
    alike = [one for one in ids if one.lower().lstrip("0") == name.lower().lstrip("0")]
    if name in ids or len(alike) == 1:
        return name if name in ids else alike[0]
    names = clip_text(", ".join(ids), 200)
    raise UserError(f"no task {name!r} in the plan; there are: {names}")
