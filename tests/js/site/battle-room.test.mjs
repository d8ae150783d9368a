// The room of a battle: what it shows as the battle goes on, and what the browser keeps of the player's seat.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CASE, House } from "./house.mjs";
import { markup, openPage, turns, until } from "./page.mjs";

const ID = "Zm9yIGV2ZXIgYW5kIGV2ZQ";
const PATH = `/battles/${ID}`;
const GENESIS = 1_600_000_000;
const PERIOD = 3;
const LAST_TICKET = "999999999999999999";

const roundAt = (ms) => Math.ceil((ms / 1_000 - GENESIS) / PERIOD) + 1;
const alice = { username: "alice", avatar: "/alice.webp" };
const seat = (number, more) => ({ seat: number, team: number, bot: false, player: null, clientSeed: null, ...more });

const OPEN = {
  id: ID,
  state: "open",
  version: 1,
  mode: "normal",
  crazy: false,
  terminal: false,
  teams: "1v1",
  cost: 5,
  playersOnly: false,
  private: false,
  createdAt: 1,
  serverSeedCommitment: "c".repeat(64),
  cases: [{ id: "chest", name: "Chest", price: 5, snapshot: CASE.snapshot, image: "/chest.webp" }],
  seats: [seat(0, { player: alice, clientSeed: "seed-of-alice" }), seat(1)],
};
const locked = (round) => ({
  ...OPEN, state: "locked", version: 2, lockedAt: 2, round, entry: 7,
  seats: [OPEN.seats[0], seat(1, { bot: true, clientSeed: "bot-1" })],
});
const settled = (round) => ({
  ...locked(round),
  state: "settled",
  version: 3,
  signature: "e".repeat(96),
  randomness: "f".repeat(64),
  serverSeed: "d".repeat(64),
  drawn: [[{ item: "Crown", price: 40, ticket: "0" }], [{ item: "Dust", price: 1, ticket: LAST_TICKET }]],
  values: [40, 1],
  tie: null,
  winners: [0],
  payouts: [41, 0],
});

/** A page of alice at the battle, whose reels turn so many seconds. */
async function open(battle, { turnSeconds = 0.05, demo = false } = {}) {
  const house = new House();
  const answer = house.answer.bind(house);
  house.answer = (event, payload) => (event.startsWith("battle") ? { status: true, battle } : answer(event, payload));
  const beacon = { genesis_time: GENESIS, period: PERIOD };
  house.routes["/battles/rules"] = { modes: [], teams: [], maxCases: 50, beacon, demo };
  house.routes[PATH] = () => battle;
  house.routes["/auth/me"] = { username: "alice", level: 1, affiliate: {} };
  const page = await openPage(house, { rules: { proofDelay: turnSeconds } });
  await until(() => page.state.player);
  const { enter, page: view } = await page.load("pages/battle.js");
  const { room } = await page.load("battles/room.js");
  await enter({ id: ID });
  const change = (next) => house.send("battle:changed", next);
  return { house, page, room, change, shown: () => markup(view({ id: ID })) };
}

const title = (html) => /id="battle-title"[^>]*>([^<]*)/.exec(html)[1];
const text = (html) => /id="battle-text"[^>]*>([^<]*)/.exec(html)[1];
const soon = () => roundAt(Date.now() + 8_000);

test("a battle that ends while it is watched is drawn from its beginning, and no balance tells its end", async () => {
  const { house, page, room, change, shown } = await open(OPEN, { turnSeconds: 0.3 });
  const { shownBalanceCents } = await page.load("game/balance.js");
  const round = soon();
  change(locked(round));
  await until(() => room.battle.state === "locked");

  change(settled(round));
  house.send("balance", { balance: 141, version: 2 });
  await until(() => room.place);

  assert.deepEqual([room.place.step, title(shown()), shownBalanceCents()], [0, "Case 1 of 1", 10_000]);
  await until(() => room.place.isOver);
  assert.deepEqual([title(shown()), shownBalanceCents()], ["alice wins 41.00 coins.", 14_100]);
  assert.match(shown(), /Wins/);
});

test("what each case gives is said to those who listen, and then the result", async () => {
  // Long enough that a busy machine does not skip the rest after the turn.
  const { room, change } = await open(OPEN, { turnSeconds: 3 });
  const said = new Set();
  change(settled(soon()));

  await until(() => {
    said.add(room.said);
    return room.place?.isOver;
  });

  assert.ok(said.has("Case 1 of 1, Chest: alice 40.00, Bot 2 1.00."), [...said].join("; "));
  assert.ok(said.has("alice wins 41.00 coins."));
});

test("who comes later sees the drawing where it is, or only its result", async () => {
  const during = await open(settled(roundAt(Date.now() - 20_000)), { turnSeconds: 600 });
  assert.equal(during.room.place.step, 0);
  assert.ok(Date.now() - during.room.began > 15_000);
  const { shownBalanceCents } = await during.page.load("game/balance.js");
  assert.equal(shownBalanceCents(), 10_000 - 4_100, "the balance without the payout");

  const after = await open(settled(roundAt(Date.now() - 20_000)));
  assert.equal(after.room.place.isOver, true);
  assert.equal(after.room.said, "");
});

test("a battle that was overtaken by a newer version is not shown", async () => {
  const { room, change } = await open(locked(soon()));

  change(OPEN);
  await turns();

  assert.equal(room.battle.state, "locked");
});

test("a late round is named, with what is held", async () => {
  const round = roundAt(Date.now() - 15_000);
  const { shown } = await open(locked(round));

  assert.match(text(shown()), new RegExp(
    `^The result is fixed by round ${round}, which the network has not published yet \\(1\\d s late\\)\\. ` +
    "Your coins are held\\.$"));
});

test("a network whose key the house holds is named", async () => {
  assert.match((await open(OPEN, { demo: true })).shown(), /the house holds the\s+key of this network/);
  assert.doesNotMatch((await open(OPEN)).shown(), /holds the/);
});

for (const [reason, words] of Object.entries({ late: /not in the public log in time/, beacon: /within 24 hours/ })) {
  test(`a void battle says why: ${reason}`, async () => {
    const ended = { state: "void", version: 3, reason, serverSeed: "d".repeat(64) };

    const { shown } = await open({ ...locked(roundAt(Date.now() - 60_000)), ...ended });

    assert.equal(title(shown()), "Void");
    assert.match(shown(), words);
    assert.match(shown(), /All seats got their coins back/);
  });
}

test("a seat that was asked for without an answer is asked for again with the same request id", async () => {
  const { house, page } = await open({ ...OPEN, seats: [seat(0), seat(1)] });
  const { joinBattle } = await page.load("battles/actions.js");
  const sent = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (path, options) => {
    if (!path.endsWith("/join")) return fetch(path, options);
    sent.push(JSON.parse(options.body));
    if (sent.length === 1) throw new Error("no network");
    return Response.json(OPEN);
  };
  const wanted = { id: ID, costCents: 500 };

  await assert.rejects(joinBattle(wanted, 0), { message: "There is no connection to the server" });
  await joinBattle(wanted, 0);

  assert.deepEqual(sent[0], sent[1]);
  assert.deepEqual([sent[0].seat, sent[0].price], [0, 5]);
  const { keptSeat } = await page.load("fairness/battle-seats.js");
  assert.equal(keptSeat(ID).known.clientSeed, sent[0].clientSeed);
  assert.equal(house.sockets.size, 1);
});

test("a refused seat says what the server says", async () => {
  const { house, page } = await open(OPEN);
  house.routes[`${PATH}/join`] = () => Response.json({ error: "Seat is taken" }, { status: 400 });
  const { joinBattle } = await page.load("battles/actions.js");

  await assert.rejects(joinBattle({ id: ID, costCents: 500 }, 1), { message: "The seat was refused: Seat is taken" });
});

test("a receipt is kept with the time of its first arrival, which is compared with the round", async () => {
  const round = soon();
  const { house, page, shown } = await open(locked(round));
  const { receiptState } = await page.load("battles/room.js");
  const { keptSeat } = await page.load("fairness/battle-seats.js");
  assert.equal(receiptState(), "none");

  house.send("log:receipt", { battle: ID, proof: "first" });
  house.send("log:receipt", { battle: ID, proof: "second" });

  assert.equal(keptSeat(ID).receipt, "first");
  assert.equal(receiptState(), "before");
  assert.match(shown(), /nobody could know the result/);
});

test("a receipt that came after the time of its round proves nothing, and it is said", async () => {
  const { house, page, shown } = await open(locked(roundAt(Date.now() - 5_000)));

  house.send("log:receipt", { battle: ID, proof: "c2sp" });

  assert.match(shown(), /does not prove that the result was unknown/);
  await until(() => page.state.notice?.text.startsWith("The receipt of your battle does not hold."));
});

test("fast changes the animation only, and goes on from the same place", async () => {
  const { page, room } = await open(settled(roundAt(Date.now() - 60_000)), { turnSeconds: 100 });
  const { isFast, switchFast } = await page.load("battles/room.js");
  const elapsedMs = Date.now() - room.began;

  switchFast();

  assert.equal(isFast(), true);
  assert.equal(room.place.step, 0);
  assert.ok(Math.abs((Date.now() - room.began) * 4 - elapsedMs) < 4_000);
});
