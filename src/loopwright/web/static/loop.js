// The page of one loop: question, limits, curves, criteria, plan, timeline, words; all of it live.

import { byId, duration, el, meter, money, outputBox, statusPill, timeAgo } from "./dom.js";
import { drawAxis } from "./axis.js";
import { drawCurves, drawLanes } from "./charts.js";
import { openDiff, openEvidence } from "./evidence.js";
import { Orders } from "./orders.js";
import { drawPlan } from "./plan.js";
import { follow, getJson } from "./server.js";
import { Timeline } from "./timeline.js";

export async function showLoop(id) {
  const view = new LoopView(id);
  await view.load();
  byId("main").replaceChildren(view.node);
  const base = `/api/loops/${encodeURIComponent(id)}`;
  follow(() => `${base}/events?from=${view.position}`, {
    line: (line) => {
      view.position = line.end;
      view.timeline.add(line, true);
    },
    state: (values) => view.show(values),
    words: (words) => view.showWords(words),
    reply: (reply) => view.orders.showReply(reply),
    reload: () => view.load(),
  });
  return { keys: view.keys, press: (key) => view.press(key) };
}

const STATE_WORDS = {
  met: "holds",
  earlier: "ran before the files changed",
  failed: "fails",
  claimed: "said, not shown by a command",
  open: "open",
};

// What is drawn again only if it has changed.
const PARTS = [
  ...["head", "gate", "meters", "axis", "curves", "lanes", "criteria", "demands", "plan"],
  ...["findings", "words"],
];

class LoopView {
  constructor(id) {
    this.id = id;
    this.position = 0;
    this.keys = [
      ["d", "changes in the files"],
      ["a", "answer the question"],
      ["e", "outputs of the first failing check"],
    ];
    this.orders = new Orders(id);
    this.timeline = new Timeline(id, (criterion, log) =>
      openEvidence(id, this.history, criterion, log),
    );
    this.parts = Object.fromEntries(
      PARTS.map((name) => [name, el("div", { class: `part part-${name}` })]),
    );
    this.drawn = {};
    this.timelineCard = el(
      "section",
      { class: "card timeline-card", "aria-label": "Timeline" },
      el("h2", { text: "Timeline" }),
      this.timeline.node,
    );
    const p = this.parts;
    this.node = el(
      "div",
      { class: "loop" },
      p.head,
      this.orders.result,
      p.gate,
      p.meters,
      p.axis,
      p.plan,
      el(
        "div",
        { class: "columns" },
        el("div", { class: "column" }, p.curves, p.criteria, p.demands, p.lanes, p.findings),
        el(
          "div",
          { class: "column side" },
          p.words,
          this.timelineCard,
        ),
      ),
    );
  }

  async load() {
    const values = await getJson(`/api/loops/${encodeURIComponent(this.id)}`);
    this.position = values.position;
    this.timeline.reset(values);
    this.show(values);
    this.showWords(values.words);
  }

  show({ row, page, history, notice }) {
    this.history = history;
    this.page = page;
    document.title = `${row.status === "asking" ? "(?) " : ""}${row.spec}: Loopwright`;
    byId("trail").replaceChildren(
      el("span", { "aria-hidden": "true", text: "/" }),
      el("span", { text: row.project, title: row.root }),
    );
    const { status, why, verdict, job } = row;
    const facts = [page.headline, page.next_step, page.verdict_notes];
    this.draw("head", [status, why, verdict, job, facts, notice], () =>
      this.headParts(row, page, notice),
    );
    const asked = [page.question, page.gate, page.gate_sections, page.awaiting_ruling];
    this.draw("gate", [asked, page.to_decide], () => [
      this.notes("To decide, in a terminal", page.to_decide),
      this.orders.gateCard(page, job),
      this.orders.disputeCard(page, job),
    ]);
    this.draw("axis", history.axis, () => section("Time", drawAxis(history.axis)));
    this.draw("meters", [page.limits, page.counters], () => page.limits.length && meters(page));
    this.draw("demands", [page.demands, page.strength], () => this.demandParts(page));
    const hasCurves = history.points.length > 0 || !job; // a job may not have begun
    this.draw("curves", [hasCurves, history.complete, history.curves], () => [
      hasCurves ? drawCurves(history.curves) : null,
      history.complete
        ? null
        : el("p", { class: "muted", text: "The record is long and still being read …" }),
    ]);
    this.timelineCard.hidden = !hasCurves;
    this.draw("criteria", page.criteria, () => this.criteriaParts(page));
    this.draw("lanes", [history.points, page.criteria.map((c) => c.name)], () =>
      section("Criteria over the iterations", ...drawLanes(history, page.criteria)),
    );
    this.draw("plan", [page.graph, page.unchecked], () =>
      page.graph ? section("Plan", ...drawPlan(page.graph, page.unchecked)) : null,
    );
    this.draw("findings", [page.findings, page.backlog, page.backlog_done], () => [
      findings(page),
      backlog(page),
    ]);
  }

  // Draw a part only when its values have changed: what a person has opened or written stays.
  draw(name, values, make) {
    const text = JSON.stringify(values ?? null);
    if (this.drawn[name] === text) return;
    this.drawn[name] = text;
    this.parts[name].replaceChildren(...[make()].flat().filter(Boolean));
  }

  headParts(row, page, notice) {
    const changes = el("button", {
      type: "button",
      text: "Changes in the files",
      on: { click: () => openDiff(this.id, this.history) },
    });
    changes.hidden = this.history.commits.length < 2;
    const more = page.spec.length > row.spec.length || page.spec.includes("\n");
    return [
      el("div", { class: "loop-title" }, statusPill(row), el("h1", { text: row.spec })),
      page.question
        ? null
        : el("p", { class: "loop-why", text: reason(row, page) }),
      page.next_step
        ? el("p", { class: "loop-next", text: `Next: ${page.next_step.replaceAll("`", "")}` })
        : null,
      el(
        "p",
        { class: "muted loop-facts" },
        row.job ? jobParts(row) : `${row.place} · ${row.id}`,
        row.job && !row.job.loop ? " · submitted " : " · started ",
        timeAgo(row.started_at),
        row.driver ? ` · driven by ${row.driver.replaceAll("`", "")}` : "",
        row.agent ? ` · ${row.agent}` : "",
      ),
      notice ? el("p", { class: "fleet-notice", role: "status", text: notice }) : null,
      more
        ? el(
            "details",
            { class: "spec" },
            el("summary", { text: "The whole request" }),
            el("pre", { tabindex: 0, text: page.spec }),
          )
        : null,
      page.verdict_notes.length
        ? el(
            "ul",
            { class: "notes" },
            page.verdict_notes.map((note) => el("li", { text: note })),
          )
        : null,
      el("div", { class: "buttons" }, this.orders.bar(row), changes),
    ];
  }

  demandParts(page) {
    return [
      this.notes("Demands of the spec", page.demands),
      this.notes("Strength of the checks", page.strength),
    ];
  }

  notes(title, lines) {
    if (!lines.length) return null;
    const rows = lines.map((line) => el("li", { text: line }));
    return section(title, el("ul", { class: "notes" }, rows));
  }

  criteriaParts(page) {
    const rows = page.criteria.map((criterion) => this.criterion(criterion));
    if (!rows.length) return null;
    return section("Criteria", el("ul", { class: "criteria" }, rows));
  }

  criterion(criterion) {
    const tags = [
      criterion.kind === "criterion" ? "" : criterion.kind,
      criterion.is_guard ? "passed at the start" : "",
      criterion.is_flaky ? "flaky" : "",
      criterion.is_disputed ? "disputed" : "",
    ].filter(Boolean);
    const whole = criterion.log
      ? el("button", {
          type: "button",
          class: "link",
          text: "Outputs and differences",
          on: { click: () => openEvidence(this.id, this.history, criterion.name, criterion.log) },
        })
      : null;
    return el(
      "li",
      { class: `criterion criterion-${criterion.state}` },
      el("span", { class: "mark", "aria-hidden": "true", text: criterion.sign }),
      el(
        "div",
        {},
        el(
          "p",
          {},
          el("b", { text: criterion.name }),
          el("span", { class: "unseen", text: `, ${STATE_WORDS[criterion.state]}` }),
          tags.map((tag) => el("span", { class: "tag", text: tag })),
        ),
        el(
          "p",
          { class: "muted" },
          criterion.command ? el("code", { text: criterion.command }) : null,
          criterion.command ? " " : "",
          criterion.result.replaceAll("`", ""),
        ),
        criterion.output
          ? el(
              "details",
              { open: criterion.state === "failed" },
              el("summary", { text: "Last output" }),
              outputBox(criterion.output, criterion.useful_line),
            )
          : null,
        whole,
      ),
    );
  }

  showWords(words) {
    const said = words.lines.length
      ? words.lines
      : this.page?.last_words
        ? this.page.last_words.split("\n")
        : [];
    this.draw("words", [said, words.turn], () =>
      said.length
        ? el(
            "section",
            { class: "card", "aria-label": "The agent's latest words" },
            el(
              "h2",
              {},
              "The agent",
              el("span", { class: "latest", text: turnOf(words) }),
            ),
            el("pre", { class: "words", tabindex: 0, text: said.slice(-24).join("\n") }),
          )
        : null,
    );
  }

  press(key) {
    if (key === "d" && this.history.commits.length > 1) openDiff(this.id, this.history);
    else if (key === "a") this.node.querySelector(".gate textarea, .gate button")?.focus();
    else if (key === "e") {
      const failing =
        this.page.criteria.find((c) => c.state === "failed" && c.log) ||
        this.page.criteria.find((c) => c.log);
      if (failing) openEvidence(this.id, this.history, failing.name, failing.log);
    } else return false;
    return true;
  }
}

function turnOf(words) {
  if (!words.turn) return "";
  const turn = `turn ${words.turn}, ${words.agent}`;
  return words.lines.length ? turn : `before ${turn}, which has not said anything yet`;
}

function jobParts({ job, spec }) {
  const name = job.name && job.name !== spec ? ` · ${job.name}` : "";
  return [
    el("span", { class: "tag", text: `fleet job ${job.id}` }),
    ` ${job.state}${name} · ${job.repository}`,
    job.loop ? ` · loop ${job.loop}` : "",
  ];
}

function reason(row, page) {
  const text = row.why ? row.why.replaceAll("`", "") : sentence(page.headline);
  return row.status === "waiting" ? `Waits ${text}` : text[0].toUpperCase() + text.slice(1);
}

function sentence(headline) {
  const text = headline.replace(/^\w+: /, "").replaceAll("`", "");
  return text[0].toUpperCase() + text.slice(1);
}

function section(title, ...body) {
  return body.some(Boolean)
    ? el("section", { class: "card", "aria-label": title }, el("h2", { text: title }), ...body)
    : null;
}

function meters(page) {
  const words = {
    dollars: (value) => money(value),
    minutes: duration,
    iterations: (value) => `${value}`,
  };
  const cards = page.limits.map(({ name, used, limit }) => {
    const text = `${words[name](used)} of ${words[name](limit)}`;
    return el(
      "div",
      { class: "card limit-card" },
      el("p", { class: "limit-name", text: name }),
      el(
        "p",
        { class: "limit-text" },
        el("b", { text: words[name](used) }),
        ` of ${words[name](limit)}`,
      ),
      meter(name, used, limit, text),
    );
  });
  const active = page.counters.filter((counter) => counter.used > 0);
  const streaks = el(
    "div",
    { class: "card limit-card" },
    el("p", { class: "limit-name", text: "signs of being stuck" }),
    active.length
      ? el(
          "ul",
          { class: "streaks" },
          active.map(({ name, used, limit }) =>
            el(
              "li",
              { class: used >= limit - 1 ? "near" : "" },
              el("b", { text: `${used} of ${limit}` }),
              ` ${name}`,
            ),
          ),
        )
      : el("p", { class: "limit-text" }, el("b", { text: "None" })),
  );
  return page.counters.length ? [...cards, streaks] : cards; // a loop that is over has none
}

function findings(page) {
  if (!page.findings.length) return null;
  return section(
    "Findings",
    el(
      "ul",
      { class: "findings" },
      page.findings.map((finding) =>
        el(
          "li",
          { class: `finding finding-${finding.severity}` },
          el("span", { class: "tag", text: finding.severity }),
          el("code", { text: finding.file }),
          ` ${finding.text}`,
        ),
      ),
    ),
  );
}

function backlog(page) {
  if (!page.backlog.length && !page.backlog_done.length) return null;
  return section(
    "Backlog",
    el(
      "ul",
      { class: "backlog" },
      page.backlog.map((item) => el("li", { text: item })),
    ),
    page.backlog_done.length
      ? el(
          "details",
          {},
          el("summary", { text: `${page.backlog_done.length} done` }),
          el(
            "ul",
            { class: "backlog" },
            page.backlog_done.map((item) => el("li", { text: item })),
          ),
        )
      : null,
  );
}
