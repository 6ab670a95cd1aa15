"""Drawings as SVG text: curves over the iterations, and the graph of a plan. Pure.

Text of others is escaped. Colours are classes, so that a page can give them both themes.
"""

from __future__ import annotations

from html import escape

from .curves import Curve
from .plan_graph import NODE_HEIGHT, NODE_WIDTH, GraphEdge, GraphNode, PlanGraph

WIDTH, HEIGHT = 420, 170
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 12, 26
MAX_TICKS = 6
MAX_DOTS = 80
NICE_STEPS = (1, 2, 2.5, 5, 10)
TASK_SIGNS = {
    "done": "✓",
    "working": "▶",
    "parked": "⏸",
    "failed": "✗",
    "open": "○",
    "blocked": "⊘",
}


def curve_svg(curve: Curve) -> str:
    """A line over the iterations, with dots that tell their values."""
    points = curve.points
    most = _round_up(max(point.y for point in points))
    first, last = points[0].x, max(points[-1].x, points[0].x + 1)

    def place(x: float, y: float) -> tuple[str, str]:
        across = LEFT + (x - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        down = TOP + (1 - y / most) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f}", f"{down:.1f}"

    parts = [
        f'<svg class="curve curve-{curve.tone}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(curve.label)}">'
    ]
    for share in (0.0, 0.5, 1.0):
        y = place(first, most * share)[1]
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        label = f"{curve.unit}{most * share:g}"
        parts.append(f'<text class="tick tick-y" x="{LEFT - 8}" y="{y}" dy="4">{label}</text>')
    steps = min(MAX_TICKS, last - first)
    for number in range(steps + 1):
        x = round(first + (last - first) * number / steps)
        parts.append(f'<text class="tick" x="{place(x, 0)[0]}" y="{HEIGHT - 8}">{x}</text>')
    line = "L".join(" ".join(place(point.x, point.y)) for point in points)
    start, end = place(points[0].x, 0), place(points[-1].x, 0)
    parts.append(f'<path class="area" d="M{line}L{" ".join(end)}L{" ".join(start)}Z"/>')
    parts.append(f'<path class="line" d="M{line}"/>')
    for point in points if len(points) <= MAX_DOTS else ():
        cx, cy = place(point.x, point.y)
        label = f"<title>{escape(point.label)}</title>"
        parts.append(f'<circle class="dot" cx="{cx}" cy="{cy}" r="3.5">{label}</circle>')
    return "".join([*parts, "</svg>"])


def _round_up(value: float) -> float:
    """The next round number for the top of an axis."""
    if value <= 0:
        return 1.0
    size = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 0.1
    while size > value:
        size /= 10
    return next(step * size for step in NICE_STEPS if step * size >= value)


def plan_svg(graph: PlanGraph) -> str:
    """The boxes and lines of a plan; the critical path is drawn strong."""
    done = sum(node.state == "done" for node in graph.nodes)
    label = f"The plan: {len(graph.nodes)} tasks in {len(graph.columns)} waves, {done} done"
    waves = [
        f'<text class="wave" x="{column.x}" y="24">Wave {column.wave}</text>'
        for column in graph.columns
    ]
    return "".join(
        [
            f'<svg class="plan" viewBox="0 0 {graph.width} {graph.height}" '
            f'width="{graph.width}" height="{graph.height}" role="img" aria-label="{label}">',
            *waves,
            *map(_edge_svg, graph.edges),
            *map(_node_svg, graph.nodes),
            "</svg>",
        ]
    )


def _edge_svg(edge: GraphEdge) -> str:
    middle = (edge.x1 + edge.x2) // 2
    kind = "edge critical" if edge.is_critical else "edge"
    curve = f"M{edge.x1} {edge.y1}C{middle} {edge.y1} {middle} {edge.y2} {edge.x2} {edge.y2}"
    return f'<path class="{kind}" d="{curve}"/>'


def _node_svg(node: GraphNode) -> str:
    kind = f"task task-{node.state}{' critical' if node.is_critical else ''}"
    title = node.title if len(node.title) <= 27 else f"{node.title[:26]}…"
    sign = TASK_SIGNS.get(node.state, "")
    failed = f", failed {node.failures} times" if node.failures else ""
    return (
        f'<g class="{kind}" transform="translate({node.x} {node.y})">'
        f"<title>{escape(f'{node.id} {node.title}: {node.state}{failed}')}</title>"
        f'<rect width="{NODE_WIDTH}" height="{NODE_HEIGHT}" rx="9"/>'
        f'<text class="task-id" x="12" y="21">{sign} {escape(node.id)}</text>'
        f'<text class="task-title" x="12" y="40">{escape(title)}</text></g>'
    )
