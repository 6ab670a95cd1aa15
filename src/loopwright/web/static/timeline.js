// The timeline: newest first, grown by the event stream, and backwards by a button.

import { clock, el, money, outputBox, speak } from "./dom.js";
import { getJson, showError } from "./server.js";

const SIGNS = {
  start: "◆",
  turn: "▸",
  iteration: "●",
  words: "❝",
  check: "✓",
  claim: "!",
  breaker: "⚡",
  gate: "?",
  answer: "↩",
  steer: "➤",
  pause: "❚❚",
  resume: "▶",
  end: "■",
  dispute: "⚖",
  proof: "◎",
  wait: "⏳",
  task: "☐",
  lane: "≡",
};
const MOST_LINES = 600;
const PHONE = matchMedia("(max-width: 620px)");

export class Timeline {
  constructor(loopId, showOutput) {
    this.loopId = loopId;
    this.showOutput = showOutput;
    this.start = 0;
    this.groups = new Map(); // by iteration
    this.list = el("ol", { class: "iterations", reversed: true });
    this.older = el("button", {
      type: "button",
      class: "quiet wide",
      on: { click: () => this.loadOlder().catch(showError) },
      text: "Older",
    });
    this.node = el(
      "div",
      {
        class: "timeline-scroll",
        tabindex: 0,
        role: "region",
        "aria-label": "What happened, newest first",
      },
      this.list,
      this.older,
    );
    this.last = 0;
    this.begun = 0;
  }

  reset(values) {
    this.list.replaceChildren();
    this.groups = new Map();
    this.last = 0;
    this.begun = 0; // the iteration of the newest turn
    this.start = values.start;
    for (const line of values.lines) this.add(line);
    this.older.hidden = this.start === 0;
  }

  // A line that the page has already is ignored: an event stream may repeat the last one.
  add(line, isNew = false) {
    if (line.seq <= this.last) return;
    this.last = line.seq;
    for (const entry of line.entries)
      this.group(line, entry, "prepend").prepend(this.item(line, entry, isNew));
    if (isNew && line.entries.length) speak(line.entries.at(-1).title);
    while (this.list.querySelectorAll(".entry").length > MOST_LINES) {
      const group = this.list.lastChild;
      group.querySelector("ol").lastChild.remove();
      if (group.querySelector(".entry")) continue;
      group.remove();
      this.groups.delete(Number(group.dataset.iteration));
    }
  }

  // The entries of one iteration. On a phone only the newest one is unfolded.
  group(line, entry, place) {
    const number = this.numberOf(line, entry, place);
    let entries = this.groups.get(number);
    if (!entries) {
      entries = el("ol", { class: "timeline", reversed: true });
      const title = number ? `Iteration ${number}` : "The start";
      const isOpen = !PHONE.matches || place === "prepend";
      const details = el(
        "details",
        { open: isOpen },
        el("summary", {}, title, el("time", { text: clock(line.at) })),
        entries,
      );
      if (place === "prepend" && PHONE.matches)
        for (const other of this.list.querySelectorAll(":scope > li > details[open]"))
          other.open = false;
      this.list[place](el("li", { class: "entries", "data-iteration": number }, details));
      this.groups.set(number, entries);
    }
    return entries;
  }

  // A turn belongs to the iteration that it will be, with what follows it: also if it fails.
  numberOf(line, entry, place) {
    const begins = entry.kind === "turn" && !entry.tone;
    if (place === "append") return line.iteration + (begins ? 1 : 0);
    if (begins) this.begun = line.iteration + 1;
    return line.iteration === this.begun - 1 ? this.begun : line.iteration;
  }

  async loadOlder() {
    const values = await getJson(
      `/api/loops/${encodeURIComponent(this.loopId)}/timeline?before=${this.start}`,
    );
    for (const line of values.lines.reverse()) {
      for (const entry of line.entries.reverse())
        this.group(line, entry, "append").append(this.item(line, entry));
    }
    this.start = values.start;
    this.older.hidden = this.start === 0;
  }

  item(line, entry, isNew) {
    const sign = entry.kind === "check" && entry.tone === "bad" ? "✗" : SIGNS[entry.kind] || "·";
    let title = entry.kind === "iteration" ? `Iteration ${line.iteration} is over` : entry.title;
    if (entry.kind === "words") title = entry.detail.trim().split("\n")[0].slice(0, 160);
    const detail =
      entry.detail && entry.detail.trim() !== title
        ? el(
            "details",
            {},
            el("summary", { text: entry.kind === "check" ? "output" : "more" }),
            outputBox(entry.detail, entry.useful_line),
          )
        : null;
    const whole = entry.log
      ? el("button", {
          type: "button",
          class: "link",
          text: "Compare outputs",
          on: { click: () => this.showOutput(entry.criterion, entry.log) },
        })
      : null;
    return el(
      "li",
      { class: `entry entry-${entry.kind} tone-${entry.tone || "plain"}${isNew ? " new" : ""}` },
      el("span", { class: "entry-sign", "aria-hidden": "true", text: sign }),
      el(
        "div",
        { class: "entry-body" },
        el(
          "p",
          {},
          title,
          entry.dollars ? el("span", { class: "muted", text: ` ${money(entry.dollars)}` }) : null,
        ),
        detail || whole ? el("div", { class: "entry-tools" }, detail, whole) : null,
      ),
      el("time", {
        datetime: new Date(line.at * 1000).toISOString(),
        title: new Date(line.at * 1000).toLocaleString(),
        text: clock(line.at),
      }),
    );
  }
}
