"""prd.json: stories with acceptance criteria, a priority, and whether they pass already."""

from __future__ import annotations

import json
import re
from typing import Any

from ..core.plan import Plan, Task
from ..core.reading import ERROR, WARNING, Problem, Reading
from ..core.record import JSONError, loads
from ..core.schedule import layered
from ..core.wording import clip
from .plan_text import known_names
from .prd import MOST_TITLE, criterion

STORIES = ("userStories", "stories", "tasks")
NEEDS = ("dependsOn", "blockedBy", "dependencies")
LAST = 1e9  # a story without a priority comes after those that have one


def read(text: str, file: str = "", phase: str = "prd") -> Reading:
    """The stories by priority, the lowest number first.

    Where no story names another one, their order is all we know: each is a wave of its own. One that fails then holds up
    nobody, since nothing says that another needs it.
    """
    try:
        found = loads(text)
    except JSONError as error:
        return Reading(Plan(phase, file=file), wrong=(Problem(ERROR, 1, f"{error}"),))
    head = found if isinstance(found, dict) else {}
    given = next((head[key] for key in STORIES if isinstance(head.get(key), list)), found)
    stories = [story for story in given if isinstance(story, dict)] if isinstance(given, list) else []
    lines = places(text, stories)
    ranked = sorted(range(len(stories)), key=lambda n: rank(stories[n]))  # stable: else as they stand
    tasks = known_names([task(stories[n]) for n in ranked])
    if any(task.depends for task in tasks):
        tasks = layered(tasks)
    else:
        tasks = tuple(task.but(wave=wave) for wave, task in enumerate(tasks, 1))
    done = tuple(task.id for n, task in zip(ranked, tasks, strict=True) if stories[n].get("passes") is True)
    title = clip(words(head.get("project") or head.get("title") or head.get("description")), MOST_TITLE)
    wrong = tuple(Problem(WARNING, lines[n], text) for n in ranked for text in odd(stories[n]))
    places_of = tuple((task.id, lines[n]) for n, task in zip(ranked, tasks, strict=True))
    return Reading(Plan(phase, title, file, tasks, done=done), places_of, wrong)


def task(story: dict[str, Any]) -> Task:
    title = words(story.get("title") or story.get("name") or story.get("description"))
    said = (story.get(key) for key in ("description", "notes"))
    needs: list[Any] = next((story[key] for key in NEEDS if isinstance(story.get(key), list)), [])
    return Task(
        words(story.get("id")),
        clip(title, MOST_TITLE),
        depends=tuple(words(name) for name in needs),
        action="\n\n".join(text.strip() for text in said if isinstance(text, str) and text.strip()) or title,
        checks=tuple(criterion(text) for text in criteria(story) if isinstance(text, str) and text.strip()),
    )


def criteria(story: dict[str, Any]) -> list[Any]:
    given = story.get("acceptanceCriteria", story.get("acceptance_criteria"))
    return given if isinstance(given, list) else [given] if isinstance(given, str) else []


def odd(story: dict[str, Any]) -> list[str]:
    """What of a story nobody reads."""
    count = sum(not isinstance(text, str) for text in criteria(story))
    return [f"story {words(story.get('id'))}: {count} of its acceptanceCriteria are no texts, and left out"] if count else []


def words(value: Any) -> str:
    """Ids are numbers here and there."""
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def rank(story: dict[str, Any]) -> float:
    number = story.get("priority")
    return float(number) if isinstance(number, int | float) and abs(number) < LAST else LAST


def places(text: str, stories: list[dict[str, Any]]) -> list[int]:
    """On which line each story says its id; one after the other, as they stand in the file."""
    found, at, line = [], 0, 1
    for story in stories:
        said = re.compile(rf'"id"\s*:\s*{re.escape(json.dumps(story.get("id"), ensure_ascii=False))}').search(text, at)
        line += text.count("\n", at, said.start()) if said else 0
        at = said.end() if said else len(text)  # spelled in a way of its own: we look no further
        found.append(line)
    return found
