"""Files that are recognised but hold no tasks that can be read: each is refused by its name."""

from __future__ import annotations

import json

from ... import lazy_re as re
from ...core.json_text import JSONError, loads
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ...drive.errors import UserError
from .checklist import has_only_milestones
from .document import Document
from .json_values import tables_of
from .outline import boxes_in, read_outline

PHASE = re.compile(r"^(?:#{2,4}|[ \t]*[-*] \[[ xX]\])\s+\**Phase\s+\d", re.M | re.I)
DESIGN_PAGES = ("plan.md", "spec.md", "proposal.md", "requirements.md", "design.md")
SPEC_TOOLS = {".kiro": "Kiro", "openspec": "OpenSpec", "specs": "spec-kit", ".specify": "spec-kit"}


def is_roadmap(document: Document) -> bool:
    has_phases = document.name.upper() == "ROADMAP.MD" and bool(PHASE.search(document.text))
    return has_phases or has_only_milestones(document)


def refuse_roadmap(document: Document) -> PlanReading:
    if not PHASE.search(document.text):
        raise UserError(
            f"{document.path} is a roadmap: its boxes are milestones, not tasks. Name the plan of "
            'one of them, or write it: loop plan new "TITLE"'
        )
    raise UserError(
        f"{document.path} is a GSD roadmap: it names phases, and their tasks are in plans of their "
        "own. Name the folder or the plan of a phase, such as .planning/phases/01-NAME"
    )


def is_taskmaster_text(document: Document) -> bool:
    return document.text.lstrip().startswith("# Task ID:")


def refuse_taskmaster_text(document: Document) -> PlanReading:
    raise UserError(
        f"{document.path} is the text of one Taskmaster task. All tasks with their dependencies "
        "are in tasks.json: loop plan lint .taskmaster/tasks/tasks.json"
    )


def is_design_page(document: Document) -> bool:
    if document.name.lower() not in DESIGN_PAGES or not document.is_inside(*SPEC_TOOLS):
        return False
    has_tasks = re.search(r"^[ \t]*<task\b", document.text, re.M)
    return not has_tasks and not boxes_in(read_outline(document.text))


def refuse_design_page(document: Document) -> PlanReading:
    parts = document.path.split("/")
    tool = next((SPEC_TOOLS[part] for part in parts if part in SPEC_TOOLS), "spec-kit")
    beside = "/".join([*parts[:-1], "tasks.md"])
    raise UserError(
        f"{document.path} is a page of {tool} that describes the work; the tasks are in {beside}. "
        f"Name that file, or let {tool} write it"
    )


def is_prd_without_criteria(document: Document) -> bool:
    data = document.json_value
    if not isinstance(data, dict) or not isinstance(data.get("prdFile"), str):
        return False
    stories = tables_of(data.get("stories") or data.get("userStories"))
    return bool(stories) and not any(
        story.get("acceptanceCriteria") or story.get("acceptance_criteria") for story in stories
    )


def refuse_prd_without_criteria(document: Document) -> PlanReading:
    page = clip_text(" ".join(document.json_value["prdFile"].split()), 120)
    raise UserError(
        f"{document.path} is a prd.json without criteria; they are in {page!r}. Name that file"
    )


def is_json(document: Document) -> bool:
    begins = document.text.lstrip("\ufeff \t\r\n")[:1]
    return document.path.lower().endswith((".json", ".jsonl")) or begins in ("{", "[")


def refuse_json(document: Document) -> PlanReading:
    """Any other JSON: say what was looked for, and what is there."""
    try:
        data = loads(document.text)
    except JSONError as error:
        raise UserError(
            f"{document.path} is not JSON ({_json_problem(document.text)}). "
            "Correct it, or name another file"
        ) from error
    keys = clip_text(", ".join(map(str, data)), 80) if isinstance(data, dict) else "a list"
    raise UserError(
        f'{document.path} is JSON without a list "userStories", "stories" or "tasks" that holds '
        f"any task, and no Taskmaster tags either (it has: {keys or 'nothing'}). Name another file"
    )


def _json_problem(text: str) -> str:
    """What is wrong, with its line: our own reader does not count lines."""
    if not text.strip():
        return "it is empty"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):
        pass
    return "it is nested too deeply, or has a number that JSON does not have"
