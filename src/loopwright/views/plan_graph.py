"""The graph of a plan: its tasks in columns by wave, with dependencies, lanes and critical path.

Only positions are computed here. The report draws them as SVG, the browser as well. Pure.
"""

from __future__ import annotations

from itertools import pairwise

from ..core.plan.plan import Plan, Task
from ..core.plan.schedule import blocked_tasks, critical_path, tasks_by_wave
from ..core.prompts.phrases import clip_text
from ..core.record import Record
from .plan_waves import OPEN, task_state

NODE_WIDTH, NODE_HEIGHT = 190, 52
COLUMN_GAP, ROW_GAP, MARGIN, HEAD = 56, 16, 12, 26
MAX_TASKS = 400


class GraphNode(Record):
    """One task, as a box."""

    id: str
    title: str
    state: str  # done, parked, working, open; blocked, failed
    x: int
    y: int
    failures: int = 0
    is_critical: bool = False
    lane: str = ""  # the agent that works on it in a lane of its own


class GraphEdge(Record):
    """A dependency, as a line from the right of one box to the left of another."""

    source: str
    target: str
    x1: int
    y1: int
    x2: int
    y2: int
    is_critical: bool = False


class GraphColumn(Record):
    wave: int
    x: int


class PlanGraph(Record):
    """All boxes and lines, and the size of the drawing."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    columns: tuple[GraphColumn, ...]
    width: int
    height: int
    left_out: int = 0  # tasks beyond MAX_TASKS


def plan_graph(plan: Plan) -> PlanGraph:
    blocked, critical = blocked_tasks(plan), critical_path(plan)
    lanes = {lane.task: lane.agent for lane in plan.lanes}
    kept = {task.id for task in plan.tasks[:MAX_TASKS]}
    nodes: dict[str, GraphNode] = {}
    columns = []
    for number, (wave, tasks) in enumerate(tasks_by_wave(plan)):
        x = MARGIN + number * (NODE_WIDTH + COLUMN_GAP)
        columns.append(GraphColumn(wave, x))
        for row, task in enumerate(task for task in tasks if task.id in kept):
            nodes[task.id] = GraphNode(
                id=task.id,
                title=clip_text(" ".join(task.title.split()), 60),
                state="blocked" if task.id in blocked else _node_state(plan, task),
                x=x,
                y=MARGIN + HEAD + row * (NODE_HEIGHT + ROW_GAP),
                failures=plan.failure_of(task.id).times,
                is_critical=task.id in critical,
                lane=lanes.get(task.id, ""),
            )
    edges = _edges(plan.tasks, nodes, set(pairwise(critical)))
    bottom = max((node.y for node in nodes.values()), default=0) + NODE_HEIGHT + MARGIN
    return PlanGraph(
        nodes=tuple(nodes.values()),
        edges=edges,
        columns=tuple(columns),
        width=2 * MARGIN + len(columns) * (NODE_WIDTH + COLUMN_GAP) - COLUMN_GAP,
        height=bottom,
        left_out=len(plan.tasks) - len(kept),
    )


def _node_state(plan: Plan, task: Task) -> str:
    """A task that has failed and waits for its next attempt does not look untouched."""
    state = task_state(plan, task)
    return "failed" if state == OPEN and plan.failure_of(task.id).times else state


def _edges(
    tasks: tuple[Task, ...], nodes: dict[str, GraphNode], critical: set[tuple[str, str]]
) -> tuple[GraphEdge, ...]:
    edges = []
    for task in tasks:
        for name in task.depends:
            if name not in nodes or task.id not in nodes:
                continue
            source, target = nodes[name], nodes[task.id]
            edges.append(
                GraphEdge(
                    source=name,
                    target=task.id,
                    x1=source.x + NODE_WIDTH,
                    y1=source.y + NODE_HEIGHT // 2,
                    x2=target.x,
                    y2=target.y + NODE_HEIGHT // 2,
                    is_critical=(name, task.id) in critical,
                )
            )
    return tuple(edges)
