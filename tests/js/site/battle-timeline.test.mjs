// How the drawing of a battle moves is computed from the battle alone, so everybody sees the same.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser } from "./page.mjs";

const load = await browser();
const [{ paceOf, placeAt, stripsOf, drawOf, drawStrip, leading, valuesAfter }, { whoWins, teamOfSeats }] =
  await Promise.all(["battles/timeline.js", "battles/terms.js"].map(load));

const HALF = 5n * 10n ** 17n;
const ITEMS = [
  { name: "Crown", priceCents: 4000, width: HALF, chance: 0.5 },
  { name: "Dust", priceCents: 100, width: HALF, chance: 0.5 },
];
const drawn = (item, ticket) => ({ item, ticket: `${ticket}`, priceCents: item === "Crown" ? 4000 : 100 });

const BATTLE = {
  mode: "normal",
  teams: "1v1",
  randomness: "ab".repeat(32),
  cases: [{ snapshot: "a" }, { snapshot: "a" }],
  drawn: [[drawn("Crown", 0), drawn("Dust", HALF)], [drawn("Dust", HALF), drawn("Dust", HALF + HALF / 2n)]],
  valuesCents: [4100, 200],
  tie: null,
  winners: [0],
};
const TIE = { ...BATTLE, valuesCents: [200, 200], tie: [0, 1], winners: [1] };
const PACE = paceOf(4, false);

test("each reel stops inside the cell of the item that the ticket gives", () => {
  const strips = stripsOf(BATTLE, () => ITEMS);

  const stops = strips.map((seats) => seats.map(({ cells, stop, to }) => [cells[stop].name, Math.floor(to) === stop]));
  assert.deepEqual(stops, [[["Crown", true], ["Dust", true]], [["Dust", true], ["Dust", true]]]);
  const [, { to, stop }] = strips[1];
  assert.ok(Math.abs(to - stop - 0.5) < 0.01, "a ticket in the middle of a range is in the middle of the cell");
});

test("all spectators see the same strips, and other battles have others", () => {
  const namesOf = (battle) => JSON.stringify(stripsOf(battle, () => ITEMS)[0][0].cells.map(({ name }) => name));

  assert.equal(namesOf(BATTLE), namesOf({ ...BATTLE }));
  assert.notEqual(namesOf(BATTLE), namesOf({ ...BATTLE, randomness: "cd".repeat(32) }));
});

test("a reel goes on from the cells at which it stopped", () => {
  const [[first], [second]] = stripsOf(BATTLE, () => ITEMS);

  assert.deepEqual(second.cells.slice(0, 9), first.cells.slice(first.stop - 4, first.stop + 5));
});

test("an item without its snapshot is shown in the middle of its cell", () => {
  const [[{ cells, stop, to }]] = stripsOf(BATTLE, () => ITEMS.map((item) => ({ ...item, width: null })));

  assert.deepEqual([cells[stop].name, to - stop], ["Crown", 0.5]);
});

test("cases follow each other, each counts when its reels have stopped, and a tie has a draw of its own", () => {
  const places = [0, 4_500, 5_000, 9_500, 10_000, 15_000].map((ms) => {
    const { step, shown, isTurning, isDraw, isOver } = placeAt(TIE, ms, PACE);
    return [step, shown, isTurning, isDraw, isOver];
  });

  assert.deepEqual(places, [
    [0, 0, true, false, false],
    [0, 1, false, false, false],
    [1, 1, true, false, false],
    [1, 2, false, false, false],
    [2, 2, true, true, false],
    [3, 2, false, false, true],
  ]);
  assert.equal(placeAt(BATTLE, 10_000, PACE).isOver, true);
});

test("a fast animation shows the same in a quarter of the time", () => {
  assert.equal(placeAt(TIE, 2_500, paceOf(4, true)).step, placeAt(TIE, 10_000, PACE).step);
});

test("a draw stops at the winner, among those that tie, or by what counts in a jackpot", () => {
  assert.deepEqual(drawOf(TIE), [{ team: 0, chance: 0.5 }, { team: 1, chance: 0.5 }]);
  assert.equal(drawOf(BATTLE), null);
  const jackpot = { ...BATTLE, mode: "jackpot", valuesCents: [300, 100] };
  assert.deepEqual(drawOf(jackpot).map(({ chance }) => chance), [0.75, 0.25]);
  assert.deepEqual(drawOf({ ...jackpot, crazy: true }).map(({ chance }) => chance), [0.25, 0.75]);
  assert.deepEqual(drawOf({ ...jackpot, valuesCents: [0, 0] }).map(({ chance }) => chance), [0.5, 0.5]);
  const { cells, stop } = drawStrip(TIE);
  assert.equal(cells[stop].team, 1);
});

test("values are those of the teams, in terminal battles of the last case alone", () => {
  assert.deepEqual([0, 1, 2].map((shown) => valuesAfter(BATTLE, shown)), [[0, 0], [4000, 100], [4100, 200]]);
  assert.deepEqual([1, 2].map((shown) => valuesAfter({ ...BATTLE, terminal: true }, shown)), [[0, 0], [100, 100]]);
  assert.deepEqual(teamOfSeats("2v2v2"), [0, 0, 1, 1, 2, 2]);
  const team = { ...BATTLE, teams: "2v2", drawn: [...BATTLE.drawn, ...BATTLE.drawn] };
  assert.deepEqual(valuesAfter(team, 2), [4300, 4300]);
});

test("the highest leads, in crazy battles the lowest, and nobody while all are equal", () => {
  assert.deepEqual(leading(BATTLE, [3, 1]), [0]);
  assert.deepEqual(leading({ ...BATTLE, crazy: true }, [3, 1]), [1]);
  assert.deepEqual(leading(BATTLE, [0, 0]), []);
  assert.deepEqual(leading({ ...BATTLE, mode: "jackpot" }, [3, 1]), []);
});

const SENTENCES = {
  "The player that has drawn the most in all cases gets everything.": {},
  "The team that has drawn the least in the last case gets everything.": { teams: "2v2", crazy: true, terminal: true },
  "One player is drawn for everything: the more it has drawn in all cases, the likelier.": { mode: "jackpot" },
  "All seats get the same.": { mode: "shared" },
};

for (const [sentence, terms] of Object.entries(SENTENCES)) {
  test(`what a mode means is said: ${sentence}`, () => assert.equal(whoWins({ ...BATTLE, ...terms }), sentence));
}
