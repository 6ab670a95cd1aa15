"""The graph of a plan as text for other programs: Mermaid, Graphviz DOT, or an SVG file. Pure."""

from __future__ import annotations

from .plan_graph import GraphNode, PlanGraph
from .svg_drawings import plan_svg

# State → fill and border, readable on light and dark pages.
COLOURS = {
    "done": ("#d6f0dc", "#1f7a3d"),
    "working": ("#dbe9ff", "#1d5fbf"),
    "parked": ("#fde0c8", "#b4540a"),
    "failed": ("#fbe9e7", "#b3261e"),
    "blocked": ("#ececec", "#8a8a8a"),
    "open": ("#ffffff", "#5c5c5c"),
}
SVG_STYLE = (
    "text{font:13px sans-serif;fill:#222}.wave{font-weight:bold;fill:#555}"
    ".task-id{font-weight:bold}.edge{fill:none;stroke:#999;stroke-width:1.5}"
    ".critical rect{stroke-width:3}.edge.critical{stroke:#c0392b;stroke-width:3}"
)


def mermaid(graph: PlanGraph) -> str:
    """A flow chart with a frame for each wave; the critical path has thick lines."""
    names = {node.id: f"t{number}" for number, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    for column in graph.columns:
        lines.append(f'  subgraph w{column.wave}["Wave {column.wave}"]')
        lines += [
            f'    {names[node.id]}["{_mermaid_text(_label(node))}"]:::{node.state}'
            for node in graph.nodes
            if node.x == column.x
        ]
        lines.append("  end")
    for edge in graph.edges:
        arrow = "==>" if edge.is_critical else "-->"
        lines.append(f"  {names[edge.source]} {arrow} {names[edge.target]}")
    for state, (fill, border) in COLOURS.items():
        lines.append(f"  classDef {state} fill:{fill},stroke:{border},color:#222")
    critical = [names[node.id] for node in graph.nodes if node.is_critical]
    return "\n".join([*lines, *(f"  style {name} stroke-width:4px" for name in critical)])


def _label(node: GraphNode) -> str:
    return f"{node.id} {node.title}".strip()


def _mermaid_text(text: str) -> str:
    """Text inside quotes: Mermaid writes special letters as entities."""
    for letter, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(letter, entity)
    return text.replace("#", "&num;").replace("`", "'")


def dot(graph: PlanGraph) -> str:
    """A graph for Graphviz: one rank for each wave."""
    lines = ["digraph plan {", "  rankdir=LR;", '  node [shape=box, style="rounded,filled"];']
    for column in graph.columns:
        lines.append(f'  subgraph "cluster_{column.wave}" {{ label="Wave {column.wave}";')
        lines += [_dot_node(node) for node in graph.nodes if node.x == column.x]
        lines.append("  }")
    for edge in graph.edges:
        style = ' [penwidth=3, color="#c0392b"]' if edge.is_critical else ""
        lines.append(f"  {_dot_text(edge.source)} -> {_dot_text(edge.target)}{style};")
    return "\n".join([*lines, "}"])


def _dot_node(node: GraphNode) -> str:
    fill, border = COLOURS[node.state]
    width = 3 if node.is_critical else 1
    return (
        f"    {_dot_text(node.id)} [label={_dot_text(_label(node))}, "
        f'fillcolor="{fill}", color="{border}", penwidth={width}];'
    )


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def svg(graph: PlanGraph) -> str:
    """A file of its own, with its colours."""
    rules = "".join(
        f".task-{state} rect{{fill:{fill};stroke:{border}}}"
        for state, (fill, border) in COLOURS.items()
    )
    drawing = plan_svg(graph)
    head, _, rest = drawing.partition(">")
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f"{head}><style>{SVG_STYLE}{rules}</style>{rest}"
