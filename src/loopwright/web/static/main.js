// The entry point: which page is this, and the keys that work everywhere.

import { byId } from "./dom.js";
import { loadSession, showError } from "./server.js";
import { nextTheme, showHelp, startTheme } from "./theme.js";

const COMMON_KEYS = [
  ["t", "change the theme"],
  ["b", "back to the board"],
  ["?", "this help"],
];
let page = { keys: [], press: () => false };

function onKey(event) {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (page.press(event.key)) event.preventDefault();
  else if (event.key === "t") nextTheme();
  else if (event.key === "b") location.assign("/");
  else if (event.key === "?") showHelp([...page.keys, ...COMMON_KEYS]);
}

async function start() {
  startTheme();
  document.addEventListener("keydown", onKey);
  byId("help").addEventListener("click", () => showHelp([...page.keys, ...COMMON_KEYS]));
  const [, kind, id] = location.pathname.split("/");
  try {
    const session = loadSession();
    if (kind === "loop") {
      const [{ showLoop }] = await Promise.all([import("./loop.js"), session]);
      page = await showLoop(decodeURIComponent(id));
    } else {
      const board = import("./board.js").then(({ showBoard }) => showBoard());
      [page] = await Promise.all([board, session]);
    }
  } catch (error) {
    showError(error);
  }
}

start();
