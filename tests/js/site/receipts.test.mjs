// The page keeps the receipts of bets, and holds them against the public log.

import assert from "node:assert/strict";
import { test } from "node:test";

import { House, ITEM } from "./house.mjs";
import { markup, openPage, until } from "./page.mjs";

const NOT_LOGGED = "The server has broken its promise about spin 1: it is not in the public log";
const PROOF = "/bets/100/tlog-proof";

async function open() {
  const house = new House();
  return { house, page: await openPage(house, { item: ITEM }) };
}

/** The only attempt as the page has stored it, once the condition holds. */
async function stored(page, condition = () => true) {
  const { attempts } = await page.load("fairness/attempts.js");
  await until(() => attempts().some(condition));
  return attempts().find(condition);
}

const compared = (page) => stored(page, ({ logged, broken, failedAt }) => logged !== undefined || broken || failedAt);

/** Lets stored times of an attempt be so much earlier. */
async function age(page, ms, ...names) {
  const { keepAttempt } = await page.load("fairness/attempts.js");
  const attempt = await stored(page);
  keepAttempt({ ...attempt, ...Object.fromEntries(names.map((name) => [name, attempt[name] - ms])) });
}

async function compare(page) {
  await (await page.load("fairness/receipts.js")).compareReceipts();
}

/** What the page "Log" says of a bet: the checks that fail, or why there are none. */
async function logged(page, id = 100) {
  const { verifyInLog } = await page.load("fairness/in-log.js");
  const { shownBet } = await page.load("fairness/bet-list.js");
  try {
    const { checks } = await verifyInLog(id, await shownBet(id));
    return checks.filter(({ passed }) => !passed).map(({ text }) => text);
  } catch ({ message }) {
    return [message];
  }
}

test("a receipt is kept and compared with the entry of the log", async () => {
  const { house, page } = await open();
  for (const nonce of [1, 2, 3]) {
    await page.click();
    await page.verdict(nonce);
  }

  const third = await stored(page, (attempt) => attempt.nonce === 3 && attempt.logged !== undefined);

  assert.equal(third.receipt, house.settled[2].receipt);
  assert.deepEqual([third.logged, third.isValid], [2, true]);
  assert.deepEqual(page.reports(), []);
  assert.deepEqual(await logged(page, 102), []);
});

test("a bet that is not in the log is a broken promise after ten seconds", async () => {
  const { house, page } = await open();
  house.routes[PROOF] = new Response("{}", { status: 404 });
  await page.click();
  assert.match(await page.verdict(1), /^Verified/);
  await until(() => house.paths.includes(PROOF));
  await compare(page);
  assert.deepEqual(page.reports(), []);

  await age(page, 10_001, "promisedAt");
  await compare(page);

  assert.deepEqual(page.reports(), [`${NOT_LOGGED}.`]);
  assert.equal(await page.verdict(1), `${NOT_LOGGED}.`);
  const again = await page.reload();
  await again.verdict(1);
  assert.deepEqual(again.reports(), [`${NOT_LOGGED}.`]);
});

test("the proof of another bet is a broken promise", async () => {
  const { house, page } = await open();
  await page.click();
  await compared(page);
  house.routes["/bets/101/tlog-proof"] = () => house.log.proof(0);

  await page.click();

  await until(() => page.reports().length);
  const report = "The server has broken its promise about spin 2: its proof in the public log is wrong.";
  assert.deepEqual(page.reports(), [report]);
});

test("another entry of the log than the promised one is a broken promise", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name === "log:receipt"
    ? { ...payload, receipt: house.log.receipt(house.log.entries[0].replace('{"clientSeed"', '{"at":1,"clientSeed"')) }
    : payload);

  await page.click();

  assert.equal((await compared(page)).broken, "the public log has another entry");
});

test("a receipt that the log has not signed is not trusted", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name === "log:receipt"
    ? { ...payload, receipt: payload.receipt.replace('"wager":100', '"wager":101') } : payload);

  await page.click();

  assert.equal((await compared(page)).isValid, false);
});

test("the details of a bet say what has become of its receipt", async () => {
  const { house, page } = await open();
  const { betList } = await page.load("fairness/bet-list.js");
  const details = () => {
    for (const bet of page.state.bets) bet.isOpened = true;
    return /<p class="receipt">[^]*?<\/p>/.exec(markup(betList()))[0];
  };
  house.routes[PROOF] = new Response("{}", { status: 404 });
  await page.click();
  await page.verdict(1);
  assert.match(details(), /It has not been compared with the log yet\./);

  delete house.routes[PROOF];
  await compare(page);
  assert.match(details(), /The bet is entry 0 of the log, as promised\./);

  house.rewrite = (name, payload) => (name === "log:receipt" ? null : payload);
  await page.click();
  await page.verdict(2);
  assert.match(details(), /This browser has no receipt of this bet\./);
});

test("a proof that can't be fetched is reported after ten minutes, until it can", async () => {
  const { house, page } = await open();
  house.routes[PROOF] = () => new Response("{}", { status: 500 });
  await page.click();
  await page.verdict(1);
  assert.ok((await compared(page)).failedAt);
  assert.deepEqual(page.reports(), []);

  await age(page, 600_001, "failedAt");
  assert.deepEqual(page.reports(), ["The server has not proved that spin 1 is in the public log."]);

  delete house.routes[PROOF];
  await compare(page);
  assert.deepEqual(page.reports(), []);
});

test("a bet whose number is played again is a broken promise", async () => {
  const { house, page } = await open();
  house.rewrite = (name, payload) => (name.endsWith(":proof") ? null : payload);
  await page.click();
  await stored(page, ({ receipt }) => receipt);
  await age(page, 60_000, "at");

  // As after a restore without the bet.
  [house.settled, house.nonce, house.draws] = [[], 1, 9];
  const again = await page.reload();

  await until(() => again.reports().includes(`${NOT_LOGGED}.`));
});

const FORGERIES = {
  "another index": (proof) => proof.replace(/index \d+/, "index 7"),
  "a damaged signature": (proof) => proof.replace(/.{4}=\n$/, "AAAA=\n"),
  "another entry": (proof) => proof.replace(/extra .*/, "extra e30="),
  "another format": () => "<html>",
};

for (const [what, forge] of Object.entries(FORGERIES)) {
  test(`a proof with ${what} does not verify a bet`, async () => {
    const { house, page } = await open();
    await page.click();
    await compared(page);
    house.routes[PROOF] = forge(house.log.proof(0));

    assert.notDeepEqual(await logged(page), []);
  });
}

test("a page of a bet that names another entry is not verified", async () => {
  const { house, page } = await open();
  await page.click();
  await compared(page);
  house.routes["/bets/100"] = { ...house.bet(house.settled[0]), log: { index: 5, origin: "play.example.com/log" } };

  assert.deepEqual(await logged(page), ["The page of the bet names this entry"]);
});

test("the log is looked up under its present name", async () => {
  const { house, page } = await open();
  await page.click();
  await compared(page);
  house.routes["/log/current"] = { origin: "play.example.com/log-0badcafe" };

  await logged(page);

  assert.ok(house.paths.includes("/log-0badcafe/key"));
});
