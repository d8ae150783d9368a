// The list of battles changes with them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser } from "./page.mjs";

const load = await browser();
const { isWanted, withChange } = await load("battles/list.js");

const battle = (id, more) => ({ id, state: "open", version: 1, mode: "normal", costCents: 500, ...more });
const sent = (id, more) => ({ id, state: "open", version: 1, mode: "normal", cost: 5, ...more });
const shown = (more) => ({ which: "open", page: 1, pages: 1, battles: [battle("a"), battle("b")], ...more });
const ids = ({ battles }) => battles.map(({ id }) => id);

test("a new battle comes first, on the first page only", () => {
  assert.deepEqual(ids(withChange(shown(), sent("c"))), ["c", "a", "b"]);
  assert.deepEqual(ids(withChange(shown({ page: 2 }), sent("c"))), ["a", "b"]);
});

test("a battle that changes keeps its place, and one that locks leaves the open ones", () => {
  const changed = withChange(shown(), sent("b", { version: 2, cost: 6 }));
  assert.deepEqual([ids(changed), changed.battles[1].costCents], [["a", "b"], 600]);
  assert.deepEqual(ids(withChange(shown(), sent("a", { version: 2, state: "locked" }))), ["b"]);
  assert.deepEqual(ids(withChange(shown({ which: "running" }), sent("c", { state: "locked" }))), ["c", "a", "b"]);
});

test("an overtaken version changes nothing, and no cancelled battle is listed", () => {
  const before = shown({ battles: [battle("a", { version: 3 })] });
  assert.equal(withChange(before, sent("a", { version: 2, cost: 9 })), before);
  for (const which of ["open", "running", "finished"]) {
    assert.deepEqual(ids(withChange(shown({ which }), sent("c", { state: "cancelled" }))), ["a", "b"]);
  }
});

test("filters leave a mode and a range of costs", () => {
  const all = { mode: "all" };
  assert.equal(isWanted(battle("a"), all), true);
  assert.equal(isWanted(battle("a"), { mode: "jackpot" }), false);
  assert.equal(isWanted(battle("a"), { ...all, minPrice: "5", maxPrice: "5.00" }), true);
  assert.equal(isWanted(battle("a"), { ...all, maxPrice: "4.99" }), false);
});
