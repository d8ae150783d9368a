// A server of a test in place of the real one: it draws seeds, takes bets and proves them, by the published formulas.
// A test lets it refuse bets, or send and answer something else.

import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";

export const ITEM = {
  marketHashName: "Kite | Red (Factory New)", image: "/kite.webp", price: "$10.00", priceCents: 1000,
};
export const EDGE = 0.05;
export const DROPPED = Symbol("a bet without an answer");

const TICKETS = 10n ** 18n;
const CONTENT = JSON.stringify({
  id: "chest",
  items: [
    { name: "Crown", price: "4000", width: `${TICKETS / 10n}` },
    { name: "Dust", price: "100", width: `${TICKETS / 10n * 9n}` },
  ],
  price: "500",
});
const ORIGIN = "play.example.com/log";

const hash = (...parts) => parts.reduce((sum, part) => sum.update(part), createHash("sha256")).digest();
const sha256 = (text) => hash(text).toString("hex");
const digestOf = (seed, message) => BigInt(`0x${createHmac("sha256", seed).update(message).digest("hex")}`);

export const CASE = {
  id: "chest",
  name: "Chest",
  price: 5,
  items: [
    { marketHashName: "Crown", image: "/crown.webp", price: "$40.00", percentage: 10 },
    { marketHashName: "Dust", image: "/dust.webp", price: "$1.00", percentage: 90 },
  ],
  snapshot: sha256(CONTENT),
};

let players = 0;

export class House {
  constructor() {
    this.player = `player-${++players}`;
    this.token = `x.${btoa(JSON.stringify({ sub: this.player }))}.x`;
    this.bets = []; // the payloads of all bets
    this.settled = []; // oldest first
    this.sockets = new Set();
    this.nonce = 1;
    this.draws = 1;
    this.tried = 0; // client seeds
    this.balance = 100;
    this.version = 1;
    this.refuse = () => null; // the answer to a payload that is not settled
    this.rewrite = (_name, payload) => payload; // what the page gets of an event; null is nothing
    this.routes = {}; // what the test answers at a path: a Response, or JSON
    this.paths = []; // the paths that were asked for
    this.log = new Log();
  }

  get serverSeed() { return sha256(`${this.player}, seed ${this.draws}`); }

  get announced() { return { serverSeedCommitment: sha256(this.serverSeed), nonce: this.nonce }; }

  /** Another seed in place of the one that was announced. */
  redraw() {
    this.draws += 1;
    this.send("upgrader:commitment", this.announced);
  }

  send(name, payload) {
    const given = this.rewrite(name, structuredClone(payload));
    if (given !== null) for (const socket of this.sockets) socket.hear(name, given);
  }

  greet() {
    this.send("balance", { balance: this.balance, version: this.version });
    this.send("upgrader:commitment", this.announced);
  }

  /** A new client seed with which the next spin at these cents, or the next opening, wins; or loses. */
  seedThat(wins, cents = null) {
    for (;;) {
      const clientSeed = `seed-${this.tried += 1}`;
      if (this.#decide({ clientSeed, cents, game: cents ? "upgrader" : "case" }).wins === wins) return clientSeed;
    }
  }

  #decide({ clientSeed, cents, game }) {
    const begin = game === "upgrader" ? "" : `${game}:`;
    const digest = digestOf(this.serverSeed, `${begin}${clientSeed}:${this.nonce}:0`);
    if (game !== "upgrader") {
      const ticket = (digest * TICKETS) >> 256n;
      const wins = ticket < TICKETS / 10n;
      return { wins, ticket: `${ticket}`, item: wins ? "Crown" : "Dust", payout: wins ? 40 : 1 };
    }
    const roll = Number((digest * 10_000_000n) >> 256n);
    const threshold = Math.floor((10_000_000 * (1 - EDGE) * cents) / ITEM.priceCents);
    const wins = roll < threshold;
    return { wins, roll, percent: roll / 100_000, threshold, payout: wins ? ITEM.priceCents / 100 : 0 };
  }

  /** The answer to a bet. */
  answer(event, payload) {
    this.bets.push(payload);
    const refusal = this.refuse(payload);
    if (refusal === DROPPED) return new Promise(() => {});
    return refusal ?? this.settle(event, payload);
  }

  settle(event, payload) {
    const repeated = this.settled.find(({ requestId }) => requestId === payload.requestId);
    if (repeated) return this.#tell(repeated);
    const [game] = event.split(":");
    const isSpin = game === "upgrader";
    const cost = isSpin ? payload.amount : payload.reward ? 0 : CASE.price;
    const { clientSeed } = payload;
    const decided = this.#decide({ clientSeed, game, cents: Math.round(cost * 100) });
    const { serverSeed, announced: { serverSeedCommitment, nonce } } = this;
    const bet = { ...decided, game, cost, requestId: payload.requestId, id: 100 + this.settled.length };
    bet.pf = { serverSeedCommitment, serverSeed, clientSeed, nonce };
    this.settled.push(bet);
    [this.nonce, this.draws] = [nonce + 1, this.draws + 1];
    this.balance = Math.round((this.balance - cost + bet.payout) * 100) / 100;
    this.version += 1;
    const spin = { edge: `${EDGE}`, item: ITEM.marketHashName, price: 1000, threshold: bet.threshold };
    const terms = isSpin ? { algorithm: "upgrader-1", ...spin, wager: cost * 100 }
      : { algorithm: `${game}-1`, snapshot: CASE.snapshot, wager: cost * 100 };
    const next = this.announced.serverSeedCommitment;
    bet.receipt = this.log.add({ clientSeed, commitment: serverSeedCommitment, next, nonce, terms });
    return this.#tell(bet);
  }

  /** Sends the events of a bet in their order; its answer. */
  #tell(bet) {
    const { game, pf: { serverSeedCommitment, clientSeed, nonce } } = bet;
    const outcome = game === "upgrader" ? { percent: bet.percent } : { ticket: bet.ticket };
    this.send(`${game}:pf`, { serverSeedCommitment, clientSeed, nonce, ...outcome });
    // After the answer has arrived.
    setImmediate(() => {
      this.greet();
      this.send("log:receipt", { nonce, receipt: bet.receipt });
      this.send(`${game}:proof`, { ...bet.pf, ...(game === "upgrader" ? {} : { snapshot: CASE.snapshot }) });
    });
    return { status: true, result: { success: bet.payout > bet.cost, amount: bet.payout, item: bet.item } };
  }

  async fetch(address) {
    const { pathname, searchParams } = new URL(address, "http://localhost");
    this.paths.push(pathname);
    const given = this.routes[pathname] ?? this.#answerAt(pathname, searchParams);
    const found = typeof given === "function" ? await given() : given;
    if (found === undefined) return Response.json({ error: "Not found" }, { status: 404 });
    if (found instanceof Response) return found;
    return typeof found === "string" ? new Response(found) : Response.json(found);
  }

  #answerAt(path, query) {
    const bet = this.settled.find(({ id }) => path.startsWith(`/bets/${id}`));
    if (bet) return path.endsWith("/tlog-proof") ? this.log.proof(bet.id - 100) : this.bet(bet);
    return {
      "/stats/fairness": () => ({ data: { items: this.#listed(query) } }),
      "/upgrader/commitment": this.announced,
      "/upgrader/items/pagination": { items: [ITEM] },
      "/auth/me": { clientSeed: "seed-of-the-profile", level: 1, affiliate: { used: null } },
      "/api/cases/chest": CASE,
      [`/snapshots/${CASE.snapshot}`]: CONTENT,
      "/log/current": { origin: ORIGIN },
      "/log/key": this.log.key,
      "/log/witnesses": { quorum: 0, witnesses: [] },
    }[path];
  }

  #listed(query) {
    const newest = this.settled.toReversed();
    const [page, limit] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 10)];
    const found = query.has("search") ? newest.filter(({ pf }) => pf.serverSeed === query.get("search")) : newest;
    return found.slice((page - 1) * limit, page * limit)
      .map(({ id, game, pf, wins }) => ({ id, game, pf, status: wins ? "won" : "lost" }));
  }

  /** `GET /bets/:id`. */
  bet({ id, game, pf, wins, cost, payout, roll, threshold, ticket, item }) {
    const terms = game === "upgrader"
      ? { item: ITEM.marketHashName, price: ITEM.price, houseEdge: EDGE, roll, threshold }
      : { item, ticket, case: "chest", snapshot: CASE.snapshot };
    const log = { index: id - 100, origin: ORIGIN };
    return { id, game, pf, status: wins ? "won" : "lost", betAmount: cost, payout, log, ...terms };
  }
}

/** A public log: https://c2sp.org/tlog-proof and signed notes. */
class Log {
  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const typed = Buffer.concat([Buffer.of(1), raw]);
    this.id = hash(`${ORIGIN}\n`, typed).subarray(0, 4);
    this.privateKey = privateKey;
    this.key = `${ORIGIN}+${this.id.toString("hex")}+${typed.toString("base64")}\n`;
    this.entries = [];
  }

  note(text) {
    const signature = Buffer.concat([this.id, sign(null, Buffer.from(text), this.privateKey)]).toString("base64");
    return `${text}\n\u2014 ${ORIGIN} ${signature}\n`;
  }

  /** Adds an entry, whose keys are in order; its receipt. */
  add(entry) {
    const { terms, ...others } = entry;
    const text = JSON.stringify({ ...others, terms });
    this.entries.push(text);
    return this.receipt(text);
  }

  receipt(text) { return this.note(`${ORIGIN}/receipt\n${text}\n`); }

  proof(index) {
    const leaves = this.entries.map((text) => hash(Buffer.of(0), text));
    const path = pathOf(index, leaves).map((each) => `${each.toString("base64")}\n`).join("");
    const checkpoint = this.note(`${ORIGIN}\n${leaves.length}\n${rootOf(leaves).toString("base64")}\n`);
    const extra = Buffer.from(this.entries[index]).toString("base64");
    return `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${index}\n${path}\n${checkpoint}`;
  }
}

const middleOf = (leaves) => 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);

function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  const middle = middleOf(leaves);
  return hash(Buffer.of(1), rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)));
}

function pathOf(index, leaves) {
  if (leaves.length === 1) return [];
  const middle = middleOf(leaves);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle ? [...pathOf(index, left), rootOf(right)] : [...pathOf(index - middle, right), rootOf(left)];
}
