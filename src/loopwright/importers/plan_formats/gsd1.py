"""The NN-NN-PLAN.md of GSD 1, and a folder of them, which is a phase.

The tasks of a plan come one after the other. A plan waits for those in its `depends_on`; without
any, for the plans of the waves before its own. A plan with a SUMMARY.md beside it is done.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...core.plan.plan import CONTENT, FILE, Link, MustHave, TaskCheck
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from ...formats.front_matter import front_matter_map, is_small_enough
from ...formats.yaml_node import LIST, YamlNode
from ..plan_words import path_problem
from .document import Document, ReadTask, make_reading
from .gsd1_task import TASK_LINE, is_checkpoint, read_tasks

PLAN_NAME = re.compile(r"(?:(.*)-)?PLAN\.md", re.I)
OWN_TAGS = re.compile(r"^[ \t]*<(?:objective|tasks|execution_context|success_criteria)>", re.M)
PATH_LIKE = re.compile(r"[\w.@+~()\[\]/-]+\.[A-Za-z]\w{0,9}")


class PhasePlan(NamedTuple):
    """One plan of a phase: its name (01-02), its number, its front matter and its tasks."""

    path: str
    name: str
    number: str
    front: YamlNode
    tasks: list[ReadTask]
    is_done: bool

    @property
    def wave(self) -> int:
        return self.front.get("wave").number or 1


def is_plan(document: Document) -> bool:
    """A plan with tasks that have a <name>, or tags that only GSD 1 writes."""
    text = document.text
    if not PLAN_NAME.fullmatch(document.name) and not OWN_TAGS.search(text):
        return False
    has_tasks = bool(TASK_LINE.search(text))
    return has_tasks and bool(OWN_TAGS.search(text) or re.search(r"^[ \t]*<name>", text, re.M))


def read(document: Document) -> PlanReading:
    """The plan of one file."""
    summary = document.name[: -len("PLAN.md")] + "SUMMARY.md"
    plan = _read_plan(document.name, document.text, summary in dict(document.others))
    return _make_reading(document, [plan])


def read_phase(document: Document) -> PlanReading:
    """All plans of the folder, from its other files."""
    names = dict(document.others)
    plans = []
    for name, text in document.others:
        if PLAN_NAME.fullmatch(name):
            summary = name[: -len("PLAN.md")] + "SUMMARY.md"
            plan = _read_plan(name, text, summary in names)
            # No line: it would be one of this file, and problems are named by the folder.
            plans.append(plan._replace(tasks=[row._replace(line=0) for row in plan.tasks]))
    return _make_reading(document, plans, first_line=0)


def _read_plan(path: str, text: str, is_done: bool) -> PhasePlan:
    front = front_matter_map(text) if is_small_enough(text) else YamlNode()
    prefix = (PLAN_NAME.fullmatch(path) or [path, ""])[1] or ""
    number = front.get("plan").text or prefix.rpartition("-")[2]
    number = re.sub(r"[^\w.]", "-", number)[:12]
    tasks = read_tasks(text, number)
    artifacts = _artifact_checks(front.get("must_haves").get("artifacts"))
    for place, check in artifacts:
        owner = next((n for n, row in enumerate(tasks) if place in row.task.paths), len(tasks) - 1)
        if tasks:
            task = tasks[owner].task
            tasks[owner] = tasks[owner]._replace(task=task.but(checks=(*task.checks, check)))
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
    phase = next((front.get("phase").text for front in fronts if front.get("phase").text), "")
    must_haves, links = _must_haves(fronts)
    return make_reading(
        document,
        phase or document.name,
        tasks,
        phase=phase,
        must_haves=must_haves,
        links=links,
        problems=problems,
    )


def _last_tasks_before(
    plan: PhasePlan, plans: list[PhasePlan]
) -> tuple[tuple[str, ...], list[str]]:
    """The last task of each plan that comes before this one, and the plans that are not here."""
    names = [_bare_name(text) for text in _texts(plan.front.get("depends_on"))]
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


def _texts(node: YamlNode) -> list[str]:
    nodes = node.items if node.kind == LIST else (node,)
    return [item.text for item in nodes if item.text and not item.is_null]


def _artifact_checks(artifacts: YamlNode) -> list[tuple[str, TaskCheck]]:
    """Each artifact as a check that it is there, and that it contains what it must."""
    checks = []
    for node in artifacts.items:
        path = (node.get("path").text or node.text).removeprefix("./")
        if not path or path_problem(path):
            continue
        provides, contains = node.get("provides").text, node.get("contains").text
        kind = CONTENT if contains else FILE
        text = f"{path} contains {contains!r}" if contains else f"{path} exists"
        text += f": {provides}" if provides else ""
        wanted = (contains,) if contains else ()
        checks.append((path, TaskCheck(kind, text, path=path, wanted=wanted)))
    return checks


def _must_haves(fronts: list[YamlNode]) -> tuple[list[MustHave], list[Link]]:
    """The truths, and the links between files. A link between other things is a truth, too."""
    truths: list[MustHave] = []
    links: list[Link] = []
    for front in fronts:
        must = front.get("must_haves")
        truths += [MustHave(text) for text in _texts(must.get("truths"))]
        for node in must.get("key_links").items:
            source, target, via = (node.get(key).text for key in ("from", "to", "via"))
            if PATH_LIKE.fullmatch(source) and PATH_LIKE.fullmatch(target):
                links.append(Link(source, target, via))
            elif source and target:
                truths.append(MustHave(f"{source} → {target}" + (f" ({via})" if via else "")))
    return truths, links
