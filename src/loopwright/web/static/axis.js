// The time axis: a row for the loop, its cost and each task. The server computes the places.
// Hover, tap or the arrow keys tell what a box is.

import { el } from "./dom.js";

const LATE = 0.85; // a label further right ends at its tick

function kindClass(kind) {
  return `kind-${kind.replace(" ", "-")}`;
}

function percent(share) {
  return `${(share * 100).toFixed(2)}%`;
}

function boxNode(box) {
  const node = el("i", { class: kindClass(box.kind), title: box.title });
  node.style.left = percent(box.left);
  node.style.width = percent(box.width);
  node.style.height = percent(box.height);
  return node;
}

function markNode(mark) {
  const node = el("b", { class: kindClass(mark.kind), title: mark.title, text: mark.sign });
  node.style.left = percent(mark.left);
  return node;
}

function tickNode(tick) {
  const node = el("span", { text: tick.text });
  if (tick.left > LATE) node.style.right = percent(1 - tick.left);
  else node.style.left = percent(tick.left);
  return node;
}

function keyNode(kind, sign) {
  const name = sign ? "b" : "i";
  return el(name, { class: `key ${kindClass(kind)}`, "aria-hidden": "true", text: sign });
}

function rowWords(row) {
  const counts = new Map();
  for (const { kind } of [...row.boxes, ...row.marks])
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return `${row.name}: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")}`;
}

export function drawAxis(picture) {
  if (!picture.rows.length) return null;
  const told = el("p", { class: "axis-told", "aria-live": "polite" });
  const all = [];
  let chosen = -1;
  function choose(index) {
    all[chosen]?.classList.remove("chosen");
    chosen = Math.max(0, Math.min(all.length - 1, index));
    all[chosen]?.classList.add("chosen");
    told.textContent = all[chosen]?.title ?? "";
  }
  const rows = picture.rows.map((row) => {
    const boxes = row.boxes.map(boxNode);
    const marks = row.marks.map(markNode);
    all.push(...boxes, ...marks);
    return el(
      "div",
      { class: "axis-row" },
      marks.length ? el("div", { class: "axis-marks" }, marks) : null, // so that they hide no check
      el("span", { class: "axis-name", title: row.name, text: row.name }),
      el("div", { class: "axis-track", role: "img", "aria-label": rowWords(row) }, boxes),
    );
  });
  const node = el(
    "div",
    {
      class: "axis",
      tabindex: 0,
      role: "group",
      "aria-label": "The time axis; the arrow keys tell what happened when",
      on: {
        pointerover: (event) => all.includes(event.target) && choose(all.indexOf(event.target)),
        keydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          event.stopPropagation();
          choose(chosen + step);
        },
      },
    },
    rows,
    el("div", { class: "axis-clock" }, el("span"), el("div", {}, picture.ticks.map(tickNode))),
  );
  const legend = picture.legend.map(([kind, words, sign]) =>
    el("li", {}, keyNode(kind, sign), words),
  );
  return [node, told, el("ul", { class: "axis-legend" }, legend)];
}
