// The questions of all loops, above the rows of the board, each with its answer.

import { el } from "./dom.js";
import { Orders } from "./orders.js";
import { getJson, showError } from "./server.js";

const MOST = 12;

export class Questions {
  constructor() {
    this.node = el("section", { class: "questions", "aria-label": "Questions", hidden: true });
    this.cards = new Map(); // by the id of the loop
  }

  // Cards of other rows go; a card whose question is the same stays, with what was written in it.
  show(rows, onChange) {
    const wanted = new Map(rows.slice(0, MOST).map((row) => [row.id, row]));
    for (const [id, card] of this.cards) {
      if (wanted.get(id)?.why === card.why) continue;
      card.node.remove();
      this.cards.delete(id);
    }
    for (const row of wanted.values()) {
      const card = this.cards.get(row.id) ?? newCard(row, onChange);
      this.cards.set(row.id, card);
      this.node.append(card.node);
    }
    this.node.hidden = !wanted.size;
  }
}

function newCard(row, onChange) {
  const orders = new Orders(row.id);
  const body = el("div", {});
  const node = el(
    "article",
    { class: "question-card", "aria-label": `Question of ${row.project}` },
    el(
      "p",
      { class: "question-of" },
      el("b", { text: row.project }),
      " · ",
      el("a", { href: `/loop/${encodeURIComponent(row.id)}`, text: row.spec || row.id }),
    ),
    body,
    orders.result,
  );
  getJson(`/api/loops/${encodeURIComponent(row.id)}/page`)
    .then((page) => {
      const cards = [orders.gateCard(page, row.job), orders.disputeCard(page, row.job)];
      body.replaceChildren(...cards.filter(Boolean));
      onChange();
    })
    .catch(showError);
  return { why: row.why, node };
}
