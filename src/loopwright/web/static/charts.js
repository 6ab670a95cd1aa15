// Curves of cost and failing tests over the iterations, and the lanes of the criteria.

import { el, money, svg } from "./dom.js";

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 44;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 26;
const MOST_COLUMNS = 40;

function niceTop(value) {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * size).find((top) => top >= value);
}

// A curve of the server: {title, latest, label, tone, unit, limit, points: [{x, y, label}]}.
function curve({ points: known, label, tone, limit, unit }) {
  const tick = (value) => (unit ? money(value) : Number.isInteger(value) ? value : "");
  const most = Math.max(...known.map((point) => point.y), 0);
  const top = niceTop(limit && limit < most * 1.6 ? Math.max(most, limit) : most);
  const firstX = known[0].x;
  const lastX = Math.max(known.at(-1).x, firstX + 1);
  const x = (value) => LEFT + ((value - firstX) / (lastX - firstX)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const image = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: `curve curve-${tone}`,
    role: "img",
    "aria-label": label,
  });
  for (const share of [0, 0.5, 1]) {
    image.append(
      svg("line", {
        class: "grid",
        x1: LEFT,
        x2: WIDTH - RIGHT,
        y1: y(top * share),
        y2: y(top * share),
      }),
      svg("text", {
        class: "tick tick-y",
        x: LEFT - 8,
        y: y(top * share) + 4,
        text: tick(top * share),
      }),
    );
  }
  const steps = Math.min(6, lastX - firstX);
  for (let number = 0; number <= steps; number += 1) {
    const value = Math.round(firstX + ((lastX - firstX) * number) / steps);
    image.append(svg("text", { class: "tick", x: x(value), y: HEIGHT - 8, text: value }));
  }
  if (limit && limit <= top)
    image.append(
      svg("line", { class: "limit", x1: LEFT, x2: WIDTH - RIGHT, y1: y(limit), y2: y(limit) }),
    );
  const line = known
    .map((point, index) => `${index ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`)
    .join("");
  if (known.length > 1) {
    image.append(
      svg("path", {
        class: "area",
        d: `${line}L${x(known.at(-1).x).toFixed(1)} ${y(0)}L${x(known[0].x).toFixed(1)} ${y(0)}Z`,
      }),
      svg("path", { class: "line", d: line }),
    );
  }
  if (known.length < 80)
    for (const point of known)
      image.append(
        svg(
          "circle",
          { class: "dot", cx: x(point.x), cy: y(point.y), r: 3.5 },
          svg("title", { text: point.label }),
        ),
      );
  return image;
}

function figure(title, latest, image) {
  return el(
    "figure",
    { class: "card chart" },
    el("figcaption", {}, el("h2", { text: title }), el("span", { class: "latest", text: latest })),
    image,
  );
}

export function drawCurves(curves) {
  const figures = curves.map((each) => figure(each.title, each.latest, curve(each)));
  return figures.length ? el("div", { class: "charts" }, figures) : null;
}

export function drawLanes(history, criteria) {
  const points = history.points.slice(-MOST_COLUMNS);
  const names = criteria
    .filter((criterion) => criterion.kind === "criterion")
    .map((criterion) => criterion.name)
    .filter((name) => points.some((point) => name in point.results));
  if (!names.length) return [];
  const head = el(
    "tr",
    {},
    el("th", { scope: "col", text: "Criterion" }),
    points.map((point) =>
      el(
        "th",
        { scope: "col", title: point.notes.join(", ") || null },
        String(point.number),
        point.notes.length ? el("sup", { text: "•" }) : null,
      ),
    ),
  );
  const body = names.slice(0, 60).map((name) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", title: name, text: name }),
      points.map((point) => cell(point.results[name], point.carried.includes(name))),
    ),
  );
  const table = el(
    "div",
    {
      class: "lanes",
      tabindex: 0,
      role: "region",
      "aria-label": "Results, one column for each iteration",
    },
    el("table", {}, el("thead", {}, head), el("tbody", {}, body)),
  );
  const notes = points
    .filter((point) => point.notes.length)
    .map((point) => `${point.number}: ${point.notes.join(", ")}`);
  const hints = notes.length ? [`• ${notes.join("; ")}`] : [];
  if (points.some((point) => point.carried.length))
    hints.push("= not run again: the files are as they were");
  return [table, hints.length ? el("p", { class: "hint", text: hints.join(" · ") }) : null];
}

function cell(passed, isCarried) {
  if (passed === undefined)
    return el(
      "td",
      {},
      el("span", { class: "cell", text: "·" }),
      el("span", { class: "unseen", text: "not run" }),
    );
  return el(
    "td",
    {},
    el("span", {
      class: isCarried ? "cell" : `cell cell-${passed ? "good" : "bad"}`,
      "aria-hidden": "true",
      text: `${isCarried ? "=" : ""}${passed ? "✓" : "✗"}`,
    }),
    el("span", {
      class: "unseen",
      text: `${passed ? "passed" : "failed"}${isCarried ? ", not run again" : ""}`,
    }),
  );
}
