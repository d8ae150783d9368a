// A Socket.IO client (protocol 5 over Engine.IO 4) with only what this page needs: one WebSocket, the
// default namespace, events and acknowledgements. A front end of your own takes the real socket.io-client;
// this one is here so that the page loads nothing from elsewhere.

const PATH = "/socket.io/?EIO=4&transport=websocket";

const [OPEN, CLOSE, PING, PONG] = ["0", "1", "2", "3"];
const [CONNECT, DISCONNECT, EVENT, ACK, REFUSAL] = ["40", "41", "42", "43", "44"];

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** The connection went before the answer came: whether the server acted on the question is not known. */
export class ConnectionLost extends Error {}

/** Connects, stays connected, and calls the handlers of events. */
export class Socket {
  #auth;
  #listeners = new Map();
  #questions = new Map();
  #lastQuestion = 0;
  #waiting = [];
  #failures = 0;
  #transport = null;
  #longestSilenceMs = 45_000;
  #silence = null;

  connected = false;

  /** `auth()` is asked for the handshake's payload each time a connection is made. */
  constructor(auth) {
    this.#auth = auth;
  }

  /** Besides the server's events: "connect", "disconnect", and "refused" with the server's reason. */
  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? [];
    this.#listeners.set(event, [...listeners, listener]);
  }

  connect() {
    const address = new URL(PATH, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    this.#transport = new WebSocket(address);
    this.#transport.addEventListener("message", ({ data }) => this.#receive(data));
    this.#transport.addEventListener("close", () => this.#lost());
  }

  /** Connect anew, for instance as somebody else. */
  reconnect() {
    this.#failures = 0;
    this.#transport?.close();
  }

  /** Resolves at once, or when the connection is back. */
  whenConnected() {
    return this.connected ? Promise.resolve() : new Promise((back) => this.#waiting.push(back));
  }

  /** Send an event and wait for its acknowledgement. Rejects with ConnectionLost. */
  ask(event, payload) {
    if (!this.connected) return Promise.reject(new ConnectionLost());
    const id = String(++this.#lastQuestion);
    this.#transport.send(EVENT + id + JSON.stringify([event, payload]));
    return new Promise((resolve, reject) => this.#questions.set(id, { resolve, reject }));
  }

  #receive(packet) {
    this.#heard();
    if (packet[0] === OPEN) this.#opened(JSON.parse(packet.slice(1)));
    else if (packet[0] === PING) this.#transport.send(PONG);
    else if (packet[0] === CLOSE || packet.startsWith(DISCONNECT)) this.#transport.close();
    else if (packet.startsWith(CONNECT)) this.#accepted();
    else if (packet.startsWith(EVENT)) this.#event(packet);
    else if (packet.startsWith(ACK)) this.#answered(packet);
    else if (packet.startsWith(REFUSAL)) this.#refused(JSON.parse(packet.slice(REFUSAL.length)));
  }

  #opened({ pingInterval, pingTimeout }) {
    this.#longestSilenceMs = pingInterval + pingTimeout;
    this.#transport.send(CONNECT + JSON.stringify(this.#auth()));
  }

  #accepted() {
    this.#failures = 0;
    this.connected = true;
    this.#tell("connect");
    for (const back of this.#waiting.splice(0)) back();
  }

  #event(packet) {
    const bracket = packet.indexOf("[");
    const id = packet.slice(EVENT.length, bracket);
    this.#tell(...JSON.parse(packet.slice(bracket)));
    // The server asked to be told that it arrived.
    if (id) this.#transport.send(`${ACK}${id}[]`);
  }

  #answered(packet) {
    const bracket = packet.indexOf("[");
    const id = packet.slice(ACK.length, bracket);
    this.#questions.get(id)?.resolve(JSON.parse(packet.slice(bracket))[0]);
    this.#questions.delete(id);
  }

  #refused({ message }) {
    this.#tell("refused", message);
    this.#transport.close();
  }

  #lost() {
    clearTimeout(this.#silence);
    const wasConnected = this.connected;
    this.connected = false;
    for (const { reject } of this.#questions.values()) reject(new ConnectionLost());
    this.#questions.clear();
    if (wasConnected) this.#tell("disconnect");
    // Jitter, so that after a restart not everybody comes back in the same instant.
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures++, LONGEST_DELAY_MS) * (0.5 + Math.random());
    setTimeout(() => this.connect(), delay);
  }

  #heard() {
    // The server pings at a known pace: without a word for longer, the line is dead though it looks open.
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#transport.close(), this.#longestSilenceMs);
  }

  #tell(event, payload) {
    for (const listener of this.#listeners.get(event) ?? []) listener(payload);
  }
}
