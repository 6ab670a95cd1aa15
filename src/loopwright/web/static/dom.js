// Build elements. Text from agents only ever becomes a text node: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

// Characters that are invisible, or that turn the direction of writing: a line must read as it is.
const CONTROLS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
const FORMATTING = "\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff";
const INVISIBLE = new RegExp(`[${CONTROLS}${FORMATTING}]`, "g");

function clean(text) {
  return String(text).replace(INVISIBLE, "");
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-")))
      continue;
    if (name === "on")
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "text") node.textContent = clean(value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  const present = children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...present.map((child) => (child instanceof Node ? child : clean(child))));
  return node;
}

export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

export function speak(text) {
  byId("spoken").textContent = text;
}

export function money(dollars) {
  if (Number.isInteger(dollars) || dollars >= 1000) return `$${Math.round(dollars)}`;
  return `$${dollars.toFixed(2)}`;
}

export function duration(minutes) {
  if (minutes < 2) return `${Math.round(minutes * 60)} s`;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}

export function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  if (passed < 60) return "just now";
  if (passed < 7200) return `${Math.round(passed / 60)} min ago`;
  if (passed < 172800) return `${Math.round(passed / 3600)} h ago`;
  return `${Math.round(passed / 86400)} days ago`;
}

export function timeAgo(seconds) {
  return el("time", {
    datetime: new Date(seconds * 1000).toISOString(),
    title: new Date(seconds * 1000).toLocaleString(),
    "data-at": seconds,
    text: ago(seconds),
  });
}

// An output, scrolled to the line that a person wants to read first.
export function outputBox(text, usefulLine) {
  const lines = clean(text).split("\n");
  const useful = el("mark", { class: "useful" }, lines[usefulLine] ?? "");
  const box = el("pre", { tabindex: 0 });
  if (usefulLine) {
    box.append(`${lines.slice(0, usefulLine).join("\n")}\n`, useful);
    box.append(`\n${lines.slice(usefulLine + 1).join("\n")}`);
    scrollWhenShown(box, useful);
  } else box.append(clean(text));
  return box;
}

export function scrollWhenShown(box, line) {
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    const above = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += above - box.clientHeight / 3;
  });
  watcher.observe(box);
}

setInterval(() => {
  for (const node of document.querySelectorAll("time[data-at]"))
    node.textContent = ago(Number(node.dataset.at));
}, 15000);

const WORDS = {
  running: "Working",
  asking: "Asks you",
  paused: "Paused",
  finished: "Finished",
  cancelled: "Cancelled",
  unreadable: "Unreadable",
  queued: "Queued",
  failed: "Failed",
  waiting: "Waits",
  interrupted: "Waits for you",
  undriven: "Waits for a session",
};
const SIGNS = {
  running: "▶",
  asking: "?",
  paused: "❚❚",
  finished: "✓",
  cancelled: "✕",
  unreadable: "!",
  queued: "⋯",
  failed: "!",
  waiting: "⏳",
  interrupted: "?",
  undriven: "○",
};

// Has a command of ours shown it? Nobody ticks what was only reported or accepted.
export function isShown(row) {
  return row.verdict === "SHIP" || row.grade.startsWith("proven");
}

export function statusPill(row) {
  const unshown = row.status === "finished" && !isShown(row);
  const tone = row.status === "finished" ? (unshown ? "waits" : "good") : row.status;
  const sign = SIGNS[row.status] || "";
  const word = row.status === "finished" && row.grade ? row.grade : WORDS[row.status] || row.status;
  return el(
    "span",
    { class: `pill pill-${tone}` },
    el("span", { class: "sign", "aria-hidden": "true", text: unshown ? "–" : sign }),
    word[0].toUpperCase() + word.slice(1),
  );
}

// A limit that is nearly used up warns; `tone` is that of a bar which shows something else.
export function meter(label, used, limit, text, tone) {
  const share = limit > 0 ? Math.min(1, used / limit) : 0;
  const shown = tone ?? (share >= 0.9 ? "waits" : "");
  const bar = el(
    "div",
    {
      class: `bar${shown ? ` bar-${shown}` : ""}`,
      role: "progressbar",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": limit,
      "aria-valuenow": used,
      "aria-valuetext": text,
    },
    el("i"),
  );
  bar.firstChild.style.width = `${share * 100}%`;
  return bar;
}
