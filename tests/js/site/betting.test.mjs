// Bets in order: what is shown of them, what is lost or overtaken on the way, and how fast they follow each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CASE, House, ITEM } from "./house.mjs";
import { markup, openPage, until } from "./page.mjs";

async function open(options = {}) {
  const house = new House();
  return { house, page: await openPage(house, { item: ITEM, ...options }) };
}

test("a bet with a lost answer is sent again and played once", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name.endsWith(":proof") ? null : payload);
  const { timeout } = page.socket;
  page.socket.timeout = () => ({
    emitWithAck: async (event, payload) => {
      page.socket.timeout = timeout;
      await house.answer(event, payload);
      throw new Error("timeout");
    },
  });

  await page.click();

  assert.match(page.state.outcome.text, /^You /);
  assert.deepEqual(house.bets[0], house.bets[1]);
  assert.equal(house.settled.length, 1);
});

test("a balance that an overtaken message brings is ignored, except after a reconnection", async () => {
  const { house, page } = await open();
  house.version = 9;
  house.send("balance", { balance: 50, version: 9 });

  house.send("balance", { balance: 99, version: 8 });
  assert.equal(page.state.balanceCents, 5000);

  house.version = 2;
  page.socket.connect();
  assert.equal(page.state.balanceCents, 10_000);
});

test("neither the outcome nor the proof is shown before the wheel has stopped", async () => {
  const { house, page } = await open({ rules: { proofDelay: 600 } });
  page.bet({ wager: "5", clientSeed: house.seedThat(true, 500) });
  await until(() => page.state.announced.nonce === 2);

  assert.deepEqual(page.state.outcome, { text: "", kind: "" });
  assert.equal(page.count(), 0);
  assert.equal(page.button(), "Spin The wheel is turning.");
});

test("a bet under a replaced commitment takes the new one", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name === "upgrader:commitment" ? null : payload);
  house.redraw();
  house.rewrite = (_name, payload) => payload;
  house.refuse = ({ serverSeedCommitment }) => (serverSeedCommitment === house.announced.serverSeedCommitment
    ? null : { status: false, error: "Commitment does not match" });

  await page.click();
  assert.equal(page.state.announced.serverSeedCommitment, house.announced.serverSeedCommitment);
  assert.match(page.button(), /^Spin/);
  await page.click();

  assert.equal(house.settled.length, 1);
});

test("the shortest time between two bets is kept", async () => {
  const { house, page } = await open({ rules: { minCycle: 600 } });

  await page.click();
  await page.verdict(1);
  assert.equal(page.button(), "Spin You can place the next bet in a moment.");
  await page.click();

  assert.equal(house.bets.length, 1);
});

test("quick mode turns no wheel", async () => {
  const { page } = await open({ rules: { proofDelay: 600 } });
  page.storage.setItem("quick-mode", "on");

  await page.click();

  assert.match(page.state.outcome.text, /^You /);
});

/** The page with a case of which a number of openings is chosen. */
async function openCase(count, options) {
  const { house, page } = await open(options);
  await page.showCase();
  const { seriesControls } = await page.load("game/pace.js");
  seriesControls().values[0][count - 1].values.at(-2)();
  return { house, page };
}

test("openings follow each other after one click", async () => {
  const { house, page } = await openCase(3);
  assert.match(page.button(), /^Open 3× for 15.00/);

  await page.click();

  const paid = house.settled.map(({ payout }) => payout);
  const net = paid.reduce((sum, payout) => sum + payout, -15);
  const sign = net > 0 ? "+" : "−";
  const text = `Opened 3 of 3: worth ${(net + 15).toFixed(2)}, net ${sign}${Math.abs(net).toFixed(2)} coins.`;
  assert.equal(page.state.outcome.text, text);
});

test("openings stop at the first refusal", async () => {
  const { house, page } = await openCase(5);
  house.refuse = () => (house.bets.length === 2 ? { status: false, error: "Insufficient balance" } : null);

  await page.click();

  assert.match(page.state.outcome.text, /^The opening was refused: Insufficient balance. Opened 1 of 5: worth \d+.00, net /);
  assert.equal(house.bets.length, 2);
});

test("a player stops further openings", async () => {
  const { house, page } = await openCase(5);
  const { seriesControls, stopSeries } = await page.load("game/pace.js");
  house.refuse = () => { stopSeries(); };

  await page.click();

  assert.match(page.state.outcome.text, /^Opened 1 of 5/);
  assert.match(markup(seriesControls()), /Openings at once/);
});

test("openings stop when another player signs in", async () => {
  const { house, page } = await openCase(5);
  house.refuse = () => { dispatchEvent(new Event("session")); };

  await page.click();

  assert.equal(house.bets.length, 1);
});

test("more openings than the balance pays for are not begun", async () => {
  const { house, page } = await openCase(5);
  house.version += 1;
  house.send("balance", { balance: 20, version: house.version });

  assert.equal(page.button(), "Open 5× for 25.00 coins Your balance is too small for 5 openings of this case.");
  await page.click();

  assert.deepEqual(house.bets, []);
});

test("a case that has changed is shown anew", async () => {
  const { house, page } = await open();
  await page.showCase();
  house.refuse = () => ({ status: false, error: "Case has changed" });
  house.routes["/api/cases/chest"] = { ...CASE, name: "Changed chest" };

  await page.click();

  const text = "The opening was refused: Case has changed. This is the case as it is now.";
  await until(() => page.state.outcome.text === text);
  const { shownCase } = await page.load("game/case-opening.js");
  assert.equal(shownCase().name, "Changed chest");
});

test("only the case that was chosen last is shown", async () => {
  const { house, page } = await open();
  const { chooseCase, shownCase } = await page.load("game/case-opening.js");
  let answerFirst;
  house.routes["/api/cases/first"] = () => new Promise((resolve) => { answerFirst = resolve; });
  const first = chooseCase({ game: "case", id: "first" });

  assert.equal(await chooseCase({ game: "case", id: "chest" }), true);
  answerFirst({ ...CASE, name: "First" });

  assert.equal(await first, false);
  assert.equal(shownCase().name, "Chest");
});

test("a case with an item that has no price can't be opened", async () => {
  const { house, page } = await open();
  const [crown, dust] = CASE.items;
  house.routes["/api/cases/chest"] = { ...CASE, snapshot: null, items: [{ ...crown, price: null }, dust] };

  await page.showCase();

  assert.match(page.button(), /This case can't be opened, because an item has no price\.$/);
});

test("a case that fails to load is explained", async () => {
  const { house, page } = await open();
  house.routes["/api/cases/chest"] = () => { throw new Error("no network"); };

  await page.showCase();

  assert.equal(page.state.outcome.text, "The case could not be loaded: There is no connection to the server.");
});

const ACCESS = {
  "This case needs level 20. You have reached level 1.": { requiredLevel: 20 },
  "The free case needs a promo code.": { id: "free-case" },
};

for (const [reason, change] of Object.entries(ACCESS)) {
  test(`what a case requires is said: ${reason}`, async () => {
    const { house, page } = await open();
    const { chooseCase } = await page.load("game/case-opening.js");
    await until(() => page.state.player);
    await page.showCase();
    house.routes["/api/cases/free-case"] = house.routes["/api/cases/chest"] = { ...CASE, ...change };

    await chooseCase({ game: "case", id: change.id ?? "chest" });

    assert.ok(page.button().endsWith(reason), page.button());
  });
}
