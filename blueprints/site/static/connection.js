// The connection to the server: socket.io-client, and how to reconnect and repeat a request to this server.

import { getToken } from "./session.js";
import { update } from "./store.js";
import { io } from "./vendor/socket.io-client-4.8.4/socket.io.esm.min.js";

// The server answers a spin within ten seconds, or refuses it.
const ANSWER_MS = 15_000;
const RETRY_MS = 3_000;

/** A socket that stays connected, once `connect()` has been called. */
export const socket = io({
  // With polling, several server processes would need sticky sessions.
  transports: ["websocket"],
  autoConnect: false,
  // Called for each handshake, so a new token counts from the next connection on.
  auth: (send) => send({ token: getToken() }),
});

socket.on("connect", () => update({ line: "Live", isLive: true }));
socket.on("disconnect", (reason) => {
  update({ line: "Reconnecting…", isLive: false });
  // The library reconnects by itself after a network failure, but not after a decision of the server: a connection that
  // it has ended, as it does before a restart, or a refused handshake.
  if (reason === "io server disconnect") connectLater();
});
socket.on("connect_error", ({ message }) => {
  if (socket.active) return;
  // The token is bad or has expired; other reasons are temporary, such as "Too many connections".
  if (message === "Unauthorized") dispatchEvent(new Event("token-refused"));
  else update({ line: `${message}. Trying again…` });
  connectLater();
});

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
