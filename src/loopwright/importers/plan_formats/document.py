"""A plan file as the readers see it, and the plan that they make of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...core.json_text import JSONError, loads
from ...core.plan.plan import Link, MustHave, Plan, Task
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.plan.schedule import assign_waves
from ...core.prompts.phrases import clip_text, count_phrase

MAX_TITLE = 72
MAX_TASKS = 1_000  # the linter refuses a larger plan


class Document(NamedTuple):
    """The text of a file, its path from the root, and the files beside it that its format uses."""

    path: str
    text: str
    phase: str = "plan"
    others: tuple[tuple[str, str], ...] = ()  # path from the folder of the file → text

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def json_value(self) -> Any:
        """What a JSON file holds; None for any other file."""
        try:
            return loads(self.text)
        except JSONError:
            return None

    def is_inside(self, *folders: str) -> bool:
        """Does one of the folders above the file have one of these names?"""
        return any(part in folders for part in self.path.replace("\\", "/").split("/")[:-1])


class ReadTask(NamedTuple):
    """A task with its line, and whether the file says that it is done."""

    task: Task
    line: int = 1
    is_done: bool = False


def make_reading(
    document: Document,
    title: str,
    tasks: Iterable[ReadTask],
    *,
    phase: str = "",
    must_haves: Iterable[MustHave] = (),
    links: Iterable[Link] = (),
    problems: Iterable[PlanProblem] = (),
    in_order: bool = False,
) -> PlanReading:
    """The plan, its tasks in waves that follow from their dependencies.

    `in_order`: if no task names another one, each is a wave of its own. A task that fails then does
    not block the others, since nothing says that they need it.
    """
    tasks = list(tasks)
    waves = tuple(read.task for read in tasks)
    if len(waves) <= MAX_TASKS:  # otherwise only their number is of interest
        waves = assign_waves(waves)
    if in_order and not any(task.depends for task in waves):
        waves = tuple(task.but(wave=wave) for wave, task in enumerate(waves, 1))
    plan = Plan(
        phase=re.sub(r"[^A-Za-z0-9._-]+", "-", phase).strip("-")[:40] or document.phase,
        title=clip_text(" ".join(title.split()), MAX_TITLE),
        file=document.path,
        tasks=waves,
        must_haves=tuple(must_haves),
        links=tuple(links),
        done=tuple(read.task.id for read in tasks if read.is_done),
    )
    lines = tuple((read.task.id, read.line) for read in tasks)
    link_lines = tuple((f"link {link.source} → {link.target}", 1) for link in plan.links)
    return PlanReading(plan, (*lines, *link_lines), tuple(problems))


def chain_tasks(tasks: Iterable[ReadTask], optional: Iterable[str] = ()) -> list[ReadTask]:
    """The tasks one after the other. No task waits for an optional one."""
    optional = set(optional)
    chained, last = [], ""
    for read in tasks:
        depends = (last,) if last else ()
        chained.append(read._replace(task=read.task.but(depends=depends)))
        if read.task.id not in optional:
            last = read.task.id
    return chained


def leave_out(tasks: list[ReadTask], names: dict[str, int], reason: str) -> list[PlanProblem]:
    """Remove these tasks (id → line), and what waits for them; one warning with their number."""
    if not names:
        return []
    tasks[:] = [
        read._replace(
            task=read.task.but(depends=tuple(n for n in read.task.depends if n not in names))
        )
        for read in tasks
        if read.task.id not in names
    ]
    shown = clip_text(", ".join(names), 80)
    text = f"{count_phrase(len(names), 'task')} left out, {reason}: {shown}"
    return [PlanProblem(WARNING, min(names.values()), text)]
