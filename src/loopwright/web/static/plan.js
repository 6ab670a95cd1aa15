// The plan as a graph: waves as columns, dependencies as lines, the critical path drawn strong.

import { el, svg } from "./dom.js";

const BOX = { width: 190, height: 52 };
const SIGNS = { done: "✓", working: "▶", parked: "❚❚", open: "○", blocked: "⊘" };

function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function box(node) {
  const failures = node.failures ? `, failed ${node.failures} times` : "";
  const lane = node.lane ? `, in a lane of ${node.lane}` : "";
  const words = `${node.id} ${node.title}: ${node.state}${failures}${lane}`;
  return svg(
    "g",
    {
      class: `task task-${node.state}${node.is_critical ? " critical" : ""}`,
      transform: `translate(${node.x} ${node.y})`,
    },
    svg("title", { text: words }),
    svg("rect", { width: BOX.width, height: BOX.height, rx: 9 }),
    svg("text", {
      class: "task-id",
      x: 12,
      y: 21,
      text: `${SIGNS[node.state] || ""} ${node.id}${node.failures ? `  ↻ ${node.failures}` : ""}`,
    }),
    node.lane
      ? svg("text", { class: "task-lane", x: BOX.width - 12, y: 21, text: short(node.lane, 10) })
      : null,
    svg("text", { class: "task-title", x: 12, y: 40, text: short(node.title, 27) }),
  );
}

export function drawPlan(graph) {
  const done = graph.nodes.filter((node) => node.state === "done").length;
  const size = `${graph.nodes.length} tasks in ${graph.columns.length} waves`;
  const image = svg("svg", {
    viewBox: `0 0 ${graph.width} ${graph.height}`,
    width: graph.width,
    height: graph.height,
    class: "plan",
    role: "img",
    "aria-label": `The plan: ${size}; ${done} done`,
  });
  for (const column of graph.columns)
    image.append(svg("text", { class: "wave", x: column.x, y: 22, text: `Wave ${column.wave}` }));
  for (const edge of graph.edges) {
    const middle = (edge.x1 + edge.x2) / 2;
    image.append(
      svg("path", {
        class: `edge${edge.is_critical ? " critical" : ""}`,
        d: `M${edge.x1} ${edge.y1}C${middle} ${edge.y1} ${middle} ${edge.y2} ${edge.x2} ${edge.y2}`,
      }),
    );
  }
  image.append(...graph.nodes.map(box));
  const more = graph.left_out ? ` ${graph.left_out} more tasks are not drawn.` : "";
  return [
    el(
      "div",
      { class: "plan-scroll", tabindex: 0, role: "region", "aria-label": "Graph of the plan" },
      image,
    ),
    el("p", { class: "hint", text: `The strong line is the critical path.${more}` }),
  ];
}
