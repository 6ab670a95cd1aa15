"""The schedule of a plan: which tasks may start, which are blocked, and the longest chain."""

from __future__ import annotations

from .plan import Lane, Plan, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def ready_tasks(plan: Plan) -> tuple[Task, ...]:
    """The tasks that may start now and in parallel, best first.

    The best task has the longest work behind it: the chain of tasks that wait for it, or all tasks
    that need one of its files, by the seconds that tasks took so far. The order of the plan decides
    between equals. Two tasks that share a file never run together, and a task that runs alone waits
    for all others. A caller with few lanes takes the first ones.
    """
    running_ids = set(plan.running_tasks)
    running = [task for task in plan.tasks if task.id in running_ids]
    if any(task.runs_alone for task in running):
        return ()
    used_paths = {path for task in running for path in task.paths}
    chosen: list[Task] = []
    for task in _by_distance(plan, _unblocked_tasks(plan)):
        if task.runs_alone:
            if not chosen and not running:
                return (task,)
        elif used_paths.isdisjoint(task.paths):
            chosen.append(task)
            used_paths |= task.paths
    return tuple(chosen)


def _unblocked_tasks(plan: Plan) -> list[Task]:
    """The current tasks that do not run yet and whose dependencies are all done."""
    done = set(plan.done)
    busy = {*plan.running_tasks, *dict(plan.landings)}
    waiting = [task for task in _current_tasks(plan) if task.id not in busy]
    return [task for task in waiting if done.issuperset(task.depends)]


def _by_distance(plan: Plan, tasks: list[Task]) -> list[Task]:
    """The tasks, those with the longest work of open tasks behind them first."""
    done = set(plan.done)
    open_tasks = [task for task in plan.tasks if task.id not in done]
    seconds = expected_seconds(plan)
    distances = _distances_to_end(open_tasks, seconds)
    loads: dict[str, float] = {}
    for task in open_tasks:
        for path in task.paths:
            loads[path] = loads.get(path, 0.0) + seconds[task.id]

    def urgency(task: Task) -> tuple[float, float]:
        distance = distances.get(task.id, 0.0)
        load = max((loads[path] for path in task.paths), default=0.0)
        return -max(distance, load), -distance

    return sorted(tasks, key=urgency)  # keeps the plan's order


def expected_seconds(plan: Plan) -> dict[str, float]:
    """How long each task takes: as its last turn did, else as long as the others on average."""
    known = dict(plan.durations)
    usual = sum(known.values()) / len(known) if known else 1.0
    return {task.id: known.get(task.id, usual) or usual for task in plan.tasks}


def remaining_seconds(plan: Plan, lanes: int) -> float:
    """When the last open task ends, if none fails and so many work at the same time."""
    seconds, now = expected_seconds(plan), 0.0
    # What runs now begins again for us: nobody knows how far it is.
    plan = plan.but(lanes=(), parked=(), landings=())
    working: list[tuple[float, str]] = []
    while True:
        running = tuple(Lane(name, 0.0, "", 0.0, 0) for _, name in working)
        ready = ready_tasks(plan.but(lanes=running))[: max(0, lanes - len(working))]
        working += [(now + seconds[task.id], task.id) for task in ready]
        if not working:
            return now
        now, name = min(working)
        working.remove((now, name))
        plan = plan.but(done=(*plan.done, name))


def _current_tasks(plan: Plan) -> list[Task]:
    """The open tasks that may run as far as waves are concerned."""
    closed = {*plan.done, *plan.parked, *blocked_tasks(plan)}
    open_tasks = [task for task in plan.tasks if task.id not in closed]
    if plan.eager:
        return open_tasks
    wave = min((task.wave for task in open_tasks), default=0)
    by_dependencies = plan.by_dependencies
    return [t for t in open_tasks if t.wave == wave or (by_dependencies and t.depends)]


def blocked_tasks(plan: Plan) -> tuple[str, ...]:
    """The tasks that wait, directly or indirectly, for a parked one."""
    if not plan.parked:
        return ()
    closed = {*plan.done, *plan.parked}
    dependants = _dependants(plan.tasks)
    to_visit = [name for name in plan.parked if name in dependants]
    blocked: set[str] = set()
    while to_visit:
        new = {task.id for task in dependants[to_visit.pop()]} - closed - blocked
        blocked |= new
        to_visit += new
    return tuple(task.id for task in plan.tasks if task.id in blocked)


def tasks_by_wave(plan: Plan) -> tuple[tuple[int, tuple[Task, ...]], ...]:
    """The waves in order, each with its tasks in the order of the plan."""
    waves: dict[int, list[Task]] = {}
    for task in plan.tasks:
        waves.setdefault(task.wave, []).append(task)
    return tuple((wave, tuple(waves[wave])) for wave in sorted(waves))


def critical_path(plan: Plan) -> tuple[str, ...]:
    """The longest chain of tasks that depend on each other; of several the first in the plan.

    Only dependencies count. That a wave waits for the waves before it takes time too, but no task
    needs it.
    """
    distances, dependants = _distances_to_end(plan.tasks), _dependants(plan.tasks)
    chain: list[str] = []
    candidates = [task for task in plan.tasks if task.id in distances]
    while candidates:
        longest = max(candidates, key=lambda task: distances[task.id])
        chain.append(longest.id)
        rest = distances[longest.id] - 1.0
        candidates = [task for task in dependants[longest.id] if distances.get(task.id) == rest]
    return tuple(chain)


def parallel_batches(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The batches that would run in parallel if all tasks took equally long and none failed."""
    plan = plan.but(done=(), parked=(), lanes=())
    batches: list[tuple[str, ...]] = []
    while tasks := ready_tasks(plan):
        batch = tuple(task.id for task in tasks)
        batches.append(batch)
        plan = plan.but(done=plan.done + batch)
    return tuple(batches)


def assign_waves(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks in waves: each in the first wave after all its dependencies."""
    tasks = tuple(tasks)
    waves = {task.id: 1 for task in tasks}
    for task in _topological_order(tasks)[0]:
        waves[task.id] = 1 + max((waves.get(name, 0) for name in task.depends), default=0)
    return tuple(task.but(wave=waves[task.id]) for task in tasks)


def all_dependencies(tasks: tuple[Task, ...]) -> dict[str, frozenset[str]]:
    """The tasks that each task waits for, directly or indirectly."""
    dependencies = {task.id: frozenset(task.depends) for task in tasks}
    for task in _topological_order(tasks)[0]:
        indirect = (dependencies.get(name, frozenset()) for name in task.depends)
        dependencies[task.id] = dependencies[task.id].union(*indirect)
    return dependencies


def dependency_cycle(plan: Plan) -> tuple[str, ...]:
    """Tasks that wait for each other, with the first one repeated at the end; empty: none."""
    ordered = {task.id for task in _topological_order(plan.tasks)[0]}
    stuck = {task.id: task for task in plan.tasks if task.id not in ordered}
    trail: dict[str, int] = {}
    name = next(iter(stuck), "")
    while name and name not in trail:  # a task that a cycle blocks depends on another such task
        trail[name] = len(trail)
        name = next(dependency for dependency in stuck[name].depends if dependency in stuck)
    return (*list(trail)[trail[name] :], name) if name else ()


def _distances_to_end(
    tasks: Iterable[Task], seconds: dict[str, float] | None = None
) -> dict[str, float]:
    """The length of the longest chain that starts with each task, in seconds or in tasks.

    Tasks in a cycle have none.
    """
    order, dependants = _topological_order(tasks)
    distances: dict[str, float] = {}
    for task in reversed(order):
        behind = [distances.get(later.id, 0.0) for later in dependants[task.id]]
        own = seconds[task.id] if seconds else 1.0
        distances[task.id] = own + max(behind, default=0.0)
    return distances


def _topological_order(tasks: Iterable[Task]) -> tuple[list[Task], dict[str, list[Task]]]:
    """Each task after its dependencies, without those in a cycle; and the dependants of each."""
    by_id = {task.id: task for task in tasks}
    dependants = _dependants(by_id.values())
    missing = {name: len(by_id.keys() & task.depends) for name, task in by_id.items()}
    order = [task for name, task in by_id.items() if not missing[name]]
    for task in order:  # the list grows during the loop
        for later in dependants[task.id]:
            missing[later.id] -= 1
            if not missing[later.id]:
                order.append(later)
    return order, dependants


def _dependants(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    """The tasks that depend directly on each task."""
    by_id = {task.id: task for task in tasks}
    dependants: dict[str, list[Task]] = {name: [] for name in by_id}
    for task in by_id.values():
        for name in dependants.keys() & task.depends:
            dependants[name].append(task)
    return dependants
