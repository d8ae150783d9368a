// The page says "Verified" only of bets that the server could not have rigged.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CASE, House, ITEM } from "./house.mjs";
import { openPage, Storage, until } from "./page.mjs";

const KNOWN = /the server knew your client seed before it committed to its own/;
const UNSEEN = /this browser did not see who chose them/;

async function open(options = {}) {
  const house = new House();
  return { house, page: await openPage(house, { item: ITEM, ...options }) };
}

test("each bet sends a new client seed", async () => {
  const { house, page } = await open();

  for (const nonce of [1, 2]) {
    await page.click();
    assert.match(await page.verdict(nonce), /^Verified: your client seed and the committed server seed give this roll/);
    await until(() => page.state.fairness === `✓ Spin ${nonce} verified`);
  }

  const [first, second] = house.bets.map(({ clientSeed }) => clientSeed);
  assert.match(first, /^[0-9a-f]{20}$/);
  assert.notEqual(first, second);
});

test("a client seed that was sent before is not verified, also after a reload", async () => {
  const { page } = await open();
  await page.bet({ wager: "5", clientSeed: "sent-before" });
  assert.match(await page.verdict(1), /^Verified/);
  assert.notEqual(page.state.clientSeed, "sent-before", "it counts for one bet");

  await page.bet({ wager: "5", clientSeed: "sent-before" });
  assert.match(await page.verdict(2), KNOWN);

  const again = await page.reload({ item: ITEM });
  await again.bet({ wager: "5", clientSeed: "sent-before" });
  assert.match(await again.verdict(3), KNOWN);
});

test("the client seed of the profile is not verified", async () => {
  const { page } = await open();
  await until(() => page.state.player);

  await page.bet({ wager: "5", clientSeed: page.state.player.clientSeed });

  assert.match(await page.verdict(1), KNOWN);
});

test("a client seed that was typed before the commitment is not verified", async () => {
  const { house, page } = await open();
  page.typeSeed("typed-too-early");
  house.redraw();

  await page.click();

  assert.equal(house.bets[0].clientSeed, "typed-too-early");
  assert.match(await page.verdict(1), KNOWN);
});

const CHANGES = {
  "another roll": ["upgrader:pf", { percent: 99.99999 }],
  "another server seed": ["upgrader:proof", { serverSeed: "0".repeat(64) }],
  "another client seed": ["upgrader:proof", { clientSeed: "another-seed" }],
  "another nonce": ["upgrader:proof", { nonce: 9 }],
  "another ticket": ["case:pf", { ticket: "1" }],
  "another snapshot": ["case:proof", { snapshot: "0".repeat(64) }],
};

for (const [what, [event, change]] of Object.entries(CHANGES)) {
  test(`a bet with ${what} than the right one is not verified`, async () => {
    const { house, page } = await open();
    if (event.startsWith("case")) await page.showCase();
    house.rewrite = (name, payload) => (name === event ? { ...payload, ...change } : payload);

    page.click();
    await until(() => page.state.fairness);

    assert.doesNotMatch(page.state.fairness, /✓/);
  });
}

test("a roll with a nonce that was not announced is ignored", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name === "upgrader:pf" ? { ...payload, nonce: 9 } : payload);

  await page.click();

  const text = "The spin was refused: The server did not send what decides the bet.";
  assert.equal(page.state.outcome.text, text);
});

test("a stored bet that differs from what was shown is not verified after a reload", async () => {
  const { house, page } = await open();
  await page.click();
  assert.match(await page.verdict(1), /^Verified/);

  house.settled[0].pf.clientSeed = "another-seed";
  assert.match(await (await page.reload()).verdict(1), /^NOT verified/);
});

test("a bet is verified again after a reload", async () => {
  const { page } = await open();
  await page.showCase();
  await page.click();
  await page.verdict(1);

  assert.match(await (await page.reload()).verdict(1), /^Verified/);
});

test("a bet of another browser is listed as not seen", async () => {
  const { house, page } = await open();
  await page.click();
  await page.verdict(1);

  const elsewhere = await openPage(house, { storage: new Storage() });

  assert.match(await elsewhere.verdict(1), UNSEEN);
});

test("a bet that another browser plays now is listed as not seen", async () => {
  const { house, page } = await open();
  house.settle("upgrader:spin", { amount: 5, clientSeed: "elsewhere", requestId: "1" });

  assert.match(await page.verdict(1), UNSEEN);
});

test("nothing is called verified where browsers compute no hashes", async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, "crypto", {
    value: { getRandomValues: (bytes) => crypto.getRandomValues(bytes) }, configurable: true,
  });
  try {
    const { page } = await open();
    await page.click();
    assert.match(await page.verdict(1), /^Not verified: browsers can compute hashes on https pages only/);
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  }
});

test("a snapshot that its hash does not name is not shown", async () => {
  const { house, page } = await open();
  house.routes[`/snapshots/${CASE.snapshot}`] = { id: "x", items: [], price: "1" };

  await page.showCase();

  assert.match(page.state.outcome.text, /is not the one that its hash names/);
});
