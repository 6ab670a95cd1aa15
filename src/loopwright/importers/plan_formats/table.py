"""The table of formats: what each is called, how it is recognised, and who reads it.

The first that recognises a file reads it, so a format with clear marks stands before one that
many files resemble. A new format is one row here and one module beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...core.plan.plan import ProgressMark
from ...core.plan.reading import PlanReading
from .. import plan_md
from ..plan_text import TASK, split_lines, split_pieces
from . import (
    beads,
    bmad,
    checklist,
    gsd1,
    gsd2,
    numbered_list,
    opti_gsd,
    prd,
    prd_json,
    progress,
    refused,
    spec_kit,
    stories,
    task_headings,
    taskmaster,
)
from .document import Document
from .progress import FindMarks


class PlanFormat(NamedTuple):
    """A format. `beside` names further files it uses, as patterns from the folder of the file."""

    name: str
    recognises: Callable[[Document], bool]
    read: Callable[[Document], PlanReading]
    find_marks: FindMarks = progress.no_marks  # where it says that a task is done
    beside: tuple[str, ...] = ()


def _is_prd_json(document: Document) -> bool:
    return refused.is_json(document) and prd_json.has_stories(document)


def _has_task_tags(document: Document) -> bool:
    return any(piece.kind == TASK for piece in split_pieces(split_lines(document.text)))


def _read_marked_prd(document: Document) -> PlanReading:
    """What stands between the marks, in its own format."""
    inner = stories.without_marks(document)
    return find_format(inner).read(inner)


def _marks_in_prd(document: Document, reading: PlanReading) -> list[ProgressMark]:
    inner = stories.without_marks(document)
    return find_format(inner).find_marks(inner, reading)


def _read_plan_md(document: Document) -> PlanReading:
    return plan_md.read(document.text, document.path)


FORMATS = (
    PlanFormat("[PRD] file", stories.has_marks, _read_marked_prd, _marks_in_prd),
    PlanFormat("beads issues", beads.is_issues, beads.read, progress.issue_lines),
    PlanFormat(
        "prd.json without criteria",
        refused.is_prd_without_criteria,
        refused.refuse_prd_without_criteria,
    ),
    PlanFormat("opti-gsd plan.json", opti_gsd.is_plan, opti_gsd.read, progress.json_values),
    PlanFormat(
        "Taskmaster tasks.json",
        taskmaster.is_tasks,
        taskmaster.read,
        progress.taskmaster_values,
        beside=(taskmaster.STATE,),
    ),
    PlanFormat("prd.json", _is_prd_json, prd_json.read, progress.json_values),
    PlanFormat("other JSON", refused.is_json, refused.refuse_json),
    PlanFormat(
        "GSD 1 plan",
        gsd1.is_plan,
        gsd1.read,
        progress.gsd1_plans,
        beside=("*-SUMMARY.md", "SUMMARY.md", progress.GSD1_ROADMAP),
    ),
    PlanFormat("PLAN.md", _has_task_tags, _read_plan_md),
    PlanFormat(
        "PRD with task comments", prd.has_task_comments, prd.read, progress.boxes_of_sections
    ),
    PlanFormat("GSD 2 task", gsd2.is_task_plan, gsd2.read_task_plan),
    PlanFormat(
        "GSD 2 roadmap or slice",
        gsd2.has_entries,
        gsd2.read,
        progress.gsd2_boxes,
        beside=("tasks/T*-PLAN.md", progress.GSD2_ROADMAP),
    ),
    PlanFormat("roadmap", refused.is_roadmap, refused.refuse_roadmap),
    PlanFormat("Taskmaster task text", refused.is_taskmaster_text, refused.refuse_taskmaster_text),
    PlanFormat("design page", refused.is_design_page, refused.refuse_design_page),
    PlanFormat("BMAD story", bmad.is_story, bmad.read, progress.boxes_of_items),
    PlanFormat("spec-kit tasks.md", spec_kit.is_tasks, spec_kit.read, progress.boxes_of_items),
    PlanFormat(
        "Kiro tasks.md", numbered_list.is_kiro_tasks, numbered_list.read, progress.boxes_of_numbers
    ),
    PlanFormat(
        "OpenSpec tasks.md",
        numbered_list.is_openspec_tasks,
        numbered_list.read,
        progress.boxes_of_numbers,
    ),
    PlanFormat("PRD with stories", stories.has_stories, stories.read, progress.boxes_of_sections),
    PlanFormat(
        "tasks as headings",
        task_headings.has_task_headings,
        task_headings.read,
        progress.boxes_of_sections,
    ),
    PlanFormat("checklist", checklist.has_items, checklist.read, progress.boxes_of_items),
)
# Any other text: the linter says that it has no tasks.
NO_FORMAT = PlanFormat("PLAN.md", lambda document: True, _read_plan_md)
GSD1_PHASE = PlanFormat("GSD 1 phase", lambda document: False, gsd1.read_phase, progress.gsd1_plans)


def find_format(document: Document) -> PlanFormat:
    return next((row for row in FORMATS if row.recognises(document)), NO_FORMAT)
