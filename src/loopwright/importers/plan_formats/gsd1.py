"""The NN-NN-PLAN.md of GSD 1, and a folder of them, which is a phase.

The tasks of a plan come one after the other. A plan waits for those in its `depends_on`; without
any, for the plans of the waves before its own. A plan with a SUMMARY.md beside it is done.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import lazy_re as re
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from ...formats.front_matter import front_matter_map, is_small_enough
from .document import Document, ReadTask, make_reading
from .gsd1_task import TASK_LINE, is_checkpoint, read_tasks
from .json_values import names_of, one_line
from .must_haves import check_artifacts, read_must_haves

PLAN_NAME = re.compile(r"(?:(.*)-)?PLAN\.md", re.I)
OWN_TAGS = re.compile(r"^[ \t]*<(?:objective|tasks|execution_context|success_criteria)>", re.M)


class PhasePlan(NamedTuple):
    """One plan of a phase: its name (01-02), its number, its front matter and its tasks."""

    path: str
    name: str
    number: str
    front: dict[str, Any]
    tasks: list[ReadTask]
    is_done: bool

    @property
    def wave(self) -> int:
        number = one_line(self.front.get("wave"))
        return int(number) if number.isdecimal() and len(number) < 10 else 1


def summary_name(plan: str) -> str:
    """The file that says that the plan of this name is done."""
    return plan[: -len("PLAN.md")] + "SUMMARY.md"


def is_plan(document: Document) -> bool:
    """A plan with tasks that have a <name>, or tags that only GSD 1 writes."""
    text = document.text
    if not PLAN_NAME.fullmatch(document.name) and not OWN_TAGS.search(text):
        return False
    has_tasks = bool(TASK_LINE.search(text))
    return has_tasks and bool(OWN_TAGS.search(text) or re.search(r"^[ \t]*<name>", text, re.M))


def read(document: Document) -> PlanReading:
    """The plan of one file."""
    is_done = summary_name(document.name) in dict(document.others)
    plan = _read_plan(document.name, document.text, is_done)
    return _make_reading(document, [plan])


def read_phase(document: Document) -> PlanReading:
    """All plans of the folder, from its other files."""
    names = dict(document.others)
    plans = []
    for name, text in document.others:
        if PLAN_NAME.fullmatch(name):
            plan = _read_plan(name, text, summary_name(name) in names)
            # No line: it would be one of this file, and problems are named by the folder.
            plans.append(plan._replace(tasks=[row._replace(line=0) for row in plan.tasks]))
    return _make_reading(document, plans, first_line=0)


def _read_plan(path: str, text: str, is_done: bool) -> PhasePlan:
    front = front_matter_map(text).plain if is_small_enough(text) else {}
    prefix = (PLAN_NAME.fullmatch(path) or [path, ""])[1] or ""
    number = one_line(front.get("plan")) or prefix.rpartition("-")[2]
    number = re.sub(r"[^\w.]", "-", number)[:12]
    tasks = read_tasks(text, number)
    check_artifacts(tasks, _must_haves_of(front).get("artifacts"))
    if is_done:
        tasks = [row._replace(is_done=True) for row in tasks]
    return PhasePlan(path, prefix or number, number, front, tasks, is_done)


def _make_reading(document: Document, plans: list[PhasePlan], first_line: int = 1) -> PlanReading:
    tasks, problems = [], []
    for plan in plans:
        before, missing = _last_tasks_before(plan, plans)
        for position, row in enumerate(plan.tasks):
            depends = (plan.tasks[position - 1].task.id,) if position else before
            tasks.append(row._replace(task=row.task.but(depends=depends)))
        if missing:
            text = (
                f"{plan.path} comes after {', '.join(missing)}, which is not read here. "
                "Name the folder of the phase to read all its plans"
            )
            problems.append(PlanProblem(WARNING, first_line, text))
    checkpoints = {row.task.id: row.line for row in tasks if is_checkpoint(row.task)}
    if checkpoints:
        text = f"{count_phrase(len(checkpoints), 'checkpoint')} for a person: "
        text += clip_text(", ".join(checkpoints), 80)
        problems.append(PlanProblem(WARNING, min(checkpoints.values()), text))
    fronts = [plan.front for plan in plans]
    phase = next(filter(None, (one_line(front.get("phase")) for front in fronts)), "")
    found = [read_must_haves(_must_haves_of(front)) for front in fronts]
    return make_reading(
        document,
        phase or document.name,
        tasks,
        phase=phase,
        must_haves=[truth for truths, _ in found for truth in truths],
        links=[link for _, links in found for link in links],
        problems=problems,
    )


def _last_tasks_before(
    plan: PhasePlan, plans: list[PhasePlan]
) -> tuple[tuple[str, ...], list[str]]:
    """The last task of each plan that comes before this one, and the plans that are not here."""
    names = [_bare_name(text) for text in names_of(plan.front.get("depends_on"))]
    found, missing = [], []
    for name in names:
        match = [p for p in plans if name in (p.name, p.number) and p is not plan]
        found += match[:1]
        if not match and not plan.is_done:
            missing.append(clip_text(name, 40))
    if not names:
        found = [other for other in plans if other.wave < plan.wave]
    return tuple(p.tasks[-1].task.id for p in found if p.tasks), missing


def _bare_name(text: str) -> str:
    return re.sub(r"(?:-PLAN)?(?:\.md)?$", "", text.rpartition("/")[2], flags=re.I)


def _must_haves_of(front: dict[str, Any]) -> dict[str, Any]:
    table = front.get("must_haves")
    return table if isinstance(table, dict) else {}
