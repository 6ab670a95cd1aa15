// Talk to the server: JSON, orders with the CSRF token, and event streams that reconnect.

import { byId, clock } from "./dom.js";

export const session = { control: false, csrf: "", isLive: true };

async function request(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is `loop serve` still running?");
  }
}

export async function getJson(path) {
  const response = await request(path, { headers: { accept: "application/json" } });
  const values = await response.json();
  if (!response.ok) {
    if (response.status === 401) showSignedOut();
    throw new Error(values.error || response.statusText);
  }
  return values;
}

export async function loadSession() {
  Object.assign(session, await getJson("/api/session"));
}

export async function giveOrder(loopId, order) {
  const response = await request(`/api/loops/${encodeURIComponent(loopId)}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-loop-csrf": session.csrf },
    body: JSON.stringify(order),
  });
  const values = await response.json();
  if (!response.ok) throw new Error(values.error || response.statusText);
  return values.message;
}

function showNotice(text) {
  const notice = byId("notice");
  notice.textContent = text;
  notice.hidden = !text;
}

// The first notice stays: it is nearer to the cause.
export function showError(error) {
  if (byId("notice").hidden) showNotice(error.message);
}

// While nothing is heard, the page is of the past, and no order can be given.
function showConnection(isLive) {
  const node = byId("connection");
  const state = isLive ? "live" : "reconnecting";
  node.textContent = isLive ? "live" : "no server";
  node.className = `connection connection-${state}`;
  document.body.classList.toggle("stale", !isLive);
  session.isLive = isLive;
  for (const button of document.querySelectorAll("button.order")) button.disabled = !isLive;
}

function showSignedOut() {
  showNotice(
    "The server was restarted, so this page is signed out. Open the new link that `loop serve` " +
      "printed in the terminal.",
  );
}

// `address` is a function: after an error the stream begins where the page is by then.
export function follow(address, handlers) {
  const source = new EventSource(address());
  source.onopen = () => {
    showConnection(true);
    showNotice("");
  };
  for (const [name, act] of Object.entries(handlers)) {
    source.addEventListener(name, async (event) => {
      try {
        await act(JSON.parse(event.data));
      } catch (error) {
        showError(error);
      }
    });
  }
  source.onerror = () => {
    if (session.isLive)
      showNotice(
        `The server has not answered since ${clock(Date.now() / 1000)}, and the page shows what ` +
          "was known then. Is `loop serve` still running?",
      );
    showConnection(false);
    if (source.readyState !== EventSource.CLOSED) return;
    getJson("/api/session").then(
      () => setTimeout(() => follow(address, handlers), 1000),
      () => setTimeout(() => follow(address, handlers), 5000),
    );
  };
}
