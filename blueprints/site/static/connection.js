// The connection to the server: socket.io-client, and how to reconnect and repeat a request to this server.

import { getToken, signOut } from "./session.js";
import { endNotice, notify, state, update } from "./store.js";
import { io } from "./vendor/socket.io-client-4.8.4/socket.io.esm.min.js";

// How long the page waits for an answer to a bet. The server answers within ten seconds, or refuses the bet.
export const ANSWER_MS = 15_000;
const RETRY_MS = 3_000;
const PATIENCE_MS = 4_000; // A shorter loss of the connection is shown in the status line only.
const OFFLINE = "You are offline. This page goes on when you are back; a bet that you have placed is not lost.";
const LOST = "There is no connection to the server. This page tries again by itself.";

/** A socket that stays connected, once `connect()` has been called. */
export const socket = io({
  // With polling, several server processes would need sticky sessions.
  transports: ["websocket"],
  autoConnect: false,
  // Called for each handshake, so a new token counts from the next connection on.
  auth: (send) => send({ token: getToken() }),
});

let lost = null; // the timer of the notice about a lost connection

socket.on("connect", () => {
  clearTimeout(lost);
  if (lost) dispatchEvent(new Event("reconnected"));
  lost = null;
  endNotice("connection");
  update({ line: "Live", isLive: true });
});
socket.on("disconnect", (reason) => {
  update({ line: navigator.onLine ? "Reconnecting…" : "Offline", isLive: false });
  if (reason !== "io client disconnect") lost ??= setTimeout(showLoss, PATIENCE_MS);
  // The library reconnects by itself after a network failure, but not after a decision of the server: a connection that
  // it has ended, as it does before a restart, or a refused handshake.
  if (reason === "io server disconnect") connectLater();
});
socket.on("connect_error", ({ message }) => {
  lost ??= setTimeout(showLoss, PATIENCE_MS);
  if (socket.active) return;
  // The token is bad or has expired; other reasons are temporary, such as "Too many connections".
  if (message === "Unauthorized") signOut();
  else update({ line: `${message}. Trying again…` });
  connectLater();
});

// The library closes the connection when the browser goes offline.
addEventListener("offline", () => showLoss());
addEventListener("online", () => {
  if (state.isLive) return;
  update({ line: "Reconnecting…" });
  reconnect(); // At once, rather than at its next try.
});

const showLoss = () => { if (!state.notice) notify(navigator.onLine ? LOST : OFFLINE, "connection"); };

function connectLater() {
  // At a random time, so that after a restart not all clients come back in the same moment.
  setTimeout(() => socket.connect(), RETRY_MS * (0.5 + Math.random()));
}

/** Connect anew, as the player who is signed in now. */
export const reconnect = () => socket.disconnect().connect();

/**
 * Send an event, and return the server's answer to it.
 *
 * When the connection breaks before the answer, the page can't know whether the server has acted. So it sends
 * the same payload again: its `requestId` makes the server repeat the first answer instead of spinning twice.
 */
export async function ask(event, payload) {
  for (;;) {
    try {
      return await socket.timeout(ANSWER_MS).emitWithAck(event, payload);
    } catch {
      if (!socket.connected) await new Promise((resolve) => { socket.once("connect", resolve); });
    }
  }
}
