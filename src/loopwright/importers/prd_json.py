"""prd.json: stories with acceptance criteria, a priority, and whether they pass already."""

from __future__ import annotations

import json
import re
from typing import Any

from ..core.json_text import JSONError, loads
from ..core.plan.plan import Plan, Task
from ..core.plan.reading import ERROR, WARNING, PlanProblem, PlanReading
from ..core.plan.schedule import assign_waves
from ..core.prompts.phrases import clip_text
from .plan_text import resolve_dependencies
from .prd import MAX_TITLE, parse_criterion

STORY_KEYS = ("userStories", "stories", "tasks")
DEPENDENCY_KEYS = ("dependsOn", "blockedBy", "dependencies")
NO_PRIORITY = 1e9  # a story without a priority comes after those that have one


def read(text: str, file: str = "", phase: str = "prd") -> PlanReading:
    """The stories by priority, the lowest number first.

    Where no story names another one, their order is all we know: each is a wave of its own. One that fails then holds up
    nobody, since nothing says that another needs it.
    """
    try:
        found = loads(text)
    except JSONError as error:
        return PlanReading(Plan(phase, file=file), problems=(PlanProblem(ERROR, 1, f"{error}"),))
    head = found if isinstance(found, dict) else {}
    given = next((head[key] for key in STORY_KEYS if isinstance(head.get(key), list)), found)
    stories = (
        [story for story in given if isinstance(story, dict)] if isinstance(given, list) else []
    )
    lines = story_lines(text, stories)
    ranked = sorted(
        range(len(stories)), key=lambda n: story_priority(stories[n])
    )  # stable: else as they stand
    tasks = resolve_dependencies([task_from_story(stories[n]) for n in ranked])
    if any(task.depends for task in tasks):
        tasks = assign_waves(tasks)
    else:
        tasks = tuple(task.but(wave=wave) for wave, task in enumerate(tasks, 1))
    done = tuple(
        task.id for n, task in zip(ranked, tasks, strict=True) if stories[n].get("passes") is True
    )
    title = clip_text(
        one_line(head.get("project") or head.get("title") or head.get("description")), MAX_TITLE
    )
    wrong = tuple(
        PlanProblem(WARNING, lines[n], text) for n in ranked for text in unread_criteria(stories[n])
    )
    places_of = tuple((task.id, lines[n]) for n, task in zip(ranked, tasks, strict=True))
    return PlanReading(Plan(phase, title, file, tasks, done=done), places_of, wrong)


def task_from_story(story: dict[str, Any]) -> Task:
    title = one_line(story.get("title") or story.get("name") or story.get("description"))
    said = (story.get(key) for key in ("description", "notes"))
    needs: list[Any] = next(
        (story[key] for key in DEPENDENCY_KEYS if isinstance(story.get(key), list)), []
    )
    return Task(
        one_line(story.get("id")),
        clip_text(title, MAX_TITLE),
        depends=tuple(one_line(name) for name in needs),
        action="\n\n".join(text.strip() for text in said if isinstance(text, str) and text.strip())
        or title,
        checks=tuple(
            parse_criterion(text)
            for text in acceptance_criteria(story)
            if isinstance(text, str) and text.strip()
        ),
    )


def acceptance_criteria(story: dict[str, Any]) -> list[Any]:
    given = story.get("acceptanceCriteria", story.get("acceptance_criteria"))
    return given if isinstance(given, list) else [given] if isinstance(given, str) else []


def unread_criteria(story: dict[str, Any]) -> list[str]:
    """What of a story nobody reads."""
    count = sum(not isinstance(text, str) for text in acceptance_criteria(story))
    return (
        [
            f"story {one_line(story.get('id'))}: {count} of its acceptanceCriteria are no texts, and left out"
        ]
        if count
        else []
    )


def one_line(value: Any) -> str:
    """Ids are numbers here and there."""
    return (
        " ".join(str(value).split())
        if isinstance(value, str | int) and not isinstance(value, bool)
        else ""
    )


def story_priority(story: dict[str, Any]) -> float:
    number = story.get("priority")
    return (
        float(number)
        if isinstance(number, int | float) and abs(number) < NO_PRIORITY
        else NO_PRIORITY
    )


def story_lines(text: str, stories: list[dict[str, Any]]) -> list[int]:
    """On which line each story says its id; one after the other, as they stand in the file."""
    found, at, line = [], 0, 1
    for story in stories:
        said = re.compile(
            rf'"id"\s*:\s*{re.escape(json.dumps(story.get("id"), ensure_ascii=False))}'
        ).search(text, at)
        line += text.count("\n", at, said.start()) if said else 0
        at = said.end() if said else len(text)  # spelled in a way of its own: we look no further
        found.append(line)
    return found
