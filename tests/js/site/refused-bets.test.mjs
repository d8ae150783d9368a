// A server that refuses the bets that win, or does not answer them, is never shown as fair.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DROPPED, House, ITEM } from "./house.mjs";
import { openPage, Storage, until } from "./page.mjs";

const FAILED = { status: false, error: "Something went wrong" };
const TOO_HIGH = { status: false, error: "Wager is above the limit" };
const WON = "Spin 1 was refused once with these seeds, and would have won";

async function open(options = {}) {
  const house = new House();
  return { house, page: await openPage(house, { item: ITEM, ...options }) };
}

/** Refuses one bet, whose seeds win or lose. */
async function refuse(house, page, answer, { wins = true } = {}) {
  house.refuse = () => answer;
  await page.bet({ wager: "5", clientSeed: house.seedThat(wins, 500) });
  house.refuse = () => null;
}

const lose = (house, page) => page.bet({ wager: "5", clientSeed: house.seedThat(false, 500) });

/** The file about the first commitment. */
async function evidence(page) {
  const { commitments } = await page.load("fairness/attempts.js");
  const { evidenceOf } = await page.load("fairness/evidence.js");
  return JSON.parse(evidenceOf(commitments()[0]));
}

test("a failed bet is sent again with the same id and seed, also after a reload", async () => {
  const { house, page } = await open();
  await refuse(house, page, FAILED);
  assert.match(page.button(), /^Try again for 5.00/);
  house.refuse = () => FAILED;
  await page.bet({ wager: "0.01", clientSeed: "another-seed" });

  const again = await page.reload();
  assert.match(again.button(), /^Try again for 5.00/);
  assert.equal(again.state.clientSeed, house.bets[0].clientSeed);
  await again.click();

  assert.equal(house.bets.length, 3);
  for (const bet of house.bets) assert.deepEqual(bet, house.bets[0]);
  assert.equal(again.count(), 0);
});

test("a bet that is settled after a failure is verified", async () => {
  const { house, page } = await open();
  await refuse(house, page, FAILED);

  await page.click();

  assert.match(await page.verdict(1), /^Verified/);
  assert.deepEqual(page.reports(), []);
});

test("a refused spin that would have won is reported, also after a reload", async () => {
  const { house, page } = await open();
  await refuse(house, page, TOO_HIGH);
  await lose(house, page);

  assert.equal(await page.verdict(1), `${WON}.`);
  assert.equal(page.state.fairness, "✗ Spin 1 not verified");
  assert.notEqual(house.bets[0].requestId, house.bets[1].requestId);
  assert.deepEqual((await page.reload()).reports(), [`${WON}.`]);
});

test("a refused opening that would have paid more than its price is reported", async () => {
  const { house, page } = await open();
  await page.showCase();
  house.refuse = () => ({ status: false, error: "Case is not available" });
  await page.bet({ clientSeed: house.seedThat(true) });
  house.refuse = () => null;
  await page.showWheel();

  await lose(house, page);

  const report = "Opening 1 was refused once with these seeds, and would have paid more than its price.";
  assert.equal(await page.verdict(1), report);
});

test("an opening that pays no more than its price has not won", async () => {
  const { page } = await open();
  const { RECORDS } = await page.load("fairness/records.js");
  const wins = (price) => {
    const content = JSON.stringify({ id: "chest", items: [{ name: "Coin", price, width: `${10n ** 18n}` }], price: "500" });
    return RECORDS.case.wins({ request: { price: 5 }, terms: { content } }, "0".repeat(64));
  };

  assert.deepEqual(["499", "500", "501"].map(wins), [false, false, true]);
});

test("refusals are counted across reloads", async () => {
  const { house, page } = await open();
  await refuse(house, page, TOO_HIGH);
  const again = await page.reload({ item: ITEM });
  await refuse(house, again, TOO_HIGH);

  await lose(house, again);

  assert.equal(await again.verdict(1), "Spin 1 was refused twice with these seeds, and would have won.");
});

test("a refused spin that would have lost is not reported", async () => {
  const { house, page } = await open();
  await refuse(house, page, TOO_HIGH, { wins: false });

  await lose(house, page);

  assert.match(await page.verdict(1), /^Verified/);
  assert.deepEqual(page.reports(), []);
});

test("a failed opening is sent again unchanged after a reload", async () => {
  const { house, page } = await open();
  await page.showCase();
  house.refuse = () => FAILED;
  await page.click();
  house.refuse = () => null;

  const again = await page.reload();
  await again.click();

  assert.match(await again.verdict(1), /^Verified/);
  assert.deepEqual(house.bets[0], house.bets[1]);
});

test("a winning bet without an answer is not replaced by another bet", async () => {
  const { house, page } = await open();
  house.refuse = () => DROPPED;
  page.bet({ wager: "5", clientSeed: house.seedThat(true, 500) });
  await until(() => house.bets.length === 1);
  const again = await page.reload();
  await until(() => house.bets.length === 2);
  assert.equal(again.button(), "Spin The wheel is turning.");

  house.refuse = () => null;
  house.redraw();
  const last = await again.reload({ item: ITEM });
  await lose(house, last);

  const report = "The server replaced its commitment to bet 1 after a bet was sent, so bets that it refused or did "
    + "not answer can't be recomputed.";
  assert.deepEqual(house.bets[0], house.bets[1]);
  assert.equal(await last.verdict(1), report);
  assert.deepEqual(last.reports(), [report]);
});

test("a commitment that was replaced while the page was closed is shown and kept", async () => {
  const { house, page } = await open();
  const { serverSeedCommitment } = house.announced;
  house.sockets.clear();
  house.redraw();

  const again = await page.reload({ item: ITEM });

  assert.deepEqual(again.reports(), ["The server replaced its commitment to bet 1 before a bet was sent."]);
  await lose(house, again);
  assert.match(await again.verdict(1), /^Verified/);
  const last = await again.reload();
  assert.equal(last.reports().length, 1);
  assert.equal((await evidence(last)).serverSeedCommitment, serverSeedCommitment);
});

test("a commitment whose bet was skipped is shown", async () => {
  const { house, page } = await open();
  await refuse(house, page, FAILED);
  house.nonce += 1;
  house.redraw();

  await until(() => page.reports().length);

  const [report] = page.reports();
  assert.match(report, /^The server has not revealed the seed of its commitment to bet 1/);
});

for (const entry of ["sent-client-seeds", "attempts/"]) {
  test(`a bet that the browser cannot record is not sent: ${entry}`, async () => {
    const { house, page } = await open();
    page.storage.setItem = (key) => { if (key.startsWith(entry)) throw new Error("full"); };

    await page.click();

    assert.match(page.state.outcome.text, /^The bet was not sent/);
    assert.deepEqual(house.bets, []);
  });
}

test("a bet whose number was played under another commitment meanwhile is shown", async () => {
  const { house, page } = await open();
  house.sockets.clear();
  house.redraw();
  house.settle("upgrader:spin", { amount: 5, clientSeed: "elsewhere", requestId: "1" });

  const again = await page.reload();

  await until(() => again.reports().length);
  assert.deepEqual(again.reports(), ["The server replaced its commitment to bet 1 before a bet was sent."]);
});

test("a winning bet without an answer that was paid is not reported", async () => {
  const { house, page } = await open();
  house.refuse = (payload) => {
    house.sockets.clear();
    house.settle("upgrader:spin", payload);
    return DROPPED;
  };
  page.bet({ wager: "5", clientSeed: house.seedThat(true, 500) });
  await until(() => house.settled.length);

  const other = await openPage(house, { storage: page.storage, session: new Storage() });
  const { commitmentEntry } = await other.load("fairness/attempts.js");
  await until(() => commitmentEntry(house.settled[0].pf.serverSeedCommitment).serverSeed);

  assert.deepEqual(other.reports(), []);
});

test("a winning bet without an answer is reported although another one was paid", async () => {
  const { house, page } = await open();
  house.refuse = () => DROPPED;
  page.bet({ wager: "5", clientSeed: house.seedThat(true, 500) });
  await until(() => house.bets.length);
  house.sockets.clear();
  house.settle("upgrader:spin", { amount: 5, clientSeed: house.seedThat(true, 500), requestId: "1" });

  const other = await openPage(house, { storage: page.storage, session: new Storage() });

  await until(() => other.reports().length);
  assert.deepEqual(other.reports(), ["Spin 1 was left unanswered once with these seeds, and would have won."]);
});

test("the evidence has each bet with its seeds, its terms and its answer", async () => {
  const { house, page } = await open();
  await refuse(house, page, TOO_HIGH);
  await lose(house, page);
  await page.verdict(1);

  const { attempts, ...others } = await evidence(page);

  const { serverSeed, serverSeedCommitment } = house.settled[0].pf;
  assert.deepEqual(others, { serverSeedCommitment, nonce: 1, serverSeed, replacedBy: null });
  const { clientSeed, requestId } = house.bets[0];
  const { sentAt, ...sent } = attempts[0];
  assert.ok(sentAt > 0);
  assert.deepEqual(sent, {
    algorithm: "upgrader-1", event: "upgrader:spin", amount: 5, item: ITEM.marketHashName, price: 10, clientSeed,
    serverSeedCommitment, requestId, houseEdge: 0.05, answer: TOO_HIGH, receipt: null,
  });
  assert.equal(attempts[1].answer.status, true);
  assert.equal(attempts[1].receipt, house.settled[0].receipt);
});

for (const game of ["spin", "opening"]) {
  for (const awaited of ["decidedAt", "proof"]) {
    test(`a bet (${game}) that a reload interrupts after its ${awaited} goes on`, async () => {
      const { house, page } = await open({ rules: { proofDelay: 1_000 } });
      if (awaited === "decidedAt") house.rewrite = (name, payload) => (name.endsWith(":proof") ? null : payload);
      if (game === "opening") await page.showCase();
      page.bet({ wager: "5" });
      await until(() => page.state.announced.nonce === 2);

      const again = await page.reload({ item: ITEM });
      assert.match(again.button(), game === "spin" ? /The wheel is turning.$/ : /The reel is turning.$/);
      assert.equal(again.count(), 0);
      const key = Object.keys(page.storage).find((each) => page.storage[each].includes('"decidedAt"'));
      page.storage[key] = page.storage[key].replace(/"decidedAt":\d+/, '"decidedAt":1');
      house.rewrite = (_name, payload) => payload;
      const last = await again.reload();

      assert.match(await last.verdict(1), /^Verified/);
      await until(() => last.state.outcome.text);
      assert.match(last.state.outcome.text, /^You /);
      assert.equal(house.settled.length, 1);
    });
  }
}

test("a bet whose tab was closed before the answer is verified in another tab", async () => {
  const { house, page } = await open();
  house.refuse = (payload) => {
    house.sockets.clear();
    house.settle("upgrader:spin", payload);
    return DROPPED;
  };
  page.bet({ wager: "5" });
  await until(() => house.settled.length);
  house.refuse = () => null;

  const other = await openPage(house, { storage: page.storage, session: new Storage() });
  house.send("upgrader:proof", house.settled[0].pf);

  await until(() => other.state.outcome.text);
  assert.match(await other.verdict(1), /^Verified/);
});
