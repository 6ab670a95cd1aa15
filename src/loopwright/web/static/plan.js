// The plan as a graph: waves as columns, dependencies as lines, the critical path drawn strong.
// On a narrow screen it is a list by waves instead, which needs no sideways scrolling.

import { el, svg } from "./dom.js";

const BOX = { width: 190, height: 52 };
const SIGNS = { done: "✓", working: "▶", parked: "❚❚", failed: "✗", open: "○", blocked: "⊘" };
const WORDS = {
  done: "done",
  working: "worked on now",
  parked: "failed, waits for you",
  failed: "failed, is tried again",
  open: "not begun",
  blocked: "needs a task that failed",
};

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
    svg("text", { class: "task-title", x: 12, y: 40, text: short(node.title, 24) }),
  );
}

export function drawPlan(graph, unchecked) {
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
  return [
    el(
      "div",
      { class: "plan-scroll", tabindex: 0, role: "region", "aria-label": "Graph of the plan" },
      image,
    ),
    el("div", { class: "plan-list" }, graph.columns.flatMap((column) => waveList(graph, column))),
    el("p", { class: "hint", text: legend(graph) }),
    unchecked.length
      ? el("p", { class: "plan-unchecked", text: `No command checks: ${unchecked.join("; ")}` })
      : null,
  ];
}

function waveList(graph, column) {
  const rows = graph.nodes
    .filter((node) => node.x === column.x)
    .map((node) => {
      const needs = graph.edges.filter((edge) => edge.target === node.id);
      const facts = [
        node.lane,
        node.failures ? `↻ ${node.failures}` : "",
        needs.length ? `after ${needs.map((edge) => edge.source).join(", ")}` : "",
      ].filter(Boolean);
      return el(
        "li",
        { class: `task-row task-row-${node.state}` },
        el("b", { text: `${SIGNS[node.state] || ""} ${node.id}` }),
        ` ${node.title}`,
        facts.length ? el("span", { class: "muted", text: ` · ${facts.join(" · ")}` }) : null,
      );
    });
  return [el("h3", { text: `Wave ${column.wave}` }), el("ul", {}, rows)];
}

function legend(graph) {
  const states = Object.keys(SIGNS).filter((s) => graph.nodes.some((node) => node.state === s));
  const parts = states.map((state) => `${SIGNS[state]} ${WORDS[state]}`);
  if (graph.nodes.some((node) => node.failures)) parts.push("↻ how often it failed");
  if (graph.edges.some((edge) => edge.is_critical)) parts.push("strong line: the longest chain");
  if (graph.left_out) parts.push(`${graph.left_out} more tasks are not drawn`);
  return parts.join(" · ");
}
