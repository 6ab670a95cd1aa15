// The outputs of a check, one or the difference between two; and the difference between two trees.

import { el, scrollWhenShown } from "./dom.js";
import { getJson } from "./server.js";

const LINES_AT_ONCE = 2000;

function runName(run) {
  const failing = run.failures ? `, ${run.failures} failing` : "";
  const outcome = run.passed ? "passed" : "failed";
  return `iteration ${run.iteration}: ${outcome} (${run.result}${failing})`;
}

function select(label, options, chosen) {
  const box = el(
    "select",
    {},
    options.map(([value, text]) => el("option", { value, text, selected: value === chosen })),
  );
  return [el("label", { class: "field" }, el("span", { text: label }), box), box];
}

function rowsNode(rows, usefulLine = 0) {
  const shown = rows.slice(0, LINES_AT_ONCE);
  const signs = { added: "+", removed: "−", same: " ", skipped: "⋯" };
  const node = el(
    "pre",
    { class: "lines", tabindex: 0 },
    shown.map((row, index) =>
      el("span", {
        class: `line line-${row.kind}${usefulLine && index === usefulLine ? " useful" : ""}`,
        text: `${signs[row.kind] ?? ""} ${row.text}\n`,
      }),
    ),
  );
  if (rows.length > shown.length)
    node.append(
      el("span", {
        class: "line line-skipped",
        text: `… ${rows.length - shown.length} more lines\n`,
      }),
    );
  const useful = node.querySelector(".useful");
  if (useful) scrollWhenShown(node, useful);
  return node;
}

export function openEvidence(loopId, history, criterion, log) {
  const runs = history.runs.filter((run) => run.criterion === criterion && run.log);
  const place = runs.findIndex((run) => run.log === log);
  const options = runs.map((run) => [run.log, runName(run)]).reverse();
  const body = el("div", { class: "evidence", "aria-live": "polite" });
  const [first, firstBox] = select("Output", options, log || options[0]?.[0]);
  const before = runs[place - 1]?.log || "";
  const [second, secondBox] = select("compared with", [["", "nothing"], ...options], before);

  async function show() {
    body.replaceChildren(el("p", { class: "muted", text: "Reading …" }));
    const base = `/api/loops/${encodeURIComponent(loopId)}`;
    try {
      if (secondBox.value && secondBox.value !== firstBox.value) {
        const pair = new URLSearchParams({ first: secondBox.value, second: firstBox.value });
        const values = await getJson(`${base}/difference?${pair}`);
        body.replaceChildren(
          values.rows.length ? rowsNode(values.rows) : el("p", { text: "Both outputs are equal." }),
        );
      } else {
        const values = await getJson(`${base}/output?log=${encodeURIComponent(firstBox.value)}`);
        body.replaceChildren(
          values.clipped
            ? el("p", { class: "muted", text: `The last part of ${values.size} bytes.` })
            : "",
          rowsNode(
            values.lines.map((text) => ({ kind: "same", text })),
            values.useful_line,
          ),
        );
      }
    } catch (error) {
      body.replaceChildren(el("p", { class: "error", text: error.message }));
    }
  }

  firstBox.addEventListener("change", show);
  secondBox.addEventListener("change", show);
  openSheet(criterion, el("div", { class: "fields" }, first, second), body);
  show();
}

export function openSheet(title, ...parts) {
  const close = el("button", {
    type: "button",
    class: "quiet",
    "aria-label": "Close",
    text: "✕",
    on: { click: () => dialog.close() },
  });
  const dialog = el(
    "dialog",
    { class: "sheet", "aria-label": title },
    el("div", { class: "sheet-head" }, el("h2", { text: title }), close),
    ...parts,
  );
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

function lineKind(text) {
  if (text.startsWith("@@") || text.startsWith("diff ") || text.startsWith("index "))
    return "skipped";
  if (text.startsWith("+++") || text.startsWith("---")) return "file";
  if (text.startsWith("+")) return "added";
  return text.startsWith("-") ? "removed" : "same";
}

export function openDiff(loopId, history) {
  const options = history.commits.map((number) => [
    String(number),
    number ? `iteration ${number}` : "the start",
  ]);
  const body = el("div", { class: "evidence" });
  const [first, firstBox] = select("From", options, options[0]?.[0]);
  const [second, secondBox] = select("to", options, options.at(-1)?.[0]);

  async function show() {
    body.replaceChildren(el("p", { class: "muted", text: "Reading …" }));
    try {
      const range = new URLSearchParams({ first: firstBox.value, second: secondBox.value });
      const values = await getJson(`/api/loops/${encodeURIComponent(loopId)}/diff?${range}`);
      const lines = values.lines.filter((line, index) => line || index < values.lines.length - 1);
      const rows = lines
        .slice(0, LINES_AT_ONCE)
        .map((text) => el("span", { class: `line line-${lineKind(text)}`, text: `${text}\n` }));
      body.replaceChildren(
        el("pre", {
          class: "stat",
          tabindex: 0,
          text: values.stat.join("\n").trim() || "Nothing has changed.",
        }),
        rows.length ? el("pre", { class: "lines", tabindex: 0 }, rows) : "",
        values.clipped || lines.length > LINES_AT_ONCE
          ? el("p", { class: "muted", text: "Only the beginning is shown. All of it: loop diff" })
          : "",
      );
    } catch (error) {
      body.replaceChildren(el("p", { class: "error", text: error.message }));
    }
  }

  firstBox.addEventListener("change", show);
  secondBox.addEventListener("change", show);
  openSheet("Changes in the files", el("div", { class: "fields" }, first, second), body);
  show();
}
