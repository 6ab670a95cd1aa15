"""The schedule of a plan: what may begin now, what cannot any more, and the longest chain of tasks."""

from __future__ import annotations

from .plan import Plan, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def ready_tasks(plan: Plan) -> tuple[Task, ...]:
    """The tasks that may begin now and side by side, best first: the longest way to the end, then the plan's order.

    Two that share a file never run together, neither with one that works already nor with a better one of this answer.
    As long as another works, one that wants to be alone waits. A caller with few lanes takes the first ones.
    """
    done, working = {*plan.done}, {task.id for task in plan.tasks} & {*plan.running_tasks}
    if any(task.runs_alone for task in plan.tasks if task.id in working):
        return ()
    free = [
        task
        for task in _current_tasks(plan)
        if task.id not in working and done.issuperset(task.depends)
    ]
    far = _distances_to_end([task for task in plan.tasks if task.id not in done])
    free.sort(key=lambda task: -far.get(task.id, 0))  # stable: the plan's order among equals
    taken = {path for task in plan.tasks if task.id in working for path in task.paths}
    chosen: list[Task] = []
    for task in free:
        if task.runs_alone and not (chosen or working):
            return (task,)
        if not task.runs_alone and taken.isdisjoint(task.paths):
            chosen.append(task)
            taken |= task.paths
    return tuple(chosen)


def _current_tasks(plan: Plan) -> list[Task]:
    """The open tasks; unless the plan is eager only those of the first wave that has one. What waits in vain is not open."""
    closed = {*plan.done, *plan.parked, *blocked_tasks(plan)}
    still = [task for task in plan.tasks if task.id not in closed]
    first = min((task.wave for task in still), default=0)
    return [task for task in still if plan.eager or task.wave == first]


def blocked_tasks(plan: Plan) -> tuple[str, ...]:
    """The tasks that wait, directly or not, for a parked one."""
    if not plan.parked:
        return ()
    closed, above = {*plan.done, *plan.parked}, _dependants(plan.tasks)
    waiting, reached = [name for name in plan.parked if name in above], set[str]()
    while waiting:
        new = {task.id for task in above[waiting.pop()]} - closed - reached
        reached |= new
        waiting += new
    return tuple(task.id for task in plan.tasks if task.id in reached)


def tasks_by_wave(plan: Plan) -> tuple[tuple[int, tuple[Task, ...]], ...]:
    """The waves in their order, each with its tasks in the plan's."""
    found: dict[int, list[Task]] = {}
    for task in plan.tasks:
        found.setdefault(task.wave, []).append(task)
    return tuple((wave, tuple(found[wave])) for wave in sorted(found))


def critical_path(plan: Plan) -> tuple[str, ...]:
    """The longest chain of tasks, each depending on the one before it; of several the first in the plan's order.

    Dependencies alone count. That a wave waits for the waves before it lengthens the work, but no task needs it.
    """
    far, above = _distances_to_end(plan.tasks), _dependants(plan.tasks)
    chain: list[str] = []
    following: Iterable[Task] = plan.tasks
    while tasks := [task for task in following if task.id in far]:
        chain.append(max(tasks, key=lambda task: far[task.id]).id)
        following = [task for task in above[chain[-1]] if far.get(task.id) == far[chain[-1]] - 1]
    return tuple(chain)


def parallel_batches(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """What would run side by side from the beginning if every task took as long as any other and none failed."""
    plan, found = plan.but(done=(), parked=(), lanes=()), []
    while tasks := ready_tasks(plan):
        found.append(tuple(task.id for task in tasks))
        plan = plan.but(done=plan.done + found[-1])
    return tuple(found)


def assign_waves(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks in waves: each in the first one after all that it depends on."""
    tasks = tuple(tasks)
    waves = {task.id: 1 for task in tasks}
    for task in _topological_order(tasks)[0]:
        waves[task.id] = 1 + max((waves.get(name, 0) for name in task.depends), default=0)
    return tuple(task.but(wave=waves[task.id]) for task in tasks)


def all_dependencies(tasks: tuple[Task, ...]) -> dict[str, frozenset[str]]:
    """All that each task waits for, directly or not."""
    found = {task.id: frozenset(task.depends) for task in tasks}
    for task in _topological_order(tasks)[0]:
        found[task.id] = found[task.id].union(*(found.get(name, ()) for name in task.depends))
    return found


def dependency_cycle(plan: Plan) -> tuple[str, ...]:
    """Tasks that wait for each other, the first one again at the end; empty where there are none."""
    sound = {task.id for task in _topological_order(plan.tasks)[0]}
    tied = {task.id: task for task in plan.tasks if task.id not in sound}
    trail: dict[str, int] = {}
    name = next(iter(tied), "")
    while name and name not in trail:  # whatever is tied up waits for something that is
        trail[name] = len(trail)
        name = next(other for other in tied[name].depends if other in tied)
    return (*list(trail)[trail[name] :], name) if name else ()


def _distances_to_end(tasks: Iterable[Task]) -> dict[str, int]:
    """How long the longest chain from each task to an end is, itself counted; without those that a cycle ties up."""
    order, above = _topological_order(tasks)
    far: dict[str, int] = {}
    for task in reversed(order):
        far[task.id] = 1 + max((far.get(later.id, 0) for later in above[task.id]), default=0)
    return far


def _topological_order(tasks: Iterable[Task]) -> tuple[list[Task], dict[str, list[Task]]]:
    """Each after all that it depends on, those that a cycle ties up left out; and what depends on each."""
    known = {task.id: task for task in tasks}
    above = _dependants(known.values())
    missing = {name: len(known.keys() & task.depends) for name, task in known.items()}
    order = [task for name, task in known.items() if not missing[name]]
    for task in order:  # it grows while we go
        for later in above[task.id]:
            missing[later.id] -= 1
            if not missing[later.id]:
                order.append(later)
    return order, above


def _dependants(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    known = {task.id: task for task in tasks}
    above: dict[str, list[Task]] = {name: [] for name in known}
    for task in known.values():
        for name in above.keys() & task.depends:
            above[name].append(task)
    return above
