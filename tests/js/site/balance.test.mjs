// The balance that the page shows: what a bet has left until its outcome is shown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { House, ITEM } from "./house.mjs";
import { openPage, until } from "./page.mjs";

const LONG = { proofDelay: 600 };

/** A page with a function that says which balance is shown, in cents. */
async function open(house, options = {}) {
  const page = await openPage(house, { item: ITEM, ...options });
  const { shownBalanceCents } = await page.load("game/balance.js");
  return { ...page, balance: shownBalanceCents };
}

/** Begins a spin for five coins that wins or loses, and waits until its balance has arrived. */
async function spin(house, page, wins) {
  page.bet({ wager: "5", clientSeed: house.seedThat(wins, 500) });
  await until(() => page.state.announced.nonce === 2);
}

for (const wins of [false, true]) {
  test(`while the wheel turns, the balance is what a bet that ${wins ? "wins" : "loses"} has left`, async () => {
    const house = new House();
    const page = await open(house, { rules: LONG });
    assert.equal(page.balance(), 10_000);

    await spin(house, page, wins);

    assert.equal(page.balance(), 9_500);
  });
}

test("another tab and a reload show what the bet has left", async () => {
  const house = new House();
  const page = await open(house, { rules: LONG });
  await spin(house, page, true);

  const tab = await open(house, { storage: page.storage, rules: LONG });
  const reloaded = await open(house, { storage: page.storage, session: page.session, rules: LONG });

  assert.deepEqual([tab.balance(), reloaded.balance()], [9_500, 9_500]);
});

test("the balance of the server counts when the wheel has stopped", async () => {
  const house = new House();
  const page = await open(house);

  await page.bet({ wager: "5", clientSeed: house.seedThat(true, 500) });
  await until(() => page.balance() !== 9_500);

  assert.equal(page.balance(), 10_500);
});

test("after a restore that has lost the last bet, the balance is that of the server", async () => {
  const house = new House();
  const page = await open(house);
  await page.bet({ wager: "5", clientSeed: house.seedThat(false, 500) });
  Object.assign(house, { balance: 100, version: 1 });

  page.socket.connect();

  assert.equal(page.balance(), 10_000);
});

test("a refused bet costs nothing", async () => {
  const house = new House();
  const page = await open(house);
  house.refuse = () => ({ status: false, error: "Wager is above the limit" });

  await page.click();

  assert.equal(page.balance(), 10_000);
});
