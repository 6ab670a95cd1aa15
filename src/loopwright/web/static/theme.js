// Light, dark, or as the system says; the choice is kept in this browser.

import { byId, el } from "./dom.js";

const NAMES = { auto: "Auto", light: "Light", dark: "Dark" };

function apply(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `◐ ${NAMES[name]}`;
  byId("theme").setAttribute("aria-label", `Theme: ${NAMES[name]}. Change it`);
}

export function nextTheme() {
  const names = Object.keys(NAMES);
  const now = localStorage.getItem("theme") || "auto";
  const next = names[(names.indexOf(now) + 1) % names.length];
  localStorage.setItem("theme", next);
  apply(next);
}

export function startTheme() {
  const kept = localStorage.getItem("theme");
  apply(kept in NAMES ? kept : "auto");
  byId("theme").addEventListener("click", nextTheme);
}

export function showHelp(keys) {
  const rows = keys.map(([key, meaning]) =>
    el("tr", {}, el("th", { scope: "row" }, el("kbd", { text: key })), el("td", { text: meaning })),
  );
  const dialog = el(
    "dialog",
    { class: "sheet small", "aria-label": "Keyboard" },
    el("h2", { text: "Keyboard" }),
    el("table", { class: "keys" }, el("tbody", {}, rows)),
    el(
      "form",
      { method: "dialog", class: "buttons" },
      el("button", { text: "Close", autofocus: true }),
    ),
  );
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}
