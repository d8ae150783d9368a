// Amounts, what may be bet, and why the server refused it, in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser } from "./page.mjs";

const { centsOfCoins, centsOfPrice, centsOfText, format, formatSigned, plain } =
  await import("../../../blueprints/site/static/format.js");

test("amounts are typed with a point or a comma and at most two decimals", () => {
  const given = { "12.3": 1230, "0,50": 50, " 7 ": 700, ".5": 50, "5.": 500 };
  for (const [text, cents] of Object.entries(given)) assert.equal(centsOfText(text), cents, text);
  for (const text of ["", ".", "1,000.50", "0.505", "1e3", "five", "-1", "12345678901"]) {
    assert.equal(centsOfText(text), null, text);
  }
});

test("amounts of the server become whole cents", () => {
  assert.deepEqual([0.29, 1.1, 2489].map(centsOfCoins), [29, 110, 248_900]);
  assert.equal(centsOfPrice("$12.34"), 1234);
});

test("a search shows names with a match at the start of a word first", async () => {
  const { matchesFirst } = await (await browser())("parts/lists.js");
  const names = ["Black Oak", "AK-47 | Red", "Make", "M4 | akin"];
  assert.deepEqual(matchesFirst(names, "ak", (name) => name), ["AK-47 | Red", "M4 | akin", "Black Oak", "Make"]);
});

test("amounts are shown in coins with two decimals", () => {
  assert.equal(format(248_900), "2,489.00");
  assert.equal(plain(248_900), "2489.00");
  assert.deepEqual([5, 0, -5].map(formatSigned), ["+0.05", "0.00", "−0.05"]);
});

async function form(changes) {
  const load = await browser();
  const [{ state }, bet] = await Promise.all(["store.js", "game/upgrader.js"].map(load));
  const rules = { minWager: 0.1, maxWager: 75, houseEdge: 0.05 };
  Object.assign(state, { rules, item: { priceCents: 8745 }, balanceCents: 10_000, wager: "1.00" }, changes);
  return bet;
}

const OBJECTIONS = [
  [{}, null],
  [{ rules: null }, "The rules have not been loaded yet."],
  [{ item: null }, "Choose an item first."],
  [{ wager: "five" }, "The wager must be a number with at most two decimals."],
  [{ wager: "0.09" }, "The wager must be at least 0.10 coins."],
  [{ wager: "87.45" }, "The item must be worth more than the wager."],
  [{ wager: "75.01" }, "The wager must be at most 75.00 coins."],
  [{ wager: "0.10", item: { priceCents: 100_000_000_000 } }, "The wager is too small for this item."],
  [{ wager: "1.01", balanceCents: 100 }, "Your balance is too small for this wager."],
];

for (const [changes, objection] of OBJECTIONS) {
  test(`an objection to a bet: ${objection}`, async () => {
    assert.equal((await form(changes)).upgrader.objection(), objection);
  });
}

test("a wager is halved, doubled and raised within the balance, the rules and the price", async () => {
  const most = async (changes) => (await form(changes)).changedWager("most");
  assert.equal(await most({}), "75.00");
  assert.equal(await most({ balanceCents: 5_000 }), "50.00");
  assert.equal(await most({ item: { priceCents: 2_000 } }), "19.99");
  assert.equal((await form({ wager: "0.25" })).changedWager("half"), "0.13");
  assert.equal((await form({ wager: "3" })).changedWager("double"), "6.00");
  assert.equal((await form({ wager: "60" })).changedWager("double"), "75.00");
});

test("the names of items have a gun, a skin and a wear, or less", async () => {
  const { partsOf } = await (await browser())("game/items.js");
  const parts = { gun: "★ Karambit", skin: "Glacier Thread", wear: "Factory New" };
  assert.deepEqual(partsOf("★ Karambit | Glacier Thread (Factory New)"), parts);
  assert.deepEqual(partsOf("Sticker (Gold)"), { gun: "", skin: "Sticker (Gold)", wear: "" });
});

const { explainRefusal, namesAChange } = await (await browser())("game/refusals.js");
const { formatTime } = await (await browser())("format.js");
const RESETS = 1_795_392_000_000;

const TEXTS = [
  [
    { error: "Your limit is reached", limit: "loss", period: "day", resetsAt: RESETS },
    `This bet would exceed your daily loss limit. The limit starts anew on ${formatTime(RESETS)}.`,
    true,
  ],
  [
    { error: "You are taking a break until 2026-11-22T13:45:00Z" },
    `You are taking a break until ${formatTime("2026-11-22T13:45:00Z")}.`,
    true,
  ],
  [
    { error: "You have excluded yourself permanently" },
    "You have excluded yourself permanently, so you can't bet any more.",
    true,
  ],
  [
    { error: "Please wait before the next bet" },
    "That was too soon after your last bet. Please wait a moment.",
    false,
  ],
  [
    { error: "Session time limit reached" },
    "You have reached the time limit of a session. You can bet again after 30 minutes without a bet.",
    true,
  ],
  [{ error: "Account suspended" }, "Your account is suspended, so you can't bet. Please contact support.", false],
  [{ error: "Your level is too low" }, "The spin was refused: Your level is too low.", true],
  [{ error: "Something went wrong" }, "The spin was refused: Something went wrong.", false],
];

for (const [answer, text, change] of TEXTS) {
  test(`a refusal in plain words: ${answer.error}`, () => {
    assert.equal(explainRefusal("spin", answer), text);
    assert.equal(namesAChange(answer), change);
  });
}

test("refused payments are explained, too", () => {
  const answer = { error: "Wager your deposits first", missing: 12.5 };
  const text = "You can withdraw when you have wagered 12.50 coins more.";
  assert.equal(explainRefusal("withdrawal", answer, "withdraw"), text);
  assert.match(explainRefusal("deposit", TEXTS[0][0], "deposit"), /^This deposit would exceed your daily loss limit/);
});
