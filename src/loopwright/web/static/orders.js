// Orders of the person: buttons and forms. Without --control the page names the command instead.

import { el, speak } from "./dom.js";
import { openSheet } from "./evidence.js";
import { giveOrder, session } from "./server.js";

// A button that gives an order: it is dead while the server does not answer.
function orderButton(text, act, tone = "") {
  const attributes = { type: "button", class: `order ${tone}`, disabled: !session.isLive };
  return el("button", { ...attributes, text, on: { click: act } });
}

function sectionNode({ title, rows }) {
  return el(
    "div",
    { class: "gate-section" },
    el("h2", { text: title }),
    el(
      "pre",
      { tabindex: 0 },
      rows.map((text) => el("span", { class: `line line-${rowKind(text)}`, text: `${text}\n` })),
    ),
  );
}

// The lines of a finding, as they were and as they are.
function rowKind(text) {
  if (text.startsWith("    + ")) return "added";
  return text.startsWith("    - ") ? "removed" : "same";
}

function answerCommand(page, job) {
  if (job) return `loop fleet answer ${job.id} yes`;
  return page.gate === "rule" ? "loop rule" : "loop answer yes";
}

export class Orders {
  constructor(loopId) {
    this.loopId = loopId;
    this.result = el("p", { class: "order-result", role: "status" });
  }

  async give(order, buttons = []) {
    if (!session.isLive) return false;
    for (const button of buttons) button.disabled = true;
    this.result.className = "order-result";
    this.result.textContent = "Sending …";
    try {
      const message = await giveOrder(this.loopId, order);
      this.result.textContent = (message || "Done.").replace(/^\[LOOP\] /, "").split("\n")[0];
      speak(this.result.textContent);
      return true;
    } catch (error) {
      this.result.className = "order-result error";
      this.result.textContent = error.message;
      return false;
    } finally {
      for (const button of buttons) button.disabled = !session.isLive;
    }
  }

  // The reply to an order that took effect later, such as that of a worker of a fleet.
  showReply({ text, refused }) {
    this.result.className = refused ? "order-result error" : "order-result";
    this.result.textContent = text.replace(/^\[LOOP\] /, "").split("\n")[0];
    speak(this.result.textContent);
  }

  bar(row) {
    const goesOn = ["running", "waiting", "undriven", "interrupted", "queued"].includes(row.status);
    const open = goesOn || ["asking", "paused"].includes(row.status);
    if (!session.control || !(open || row.status === "failed")) return null;
    const button = orderButton;
    return el(
      "div",
      { class: "buttons", role: "group", "aria-label": "Orders" },
      goesOn
        ? button("Pause", () => this.give({ order: "pause" }))
        : null,
      ["paused", "interrupted"].includes(row.status)
        ? button("Continue", () => this.askContinue(), "primary")
        : null,
      row.status === "failed"
        ? button("Try again", () => this.give({ order: "continue" }), "primary")
        : null,
      open ? button("Steer", () => this.askSteer()) : null,
      open ? button("Cancel the loop", () => this.askCancel(), "danger") : null,
    );
  }

  form(title, intro, fields, action, order) {
    const inputs = fields.map(([name, label, kind]) => [
      name,
      el(
        kind === "text" ? "textarea" : "input",
        kind === "text"
          ? { rows: 3, maxlength: 2000, required: true }
          : { type: "number", min: 0, step: "any" },
      ),
      label,
    ]);
    const send = el("button", { class: "order primary", text: action });
    const form = el(
      "form",
      { class: "stack" },
      intro ? el("p", { text: intro }) : null,
      inputs.map(([, input, label]) =>
        el("label", { class: "field" }, el("span", { text: label }), input),
      ),
      el("div", { class: "buttons" }, send),
    );
    const dialog = openSheet(title, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = Object.fromEntries(inputs.map(([name, input]) => [name, input.value]));
      if (await this.give({ order, ...values }, [send])) dialog.close();
      else form.append(el("p", { class: "error", role: "alert", text: this.result.textContent }));
    });
    inputs[0]?.[1].focus();
  }

  askContinue() {
    this.form(
      "Continue the loop",
      "Leave a field empty to keep its limit.",
      [
        ["budget", "More dollars"],
        ["iterations", "More iterations"],
        ["minutes", "More minutes"],
      ],
      "Continue",
      "continue",
    );
  }

  askSteer() {
    this.form(
      "Tell the agent something",
      "The agent reads it with its next prompt.",
      [["text", "Your words", "text"]],
      "Send",
      "steer",
    );
  }

  askCancel() {
    this.form(
      "Cancel the loop?",
      "It ends now. Journal and evidence are kept; the files stay as they are.",
      [],
      "Cancel the loop",
      "cancel",
    );
  }

  gateCard(page, job) {
    if (!page.question) return null;
    const body = [
      el("p", { class: "eyebrow", text: "The loop asks" }),
      page.danger ? el("p", { class: "danger", text: `⚠ ${page.danger}` }) : null,
      el("p", { class: "question", text: page.question }),
      ...page.gate_sections.map(sectionNode),
    ];
    if (!session.control) {
      body.push(
        el(
          "p",
          { class: "muted" },
          "Answer in the terminal: ",
          el("code", { text: answerCommand(page, job) }),
          ". To answer here, start the page with ",
          el("code", { text: "loop serve --control" }),
          ".",
        ),
      );
    } else if (page.gate !== "rule") {
      const words = el("textarea", {
        rows: 2,
        maxlength: 2000,
        "aria-label": "Your words",
        placeholder: "Your words (optional)",
      });
      const answer = (word) => {
        const text = [word, words.value.trim()].filter(Boolean).join(", ");
        if (text) this.give({ order: "answer", text, question: page.question }, buttons);
      };
      const buttons = [
        [page.yes_does ? `Yes: ${page.yes_does}` : "Yes", "yes", "primary"],
        [page.no_does ? `No: ${page.no_does}` : "No", "no", ""],
        ["Send my words only", "", ""],
      ].map(([label, word, tone]) => orderButton(label, () => answer(word), tone));
      body.push(words, el("div", { class: "buttons" }, buttons));
    }
    if (page.answer_reaches)
      body.push(el("p", { class: "hint", text: page.answer_reaches.replaceAll("`", "") }));
    return el("section", { class: "card gate", "aria-label": "Question" }, body);
  }

  disputeCard(page, job) {
    if (!page.awaiting_ruling.length) return null;
    const rows = page.awaiting_ruling.map((name) => {
      const dispute = page.disputes.find((each) => each.criterion === name && !each.ruling);
      const command = el("input", {
        type: "text",
        "aria-label": `New command for ${name}`,
        placeholder: "new command, for change",
      });
      const rule = (ruling) =>
        this.give({
          order: "rule",
          criterion: name,
          ruling,
          command: ruling === "change" ? command.value : "",
        });
      return el(
        "div",
        { class: "dispute" },
        el("h3", { text: name }),
        el("p", { text: dispute?.why || "All its looks are used up." }),
        session.control
          ? el(
              "div",
              { class: "buttons" },
              ["keep", "drop", "change"].map((word) =>
                orderButton(word[0].toUpperCase() + word.slice(1), () => rule(word)),
              ),
              command,
            )
          : el(
              "p",
              { class: "muted" },
              job ? "Decide here: " : "Decide in the terminal: ",
              el("code", { text: job ? "loop serve --control" : `loop rule "${name}" keep` }),
            ),
      );
    });
    return el(
      "section",
      { class: "card gate", "aria-label": "Disputes" },
      el("p", { class: "eyebrow", text: "The agent calls a check wrong" }),
      rows,
    );
  }
}
