// The connection to the server: socket.io-client, and how to reconnect and repeat a request to this server.

import { getToken } from "./session.js";
import { io } from "./vendor/socket.io-client-4.8.4/socket.io.esm.min.js";

// The server answers a spin within ten seconds, or refuses it.
const ANSWER_MS = 15_000;
const RETRY_MS = 3_000;

/**
 * A socket that stays connected, once `connect()` has been called.
 *
 * `onRefused(reason)` is called when the server refuses a handshake: with "Unauthorized" when the token is bad or has
 * expired, otherwise with a temporary reason, such as "Too many connections".
 */
export function createSocket(onRefused) {
  const socket = io({
    // With polling, several server processes would need sticky sessions.
    transports: ["websocket"],
    autoConnect: false,
    // Called for each handshake, so a new token counts from the next connection on.
    auth: (send) => send({ token: getToken() }),
  });
  // The library reconnects by itself after a network failure, but not after a decision of the server:
  // a refused handshake, or a connection that the server has ended, as it does before a restart.
  socket.on("connect_error", ({ message }) => {
    if (socket.active) return;
    onRefused(message);
    connectLater(socket);
  });
  socket.on("disconnect", (reason) => {
    if (reason === "io server disconnect") connectLater(socket);
  });
  return socket;
}

/** Connect anew, as the player who is signed in now. */
export function reconnect(socket) {
  socket.disconnect().connect();
}

/**
 * Send an event, and return the server's answer to it.
 *
 * When the connection breaks before the answer, the page can't know whether the server has acted. So it sends
 * the same payload again: its `requestId` makes the server repeat the first answer instead of spinning twice.
 */
export async function ask(socket, event, payload) {
  for (;;) {
    try {
      return await socket.timeout(ANSWER_MS).emitWithAck(event, payload);
    } catch {
      if (!socket.connected) await new Promise((resolve) => { socket.once("connect", resolve); });
    }
  }
}

function connectLater(socket) {
  // At a random time, so that after a restart not all clients come back in the same moment.
  setTimeout(() => socket.connect(), RETRY_MS * (0.5 + Math.random()));
}
