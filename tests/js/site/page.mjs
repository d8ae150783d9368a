// The built-in page in Node.js: its modules as a browser loads them, with the server of a test (house.mjs).
//
// A page has modules of its own, so opening one more after another is a reload. Nothing is drawn: `markup` makes a text
// of a template.

import { registerHooks } from "node:module";

const STATIC = new URL("../../../blueprints/site/static/", import.meta.url).href;
const CLIENT = "data:text/javascript,export const io = () => globalThis.newSocket()";
const SECONDS = 10;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.includes("/socket.io-client")) return { url: CLIENT, format: "module", shortCircuit: true };
    const found = next(specifier, context);
    const page = context.parentURL && new URL(context.parentURL).searchParams.get("page");
    return page && found.url.startsWith(STATIC) ? { ...found, url: `${found.url.split("?")[0]}?page=${page}` } : found;
  },
});

export class Storage {
  getItem(key) { return Object.hasOwn(this, key) ? this[key] : null; }
  setItem(key, value) { this[key] = String(value); }
  removeItem(key) { delete this[key]; }
}

const BODY = {};
// A style sheet is there as soon as it is added.
const LINK = { addEventListener: (_event, loaded) => loaded() };
const DOCUMENT = {
  documentElement: { dataset: { gameA: "CS2", gameB: "Rust" } },
  createElement: () => LINK,
  head: { append() {} },
  addEventListener() {},
  createComment: () => ({}),
  createTreeWalker: () => ({}),
  querySelector: () => null,
  getElementById: () => null,
  body: BODY,
  activeElement: BODY,
};

let pages = 0;

/** Load a module of the page, `path` being relative to static/, in a browser with this storage. */
export async function browser({ storage = new Storage(), session = new Storage(), fetch, address = "/" } = {}) {
  const page = ++pages;
  const window = new EventTarget();
  const globals = {
    window,
    document: DOCUMENT,
    localStorage: storage,
    sessionStorage: session,
    location: new URL(address, "http://localhost"),
    history: {
      pushState() {},
      replaceState: (_state, _title, to) => { location.href = String(new URL(to, location)); },
    },
    matchMedia: () => ({ matches: true }),
    navigator: { onLine: true },
    fetch,
    addEventListener: window.addEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
  };
  globalThis.newSocket = () => new Socket(null);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  return (path) => import(`${STATIC}${path}?page=${page}`);
}

/** The socket of a page, which is connected to a house. */
export class Socket {
  active = true;
  connected = false;
  #heard = [];

  constructor(house) { this.house = house; }

  on(name, act) { this.#heard.push({ name, act }); }

  once(name, act) { this.#heard.push({ name, act, once: true }); }

  off(name, act) { this.#heard = this.#heard.filter((each) => each.name !== name || each.act !== act); }

  emit() {}

  hear(name, ...payload) {
    const hearing = this.#heard.filter((each) => each.name === name);
    this.#heard = this.#heard.filter((each) => each.name !== name || !each.once);
    for (const { act } of hearing) act(...payload);
  }

  connect() {
    this.connected = true;
    this.house.sockets.add(this);
    this.hear("connect");
    this.house.greet();
    return this;
  }

  disconnect() {
    this.connected = false;
    this.house.sockets.delete(this);
    return this;
  }

  timeout() { return { emitWithAck: async (event, payload) => this.house.answer(event, structuredClone(payload)) }; }
}

/** Resolves when the condition holds. */
export async function until(condition) {
  const end = process.hrtime.bigint() + BigInt(SECONDS) * 10n ** 9n;
  while (!condition()) {
    if (process.hrtime.bigint() > end) throw new Error(`still not true: ${condition}`);
    await new Promise(setImmediate);
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function turns() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

/** What a template of lit-html shows, as HTML without what handlers do. */
export function markup(value) {
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value?.strings) return value.strings.map((text, place) => text + markup(value.values[place])).join("");
  if (value?._$litDirective$) {
    const [first, , template] = value.values;
    return template ? [...first].map((each) => markup(template(each))).join("") : markup(first);
  }
  return ["string", "number"].includes(typeof value) ? String(value) : "";
}

/** The handler of an event in a template, such as "submit". */
function handler(value, event) {
  if (Array.isArray(value)) return value.map((each) => handler(each, event)).find(Boolean);
  if (!value?.strings) return undefined;
  const place = value.strings.findIndex((text) => text.endsWith(`@${event}=`));
  return place < 0 ? handler(value.values, event) : value.values[place];
}

const verdictIn = (line) => textOf(/<p class="verdict">[^]*?<\/p>/.exec(line)[0]);
const textOf = (html) => html.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();

/**
 * Open the page of the player of a house. With the same `storage` and `session` it is a reload; with the same storage
 * alone it is another tab.
 */
export async function openPage(house, { storage = new Storage(), session = new Storage(), item, rules } = {}) {
  storage.setItem("token", house.token);
  house.sockets.clear();
  const load = await browser({ storage, session, fetch: (path) => house.fetch(path) });
  globalThis.newSocket = () => new Socket(house);
  const [{ state, update }, betting, game, bets, seed, { socket }] = await Promise.all([
    "store.js", "game/betting.js", "game/game.js", "fairness/bet-list.js",
    "fairness/client-seed.js", "connection.js",
  ].map(load));
  update({ rules: { houseEdge: 0.05, minWager: 0.01, maxWager: 100, proofDelay: 0, ...rules }, item });
  betting.startBetting(game.send);
  socket.on("connect", async () => (await load("player.js")).loadPlayer());
  const interrupted = betting.interruptedAttempt();
  bets.loadBets().catch(() => {});
  if (interrupted) game.send(interrupted);
  socket.connect();

  const lines = () => markup(bets.betList()).split("<li ").slice(1);
  const lineOf = (nonce) => lines().find((line) => line.includes(`data-nonce=${nonce} `));

  return {
    load,
    state,
    storage,
    session,
    socket,
    typeSeed: seed.typeSeed,
    showCase: () => game.showCase({ game: "case", id: "chest" }),
    showWheel: game.showUpgrader,
    /** Clicks the button of the game. Resolves when the bet is over. */
    click: () => handler(game.gamePanel(), "submit")({ preventDefault() {} }),
    /** The text of the button and what is below it. */
    button: () => textOf(/<button id="spin"[^]*?<\/p>/.exec(markup(game.gamePanel()))[0]),
    /** Bets for the chosen item, or opens the chosen case, with a seed that is typed. */
    async bet({ wager, clientSeed }) {
      update({ wager });
      if (clientSeed) seed.typeSeed(clientSeed);
      await this.click();
    },
    /** What the list says of a bet, once it is there. */
    async verdict(nonce) {
      await until(() => lineOf(nonce));
      return verdictIn(lineOf(nonce));
    },
    count: () => lines().length,
    reports: () => markup(bets.reports()).split("<li ").slice(1).map(verdictIn),
    reload: (changes) => openPage(house, { storage, session, rules, ...changes }),
  };
}
