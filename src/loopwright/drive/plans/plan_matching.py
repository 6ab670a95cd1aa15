"""Which tasks of an edited plan are tasks of the plan before it, whatever their ids are now.

The ids of a checklist are places in it: a new first item makes the item 01 the item 02. So the
work of a task, all that it says except its id and its place, decides before its id does.
"""

from __future__ import annotations

from ...core.plan.plan import Plan, Task

# What a person calls the fields of a task.
FIELD_WORDS = {"done_when": "done", "runs_alone": "alone", "depends": "order"}


def match_tasks(old: tuple[Task, ...], new: tuple[Task, ...]) -> dict[str, str]:
    """The new id of each old task whose work is in the new plan."""
    new_by_id = {task.id: task for task in new}
    pairs = {
        task.id: task.id
        for task in old
        if task.id in new_by_id and _work(new_by_id[task.id]) == _work(task)
    }
    places: dict[Task, list[str]] = {}
    for task in new:
        if task.id not in pairs:
            places.setdefault(_work(task), []).append(task.id)
    for task in old:
        if task.id not in pairs and places.get(_work(task)):
            pairs[task.id] = places[_work(task)].pop(0)
    return pairs


def _work(task: Task) -> Task:
    return task.but(id="", wave=0, depends=())


def skipped_ids(plan: Plan, pairs: dict[str, str]) -> frozenset[str]:
    """The ids in the new plan of the tasks that a person took out of it."""
    taken = set(pairs.values())
    return frozenset(
        pairs.get(name, name) for name in plan.skipped if name in pairs or name not in taken
    )


def without_tasks(tasks: tuple[Task, ...], names: frozenset[str]) -> tuple[Task, ...]:
    """The plan without these tasks. What waited for one waits for what that one waited for."""
    gone = {task.id: task for task in tasks if task.id in names}

    def still_there(depends: tuple[str, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        to_visit, seen = list(reversed(depends)), set()
        while to_visit:
            name = to_visit.pop()
            if name in gone and name not in seen:
                seen.add(name)
                to_visit += reversed(gone[name].depends)
            elif name not in gone:
                found[name] = None
        return tuple(found)

    return tuple(
        task.but(depends=still_there(task.depends)) for task in tasks if task.id not in gone
    )


def plan_difference(old: Plan, new: Plan) -> list[str]:
    """What the edited file changes, one line for each task and each must-have."""
    pairs = match_tasks(old.tasks, new.tasks)
    before, after = ({task.id: task for task in plan.tasks} for plan in (old, new))
    came_from = {now: then for then, now in pairs.items()}
    rows = [
        f"+ {name} {after[name].title}"
        for name in after
        if name not in came_from and (name not in before or name in pairs)
    ]
    rows += [
        f"- {name} {before[name].title}"
        for name in before
        if name not in pairs and (name not in after or name in came_from)
    ]
    for name in after:
        was_done = name in old.done and name not in new.done
        rows += _changed_rows(came_from.get(name, name), before, after[name], was_done, pairs)
    if old.must_haves != new.must_haves:
        rows.append("~ must-haves")
    if old.links != new.links:
        rows.append("~ key links")
    return rows


def _changed_rows(
    before_id: str, before: dict[str, Task], task: Task, was_done: bool, pairs: dict[str, str]
) -> list[str]:
    name = task.id
    if before_id != name:
        return [f"→ {name} {task.title} (was {before_id})"]
    if name not in before or pairs.get(name, name) != name:
        return []
    fields = [f for f in Task.FIELDS if getattr(before[name], f) != getattr(task, f)]
    if not fields:
        return []
    words = ", ".join(FIELD_WORDS.get(field, field) for field in fields)
    again = "; done, and to do once more" if was_done and name not in pairs else ""
    return [f"~ {name} {task.title} ({words}{again})"]
