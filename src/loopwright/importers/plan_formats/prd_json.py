"""Read a prd.json: stories with criteria, a priority, and whether they pass already."""

from __future__ import annotations

from typing import Any

from ...core.plan.plan import Task
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_text import resolve_dependencies
from .document import MAX_TITLE, Document, ReadTask, make_reading
from .json_values import first_of, id_lines, one_line, text_of, texts_of
from .task_words import parse_criterion

STORY_KEYS = ("userStories", "stories", "tasks")
DEPENDENCY_KEYS = ("dependsOn", "blockedBy", "dependencies")
NO_PRIORITY = 1e9  # a story without a priority comes after those that have one


def has_stories(document: Document) -> bool:
    return bool(_find_stories(document.json_value))


def read(document: Document) -> PlanReading:
    """The stories by priority, the lowest number first."""
    data = document.json_value
    head = data if isinstance(data, dict) else {}
    stories = _find_stories(data)
    lines = id_lines(document.text, stories)
    # A stable sort: stories of one priority stay in the order of the file.
    ranked = sorted(range(len(stories)), key=lambda number: story_priority(stories[number]))
    tasks = resolve_dependencies([task_from_story(stories[number]) for number in ranked])
    rows, problems = [], []
    for number, task in zip(ranked, tasks, strict=True):
        story, line = stories[number], lines[number]
        rows.append(ReadTask(task, line, story.get("passes") is True))
        if problem := unread_criteria(story):
            problems.append(PlanProblem(WARNING, line, problem))
    title = one_line(first_of(head, "project", "title", "description"))
    return make_reading(document, title, rows, problems=problems, in_order=True)


def _find_stories(data: Any) -> list[dict[str, Any]]:
    """The objects in the list of stories, which may be the whole document."""
    stories = data
    if isinstance(data, dict):
        stories = _first_list(data, STORY_KEYS)
    if not isinstance(stories, list):
        return []
    return [story for story in stories if isinstance(story, dict)]


def _first_list(table: dict[str, Any], keys: tuple[str, ...]) -> list[Any]:
    """The value of the first of these keys that holds a list."""
    return next((table[key] for key in keys if isinstance(table.get(key), list)), [])


def task_from_story(story: dict[str, Any]) -> Task:
    title = one_line(first_of(story, "title", "name", "description"))
    texts = [text_of(story.get(key)) for key in ("description", "notes")]
    return Task(
        id=one_line(story.get("id")),
        title=clip_text(title, MAX_TITLE),
        depends=tuple(map(one_line, _first_list(story, DEPENDENCY_KEYS))),
        action="\n\n".join(filter(None, texts)) or title,
        checks=tuple(map(parse_criterion, texts_of(acceptance_criteria(story)))),
    )


def acceptance_criteria(story: dict[str, Any]) -> list[Any]:
    """The criteria of a story, in either spelling of the key. A single text is a list of one."""
    criteria = story.get("acceptanceCriteria", story.get("acceptance_criteria"))
    if isinstance(criteria, str):
        return [criteria]
    return criteria if isinstance(criteria, list) else []


def unread_criteria(story: dict[str, Any]) -> str:
    """The problem that some criteria are not texts; "" if all are."""
    count = sum(not isinstance(text, str) for text in acceptance_criteria(story))
    if not count:
        return ""
    name = one_line(story.get("id"))
    return f"story {name}: {count} of its acceptanceCriteria are no texts, and left out"


def story_priority(story: dict[str, Any]) -> float:
    number = story.get("priority")
    if isinstance(number, int | float) and abs(number) < NO_PRIORITY:
        return float(number)
    return NO_PRIORITY
