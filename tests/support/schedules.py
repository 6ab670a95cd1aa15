"""Plans by chance, and how long they take: what the schedule is measured with, in its test and in bench/plan.py."""

from __future__ import annotations

import random
from heapq import heappop, heappush

from loopwright.core.plan.plan import Lane, Plan, PlannedFile, Task
from loopwright.core.plan.schedule import ready_tasks

ANY = 1_000_000  # as many lanes as there is work for
WIDTHS = (4, 8, 16, 32, 64)

Hours = dict[str, float]


def random_plan(seed: int, tasks: int = 200, widest: int = 0) -> tuple[Plan, Hours]:
    """Waves of chance widths; a task needs one to three of the wave before, now and then an older one, and no file of another."""
    dice = random.Random(seed)
    widest = widest or dice.choice(WIDTHS)
    made: list[Task] = []
    older: list[str] = []
    last: list[str] = []
    while len(made) < tasks:
        names = [
            f"{len(made) + n:03}" for n in range(min(dice.randint(1, widest), tasks - len(made)))
        ]
        wave = made[-1].wave + 1 if made else 1
        for name in names:
            needs = dice.sample(last, min(len(last), dice.randint(1, 3)))
            needs += [dice.choice(older)] if older and dice.random() < 0.3 else []
            made.append(
                Task(name, wave=wave, depends=tuple(needs), files=(PlannedFile(f"{name}.py"),))
            )
        older, last = older + last, names
    return Plan("1", tasks=tuple(made)), {task.id: dice.uniform(1, 10) for task in made}


def with_shared_files(plan: Plan, seed: int) -> Plan:
    """The same tasks, and every third one also changes a file of one to three others."""
    dice = random.Random(seed)
    names = [f"shared/{number}.py" for number in range(max(1, len(plan.tasks) // 8))]
    return plan.but(
        tasks=tuple(
            task.but(files=(*task.files, PlannedFile(dice.choice(names))))
            if dice.random() < 0.33
            else task
            for task in plan.tasks
        )
    )


def with_hot_files(plan: Plan, seed: int) -> Plan:
    """The same tasks, and one in eight changes one of two files that all of these need."""
    dice = random.Random(seed)
    return plan.but(
        tasks=tuple(
            task.but(files=(*task.files, PlannedFile(dice.choice(("hot/a.py", "hot/b.py")))))
            if dice.random() < 0.125
            else task
            for task in plan.tasks
        )
    )


def skewed_hours(plan: Plan, seed: int) -> Hours:
    """Most tasks are short, one in ten takes ten times as long."""
    dice = random.Random(seed)
    return {
        task.id: dice.uniform(10, 20) if dice.random() < 0.1 else dice.uniform(1, 2)
        for task in plan.tasks
    }


def makespan(plan: Plan, hours: Hours, lanes: int = ANY) -> float:
    """When the last task ends, if whoever is free takes the first that `ready` names. It does not know how long one takes."""
    now, work = 0.0, list[tuple[float, str]]()
    while True:
        for task in ready_tasks(plan)[: lanes - len(work)]:
            heappush(work, (now + hours[task.id], task.id))
        if not work:
            assert len(plan.done) == len(plan.tasks), "the schedule came to a halt"
            return now
        now, name = heappop(work)
        plan = plan.but(
            done=(*plan.done, name), lanes=tuple(Lane(task, 0.0, "", 0.0, 0) for _, task in work)
        )


def bound(plan: Plan, hours: Hours, lanes: int = ANY) -> float:
    """Nobody is faster: the longest chain, all tasks of one file, or all the work shared out evenly."""
    ends: Hours = {}
    for task in plan.tasks:  # each stands after those that it needs
        ends[task.id] = hours[task.id] + max((ends[name] for name in task.depends), default=0.0)
    loads: Hours = {}
    for task in plan.tasks:
        for path in task.paths:
            loads[path] = loads.get(path, 0.0) + hours[task.id]
    return max(*ends.values(), *loads.values(), sum(hours.values()) / lanes)
