"""The issues.jsonl of beads: an issue on each line, with its status and what blocks it."""

from __future__ import annotations

from typing import Any

from ...core.json_text import json_object
from ...core.plan.plan import Task
from ...core.plan.reading import ERROR, WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from .document import MAX_TASKS, MAX_TITLE, Document, ReadTask, leave_out, make_reading
from .json_values import first_of, one_line, tables_of, text_of
from .task_words import checks_in

BLOCKING = ("blocks", "conditional-blocks", "waits-for")
WORK = ("open", "in_progress", "blocked", "closed", "hooked", "")
GONE = ("tombstone",)  # deleted: no issue any more
NO_WORK_TYPES = ("message", "event", "gate", "agent", "role")


def is_issues(document: Document) -> bool:
    if not document.name.lower().endswith(".jsonl"):
        return False
    first = next((line for line in document.text.splitlines() if line.strip()), "")
    issue = _read_issue(first)
    return bool(issue) and "id" in issue and "title" in issue


def read(document: Document) -> PlanReading:
    """The issues by priority. What blocks an issue comes before it; an epic only holds others."""
    issues: dict[str, tuple[int, dict[str, Any]]] = {}
    unreadable: list[int] = []
    for number, line in enumerate(document.text.split("\n"), 1):
        issue = _read_issue(line)
        name = one_line(issue.get("id"))
        if name:  # a later line of the same issue replaces the earlier one
            issues[name] = number, issue
        elif line.strip():
            unreadable.append(number)
    issues = {
        name: row
        for name, row in issues.items()
        if one_line(row[1].get("status")) not in GONE
        and one_line(row[1].get("issue_type")) not in NO_WORK_TYPES
    }
    children = _children_by_epic(issues)
    tasks, skipped = [], {}
    for name, (number, issue) in sorted(issues.items(), key=lambda row: _priority(row[1][1])):
        if name in children:
            continue
        status = one_line(issue.get("status"))
        tasks.append(ReadTask(_read_task(name, issue, children), number, status == "closed"))
        if status not in WORK:
            skipped[name] = number
    problems = leave_out(tasks, skipped, "deferred or pinned by their status")
    if len(tasks) > MAX_TASKS:
        closed = {row.task.id: row.line for row in tasks if row.is_done}
        problems += leave_out(tasks, closed, "closed already")
    if children:
        text = f"no task of their own: {count_phrase(len(children), 'epic')} that hold other issues"
        problems.append(PlanProblem(WARNING, 1, text))
    if unreadable:
        count = count_phrase(len(unreadable), "line")
        text = f"not an issue: {count}. Write the file again: bd export"
        problems.append(PlanProblem(ERROR, unreadable[0], text))
    return make_reading(document, "Issues of beads", tasks, problems=problems)


def _read_issue(line: str) -> dict[str, Any]:
    return json_object(line) or {}


def _priority(issue: dict[str, Any]) -> int:
    number = issue.get("priority")
    return number if isinstance(number, int) and 0 <= number <= 9 else 2


def _links(issue: dict[str, Any], kinds: tuple[str, ...]) -> list[str]:
    """The issues that this one names in dependencies of these kinds."""
    names = []
    for link in tables_of(issue.get("dependencies")):
        kind = one_line(first_of(link, "type", "dependency_type")) or "blocks"
        if kind in kinds:
            names.append(one_line(first_of(link, "depends_on_id", "target", "id")))
    return [name for name in dict.fromkeys(names) if name]


def _children_by_epic(issues: dict[str, tuple[int, dict[str, Any]]]) -> dict[str, list[str]]:
    """Epic → the issues in it. An epic without any is a task."""
    children: dict[str, list[str]] = {}
    for name, (_, issue) in issues.items():
        parents = _links(issue, ("parent-child", "parent"))
        parents = parents or [name.rpartition(".")[0]]
        for parent in parents:
            if parent in issues and one_line(issues[parent][1].get("issue_type")) == "epic":
                children.setdefault(parent, []).append(name)
    return children


def _read_task(name: str, issue: dict[str, Any], children: dict[str, list[str]]) -> Task:
    title = one_line(issue.get("title"))
    texts = [text_of(issue.get(key)) for key in ("description", "design", "notes")]
    depends: list[str] = []
    for blocker in _links(issue, BLOCKING):
        depends += [child for child in children.get(blocker, [blocker]) if child not in children]
    criteria = [
        line.strip().lstrip("-*+").strip().removeprefix("[ ]").removeprefix("[x]").strip()
        for line in text_of(issue.get("acceptance_criteria")).split("\n")
    ]
    checks = tuple(check for text in criteria for check in checks_in(text))
    return Task(
        id=name,
        title=clip_text(title, MAX_TITLE),
        depends=tuple(dict.fromkeys(word for word in depends if word != name)),
        action="\n\n".join(filter(None, texts)) or title,
        done_when="" if checks else title,
        checks=checks,
    )
