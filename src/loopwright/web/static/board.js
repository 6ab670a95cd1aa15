// The board: every loop of this machine and every job of its fleet, in a list of which only the
// visible part exists.

import { byId, duration, el, isShown, meter, money, plural, statusPill, timeAgo } from "./dom.js";
import { Questions } from "./questions.js";
import { follow, getJson } from "./server.js";

const FILTERS = {
  all: "All",
  needs: "Needs you",
  working: "Working",
  queued: "Queued",
  over: "Over",
  recent: "Ended since yesterday",
};
const GROUPS = { needs: 0, working: 1, queued: 2, over: 3 };
const BATCH = 1000;
const SPARE = 6; // rows above and below the visible ones

export async function showBoard() {
  document.title = "Board: Loopwright";
  const board = new Board();
  byId("main").replaceChildren(board.node);
  const asked = new URLSearchParams(location.search).get("show"); // a page for the morning
  if (asked in FILTERS) board.choose(asked);
  await board.load();
  follow(() => "/api/events", {
    board: (values) => values.reload && board.load(),
    rows: (values) => board.change(values),
  });
  return { keys: board.keys, press: (key) => board.press(key) };
}

class Board {
  constructor() {
    this.rows = new Map();
    this.filter = "all";
    this.words = "";
    this.shown = [];
    this.selected = -1;
    this.drawn = new Map();
    this.isPressed = false;
    this.keys = [
      ["/", "search"],
      ["↓ ↑ or j k", "next and previous loop"],
      ["Enter", "open the loop"],
      ["1 … 6", "all, needs you, working, queued, over, ended since yesterday"],
    ];
    this.build();
  }

  build() {
    this.title = el("h1", { text: "Loops on this machine" });
    this.totals = el("p", { class: "totals" });
    this.notice = el("p", { class: "fleet-notice", role: "status", hidden: true });
    this.search = el("input", {
      type: "search",
      placeholder: "Search spec, project, id",
      "aria-label": "Search loops",
      on: { input: () => this.find(this.search.value) },
    });
    this.buttons = Object.entries(FILTERS).map(([name, text]) =>
      el(
        "button",
        { type: "button", "aria-pressed": name === "all", on: { click: () => this.choose(name) } },
        text,
        el("span", { class: "count" }),
      ),
    );
    this.questions = new Questions();
    this.list = el("div", { class: "rows", role: "list", "aria-label": "Loops" });
    this.empty = el("div", { class: "empty", hidden: true });
    this.node = el(
      "div",
      { class: "board" },
      el(
        "div",
        { class: "board-head" },
        el("div", {}, this.title, this.totals, this.notice),
        el(
          "div",
          { class: "board-tools" },
          el("div", { class: "filters", role: "group", "aria-label": "Which loops" }, this.buttons),
          this.search,
        ),
      ),
      this.questions.node,
      this.list,
      this.empty,
    );
    // A row that is drawn again between press and release would lose the click.
    this.list.addEventListener("pointerdown", () => {
      this.isPressed = true;
    });
    for (const name of ["pointerup", "pointercancel"])
      addEventListener(name, () => {
        this.isPressed = false;
        setTimeout(() => this.draw());
      });
    addEventListener("scroll", () => this.draw(), { passive: true });
    addEventListener("resize", () => {
      this.height = 0;
      this.redraw();
    });
  }

  async load() {
    const first = await getJson("/api/loops");
    this.rows = new Map(first.rows.map((row) => [row.id, row]));
    this.total = first.total;
    this.setTotals(first);
    this.sort();
    for (let start = first.rows.length; start < first.total; start += BATCH) {
      const more = await getJson(`/api/loops?start=${start}&count=${BATCH}`);
      for (const row of more.rows) this.rows.set(row.id, row);
    }
    this.setTotals(first);
    this.sort();
  }

  change(values) {
    for (const row of values.rows) this.rows.set(row.id, row);
    for (const id of values.gone) this.rows.delete(id);
    this.setTotals(values);
    this.sort();
  }

  setTotals({ totals, unread, notice }) {
    const { needs_you, working, queued, over, unreadable } = totals;
    const all = needs_you + working + queued + over + unreadable;
    const recent = [...this.rows.values()].filter(endedSinceYesterday).length;
    const counts = [all, needs_you, working, queued, over, recent];
    this.buttons[3].hidden = !queued && this.filter !== "queued"; // only a fleet has a queue
    this.notice.textContent = notice;
    this.notice.hidden = !notice;
    this.buttons.forEach((button, index) => {
      button.lastChild.textContent = counts[index];
    });
    const parts = [plural(counts[0], "loop"), `${money(totals.dollars)} spent`];
    if (unread) parts.push(`reading ${unread} more`);
    this.totals.textContent = parts.join(" · ");
    document.title = totals.needs_you
      ? `(${totals.needs_you}) Board: Loopwright`
      : "Board: Loopwright";
  }

  choose(name) {
    this.filter = name;
    Object.keys(FILTERS).forEach((each, index) =>
      this.buttons[index].setAttribute("aria-pressed", each === name),
    );
    this.sort();
  }

  find(text) {
    this.words = text.trim().toLowerCase();
    this.sort();
  }

  // A row whose place in the queue has changed is drawn again.
  numberQueue(queued) {
    queued.forEach((row, index) => {
      if (row.place_in_queue !== index + 1)
        this.rows.set(row.id, { ...row, place_in_queue: index + 1 });
    });
  }

  matches(row) {
    if (this.filter === "recent") {
      if (!endedSinceYesterday(row)) return false;
    } else if (this.filter !== "all" && row.group !== GROUPS[this.filter]) return false;
    return (
      !this.words ||
      `${row.spec} ${row.root} ${row.id} ${row.status} ${row.why} ${jobWords(row)}`
        .toLowerCase()
        .includes(this.words)
    );
  }

  sort() {
    const keep = this.shown[this.selected]?.id;
    const all = [...this.rows.values()].sort(this.filter === "recent" ? newestEnd : compareRows);
    this.numberQueue(all.filter((row) => row.group === GROUPS.queued));
    this.shown = all.map((row) => this.rows.get(row.id)).filter((row) => this.matches(row));
    this.questions.show(this.shown.filter((row) => row.status === "asking"), () => this.draw());
    this.selected = keep ? this.shown.findIndex((row) => row.id === keep) : -1;
    this.redraw();
    const hasFleet = [...this.rows.values()].some((row) => row.job);
    this.title.textContent = hasFleet ? "Loops here and in your fleet" : "Loops on this machine";
    const nothing = this.rows.size
      ? "No loop matches."
      : "No loop has started on this machine yet.";
    this.empty.hidden = this.shown.length > 0;
    this.empty.replaceChildren(
      el("p", { text: nothing }),
      this.rows.size
        ? ""
        : el(
            "p",
            {},
            "Start one in a project: ",
            el("code", { text: 'loop start "fix all failing tests"' }),
          ),
    );
  }

  redraw() {
    this.height ||= parseFloat(getComputedStyle(this.list).getPropertyValue("--row")) || 84;
    this.list.style.height = `${this.shown.length * this.height}px`;
    this.draw();
  }

  draw() {
    if (this.isPressed) return;
    const top = Math.max(0, -this.list.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(top / this.height) - SPARE);
    const last = Math.min(this.shown.length, Math.ceil((top + innerHeight) / this.height) + SPARE);
    const wanted = new Map();
    for (let index = first; index < last; index += 1) wanted.set(this.shown[index].id, index);
    for (const [id, drawn] of this.drawn) {
      if (!wanted.has(id)) {
        drawn.node.remove();
        this.drawn.delete(id);
      }
    }
    for (const [id, index] of wanted) {
      const row = this.shown[index];
      const drawn = this.drawn.get(id)?.row === row ? this.drawn.get(id) : this.place(row);
      drawn.node.style.transform = `translateY(${index * this.height}px)`;
      drawn.node.setAttribute("aria-posinset", index + 1);
      drawn.node.setAttribute("aria-setsize", this.shown.length);
      drawn.node.classList.toggle("selected", index === this.selected);
    }
  }

  // Put a new or changed row into the list; it keeps the focus.
  place(row) {
    const before = this.drawn.get(row.id);
    const drawn = { row, node: rowNode(row) };
    const hadFocus = before?.node.contains(document.activeElement);
    if (before) before.node.replaceWith(drawn.node);
    else this.list.append(drawn.node);
    if (hadFocus) drawn.node.querySelector("a").focus({ preventScroll: true });
    this.drawn.set(row.id, drawn);
    return drawn;
  }

  select(index) {
    if (!this.shown.length) return;
    this.selected = Math.max(0, Math.min(this.shown.length - 1, index));
    const top = this.list.offsetTop + this.selected * this.height;
    if (top < scrollY + 80 || top + this.height > scrollY + innerHeight)
      scrollTo({ top: top - innerHeight / 2 });
    this.draw();
    this.drawn
      .get(this.shown[this.selected].id)
      ?.node.querySelector("a")
      .focus({ preventScroll: true });
  }

  press(key) {
    if (key === "/") this.search.focus();
    else if (key === "j" || key === "ArrowDown") this.select(this.selected + 1);
    else if (key === "k" || key === "ArrowUp") this.select(this.selected - 1);
    else if ("123456".includes(key)) this.choose(Object.keys(FILTERS)[key - 1]);
    else return false;
    return true;
  }
}

// For the morning: what came to its end yesterday or today.
function endedSinceYesterday(row) {
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  yesterday.setHours(0, 0, 0, 0);
  return row.ended_at * 1000 >= yesterday.getTime();
}

function newestEnd(a, b) {
  return b.ended_at - a.ended_at || a.id.localeCompare(b.id);
}

function compareRows(a, b) {
  const place = a.order.findIndex((number, index) => number !== b.order[index]);
  return place < 0 ? a.id.localeCompare(b.id) : a.order[place] - b.order[place];
}

// A full bar is green only where all of it is shown; of a cancelled loop it says nothing.
function progressTone(row, isFull) {
  if (row.status === "cancelled" || (row.status === "finished" && !isShown(row))) return "over";
  return isFull && row.group !== GROUPS.queued ? "good" : "";
}

function progress(row) {
  if (row.tasks) return [row.tasks_done, row.tasks, `${row.tasks_done} of ${row.tasks} tasks`];
  if (row.policy === "discovery") return [0, 0, `${row.open_items} open`];
  return [row.met, row.criteria, `${row.signs} ${row.met} of ${row.criteria} shown`];
}

// What a person may search for in a job of a fleet.
function jobWords({ job }) {
  return job ? `fleet ${job.name} ${job.worker} ${job.loop} ${job.labels.join(" ")}` : "";
}

function whyParts(row) {
  const parts = [el("b", { text: row.project })];
  if (row.job) parts.push(" · ", el("span", { class: "tag", text: `fleet ${row.job.id}` }));
  if (row.job?.name && row.job.name !== row.spec) parts.push(` · ${row.job.name}`);
  if (row.place_in_queue) parts.push(` · place ${row.place_in_queue} in the queue`);
  if (row.job?.priority) parts.push(` · priority ${row.job.priority}`);
  if (row.job?.labels.length) parts.push(` · needs ${row.job.labels.join(", ")}`);
  if (row.job?.worker && row.why) parts.push(` · on ${row.job.worker}`);
  const rest = row.why || row.driver.replaceAll("`", "");
  return rest ? [...parts, ` · ${rest}`] : parts;
}

function rowNode(row) {
  const [done, all, words] = progress(row);
  const cost = row.is_cost_known ? money(row.dollars) : "unknown";
  const begun = !row.job || row.job.loop;
  return el(
    "div",
    { class: `row row-${row.status}`, role: "listitem" },
    el(
      "a",
      { href: `/loop/${encodeURIComponent(row.id)}`, class: "row-link" },
      el("span", { class: "row-state" }, statusPill(row)),
      el(
        "span",
        { class: "row-text" },
        el("span", { class: "row-spec", text: row.spec || row.id }),
        el("span", { class: "row-why" }, whyParts(row)),
      ),
      el(
        "span",
        { class: "row-progress" },
        el("span", { text: begun ? words : "" }),
        all ? meter("Progress", done, all, words, progressTone(row, done >= all)) : null,
      ),
      el(
        "span",
        { class: "row-number" },
        el("span", { text: begun ? `${row.iterations} of ${row.max_iterations}` : "" }),
        el("small", { text: begun ? "iterations" : "" }),
      ),
      el(
        "span",
        { class: "row-number" },
        el("span", { text: begun ? cost : "" }),
        el("small", { text: begun ? `of ${money(row.max_dollars)}` : "" }),
      ),
      el(
        "span",
        { class: "row-time" },
        timeAgo(row.ended_at || row.changed_at),
        el("small", { text: begun && row.minutes ? `worked ${duration(row.minutes)}` : "" }),
      ),
    ),
  );
}
