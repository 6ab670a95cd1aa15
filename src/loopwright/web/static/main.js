// The entry point: which page is this, and the keys that work everywhere.

import { byId } from "./dom.js";
import { loadSession, showNotice } from "./server.js";
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
    const ready = loadSession();
    if (kind === "loop") {
      const { showLoop } = await import("./loop.js");
      await ready;
      page = await showLoop(decodeURIComponent(id));
    } else {
      const { showBoard } = await import("./board.js");
      page = await showBoard();
      await ready;
    }
  } catch (error) {
    if (byId("notice").hidden) showNotice(String(error.message || error));
  }
}

start();
