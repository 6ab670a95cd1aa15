"""Read a prd.json: stories with criteria, a priority, and whether they pass already."""

from __future__ import annotations

from typing import Any

from ..core.json_text import JSONError, loads
from ..core.plan.plan import Plan, Task
from ..core.plan.reading import ERROR, WARNING, PlanProblem, PlanReading
from ..core.plan.schedule import assign_waves
from ..core.prompts.phrases import clip_text
from .plan_formats.json_values import id_lines, one_line
from .plan_text import resolve_dependencies
from .prd import MAX_TITLE, parse_criterion

STORY_KEYS = ("userStories", "stories", "tasks")
DEPENDENCY_KEYS = ("dependsOn", "blockedBy", "dependencies")
NO_PRIORITY = 1e9  # a story without a priority comes after those that have one


def read(text: str, file: str = "", phase: str = "prd") -> PlanReading:
    """The stories by priority, the lowest number first.

    If no story names another one, only their order is known: each is a wave of its own. A story
    that fails then does not block the others, since nothing says that they need it.
    """
    try:
        data = loads(text)
    except JSONError as error:
        return PlanReading(Plan(phase, file=file), problems=(PlanProblem(ERROR, 1, f"{error}"),))
    head = data if isinstance(data, dict) else {}
    stories = _find_stories(data)
    lines = id_lines(text, stories)
    # A stable sort: stories of one priority stay in the order of the file.
    ranked = sorted(range(len(stories)), key=lambda number: story_priority(stories[number]))
    tasks = resolve_dependencies([task_from_story(stories[number]) for number in ranked])
    if any(task.depends for task in tasks):
        tasks = assign_waves(tasks)
    else:
        tasks = tuple(task.but(wave=wave) for wave, task in enumerate(tasks, 1))
    done, task_lines, problems = [], [], []
    for number, task in zip(ranked, tasks, strict=True):
        story, line = stories[number], lines[number]
        task_lines.append((task.id, line))
        if story.get("passes") is True:
            done.append(task.id)
        if problem := unread_criteria(story):
            problems.append(PlanProblem(WARNING, line, problem))
    title = one_line(_first_of(head, "project", "title", "description"))
    plan = Plan(
        phase=phase,
        title=clip_text(title, MAX_TITLE),
        file=file,
        tasks=tasks,
        done=tuple(done),
    )
    return PlanReading(plan, tuple(task_lines), tuple(problems))


def has_stories(text: str) -> bool:
    try:
        return bool(_find_stories(loads(text)))
    except JSONError:
        return False


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


def _first_of(table: dict[str, Any], *keys: str) -> Any:
    """The first of these values that is not empty; else the last one."""
    return next((table[key] for key in keys if table.get(key)), table.get(keys[-1]))


def task_from_story(story: dict[str, Any]) -> Task:
    title = one_line(_first_of(story, "title", "name", "description"))
    texts = [_text_in(story.get(key)) for key in ("description", "notes")]
    criteria = [text for text in acceptance_criteria(story) if _text_in(text)]
    return Task(
        id=one_line(story.get("id")),
        title=clip_text(title, MAX_TITLE),
        depends=tuple(map(one_line, _first_list(story, DEPENDENCY_KEYS))),
        action="\n\n".join(filter(None, texts)) or title,
        checks=tuple(map(parse_criterion, criteria)),
    )


def _text_in(value: Any) -> str:
    """A text without the blanks around it; "" for any other value."""
    return value.strip() if isinstance(value, str) else ""


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
