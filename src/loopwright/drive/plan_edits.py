"""Changes of a plan after the start: the edited file, a new task, one left out, one once more."""

from __future__ import annotations

import time

from ..core.directives import Reply
from ..core.loop import Loop, plan_of
from ..core.plan.criteria import plan_criteria
from ..core.plan.plan import Plan, Task, TaskCheck
from ..core.plan.schedule import assign_waves
from ..core.prompts.phrases import clip_text
from ..core.signals import PlanEdited
from ..store import trust
from ..store.folder import LoopFolder
from .errors import UserError
from .plan_files import is_edited, take_progress_back, text_digest
from .step import step

MAX_TITLE = 72


def plan_difference(old: Plan, new: Plan) -> list[str]:
    """What the edited file changes, one line for each task and each must-have."""
    before, after = ({task.id: task for task in plan.tasks} for plan in (old, new))
    rows = [f"+ {name} {after[name].title}" for name in after if name not in before]
    gone = [name for name in before if name not in after and name not in old.skipped]
    rows += [f"- {name} {before[name].title}" for name in gone]
    for name in before.keys() & after.keys():
        fields = [f for f in Task.FIELDS if getattr(before[name], f) != getattr(after[name], f)]
        if fields:
            rows.append(f"~ {name} {after[name].title} ({', '.join(fields)})")
    if old.must_haves != new.must_haves:
        rows.append("~ must-haves")
    if old.links != new.links:
        rows.append("~ key links")
    return rows


def take_over(folder: LoopFolder, loop: Loop, new: Plan, what: str) -> Reply:
    """Replace the tasks of the plan; those that are the same keep their progress and proofs."""
    plan = plan_of(loop)
    if not is_edited(folder.root, plan):  # the same text, perhaps with other marks
        new = new.but(text_digest=text_digest(folder.root, new))
    kept = {task.id: task for task in new.tasks}
    changed = {task.id for task in plan.tasks if kept.get(task.id) != task}
    _refuse_running(plan, changed)
    own = {c.name for c in plan_criteria(plan, {})}
    others = [c for c in loop.criteria if c.name not in own]
    criteria = [
        c.but(check=c.check.but(allowed=True))
        if c.check and trust.is_allowed(folder, c.check)
        else c
        for c in plan_criteria(new, {})
    ]
    known = {c.name: c for c in loop.criteria}
    criteria = [known.get(c.name, c) if _same_check(known.get(c.name), c) else c for c in criteria]
    edited = PlanEdited(time.time(), new, (*criteria, *others), what=what)
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


def reload_plan(folder: LoopFolder, loop: Loop, new: Plan) -> Reply:
    plan = plan_of(loop)
    tasks = tuple(task for task in new.tasks if task.id not in plan.skipped)
    new = new.but(tasks=tasks, skipped=plan.skipped, done=())
    new = new.but(marks=new.marks if plan.marks else ())
    new = new.but(text_digest=text_digest(folder.root, new))
    return take_over(folder, loop, new, f"{plan.file} is read again")


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
    name = _free_name(plan)
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
    new = plan.but(tasks=(*plan.tasks, task.but(wave=wave)))
    return take_over(folder, loop, new, f"task {name} is new")


def _free_name(plan: Plan) -> str:
    taken = {*(task.id for task in plan.tasks), *plan.skipped}
    number = len(plan.tasks) + 1
    while f"{number:02}" in taken:
        number += 1
    return f"{number:02}"


def skip_task(folder: LoopFolder, loop: Loop, name: str) -> Reply:
    """Take a task out of the plan. What waits for it waits no longer."""
    plan = plan_of(loop)
    name = _task_named(plan, name)
    if name in plan.done:
        raise UserError(f"task {name} is done. To do it once more: loop plan retry {name}")
    tasks = tuple(
        task.but(depends=tuple(other for other in task.depends if other != name))
        for task in plan.tasks
        if task.id != name
    )
    if not tasks:
        raise UserError("a plan without tasks could never end. End the loop: loop cancel")
    marks = tuple(mark for mark in plan.marks if name not in mark.tasks)
    new = plan.but(tasks=tasks, marks=marks, skipped=(*plan.skipped, name))
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
