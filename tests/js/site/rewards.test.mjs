// Rewards: what the page shows of them, and the free opening of a case.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CASE, House } from "./house.mjs";
import { markup, openPage, turns, until } from "./page.mjs";

const HOUR_MS = 3_600_000;
const RULES = {
  rakebackRate: 0.1,
  levels: [{ level: 1, experience: 100, coins: 1, case: null }, { level: 2, experience: 400, coins: null, case: "chest" }],
  dailyShare: 0.1,
  bonus: { percent: 50, max: 100, wagering: 80, days: 14 },
};
const REWARDS = {
  rakeback: { available: 0, rate: 0.1, claimableAt: null }, levels: [], daily: null, bonus: null, granted: [],
};
const NOBODY = { ...REWARDS, rakeback: null };
const FREE = { id: "daily", case: CASE.id, state: "offered", availableAt: Date.now() + HOUR_MS, needed: 0 };
const PLAYER = {
  username: "alice", level: 1, experience: 250, levelExperience: 100, nextLevelExperience: 400, affiliate: {},
  clientSeed: "s", freeCases: 0,
};

/** The page of a player with these rewards. */
async function open(rewards, rules = RULES) {
  const house = new House();
  house.rewards = rewards;
  house.routes["/rewards"] = () => ({ success: true, data: house.rewards });
  house.routes["/rewards/rules"] = rules;
  house.routes["/auth/me"] = PLAYER;
  const page = await openPage(house);
  const [{ page: view, enter, leave }, { followRewards, rewards: loaded, waitingMark }] =
    await Promise.all(["pages/rewards.js", "rewards.js"].map(page.load));
  followRewards();
  await enter();
  await until(() => page.state.player);
  leave();
  const text = () => markup(view()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  return { house, page, loaded, html: () => markup(view()), text, hasMark: () => markup(waitingMark()) !== "" };
}

test("what can be claimed has a button, and a mark beside the link", async () => {
  const { text, html, hasMark } = await open({ ...REWARDS, rakeback: { available: 3.2, rate: 0.1, claimableAt: null } });

  assert.match(text(), /To claim: 3\.20 coins 10 % of what the house expects to win/);
  assert.match(html(), />Claim</);
  assert.equal(hasMark(), true);
});

test("before its time the rakeback names a time of day, and nothing is to be claimed", async () => {
  const soon = { available: 3.2, rate: 0.1, claimableAt: Date.now() + HOUR_MS };
  const { text, html, hasMark } = await open({ ...REWARDS, rakeback: soon });

  assert.match(text(), /You can claim it from \d/);
  assert.doesNotMatch(html(), />Claim</);
  assert.equal(hasMark(), false);
});

test("the next gift of a level has a bar, and how many coins are missing", async () => {
  const { text, html } = await open(REWARDS);

  assert.match(html(), /<progress max=300 value=150/);
  assert.match(text(), /You have level 1\. Level 2 gives a free opening of chest: wager 150 coins more/);
  await until(() => text().includes("a free opening of Chest:"));
});

test("without gifts the next step is the next level", async () => {
  const { text } = await open(REWARDS, { ...RULES, levels: [] });

  assert.match(text(), /Wager 150 coins more to reach level 2/);
});

test("the bonus of a deposit says how far it is, when it ends and what ends it", async () => {
  const bonus = { id: "5", state: "offered", percent: 50, max: 100, amount: 20, wagered: 400, needed: 1_600, endsAt: Date.now() };
  const { text, html } = await open({ ...REWARDS, bonus });

  assert.match(html(), /<progress max=1600 value=400/);
  assert.match(text(), /400\.00 of 1,600\.00 coins wagered/);
  assert.match(text(), /It ends on .* You lose it then, or when you request a withdrawal before/);
});

test("a bonus that a deposit can take names its terms and where to take it", async () => {
  const bonus = { id: null, state: "available", percent: 50, max: 100, amount: null };
  const { text } = await open({ ...REWARDS, bonus });

  assert.match(text(), /50 % of your next deposit, up to 100\.00 coins , if you take it in the cashier/);
  assert.match(text(), /paid when you have wagered it 80 times within 14 days/);
});

test("without a daily free opening it says what is still to be wagered for the next one", async () => {
  const { text, hasMark } = await open({ ...REWARDS, daily: { ...FREE, case: null, state: null, needed: 12.5 } });

  assert.match(text(), /None today For one from .* on, 12\.50 coins are still to be wagered before/);
  assert.equal(hasMark(), false);
});

test("a player who can't play is shown no reward", async () => {
  const { text, html, hasMark } = await open(NOBODY);

  assert.match(text(), /There are no rewards while you can't play/);
  assert.doesNotMatch(html(), /<section|<progress/);
  assert.equal(hasMark(), false);
});

test("an event shows the rewards as they are now", async () => {
  const { house, text, hasMark } = await open(REWARDS);
  assert.equal(hasMark(), false);

  house.send("rewards:changed", { ...REWARDS, granted: [{ id: "9", kind: "grant", coins: 5, case: null, state: "offered" }] });

  assert.match(text(), /Given to you 5\.00 coins/);
  assert.equal(hasMark(), true);
});

test("a free opening names its reward, costs nothing, and is not followed by one for coins", async () => {
  const { house, page } = await open({ ...REWARDS, daily: FREE });
  const { showCase } = await page.load("game/game.js");
  await showCase({ game: "case", id: CASE.id, reward: FREE.id });
  await until(() => page.button().startsWith("Open free"));

  house.rewards = { ...REWARDS, daily: { ...FREE, state: "used" } };
  page.typeSeed(house.seedThat(false));
  await page.click();
  await turns();

  assert.equal(house.bets.at(-1).reward, "daily");
  assert.match(page.state.outcome.text, /^You got Dust/);
  const [{ costCents }] = (await page.load("fairness/attempts.js")).attempts();
  assert.equal(costCents, 0);
  await until(() => /This free opening was used/.test(page.button()));
  await page.click();
  assert.equal(house.bets.length, 1);
});

test("the opening of a case without a reward has its price", async () => {
  const { house, page } = await open({ ...REWARDS, daily: FREE });
  await page.showCase();

  assert.match(page.button(), /^Open for 5\.00 coins/);
  await page.click();

  assert.equal("reward" in house.bets.at(-1), false);
});
