// What the page needs of fairness/rolls.js and verify/verify.mjs, which has the golden vectors, does not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { winnerOf } from "../../../blueprints/site/static/fairness/rolls.js";

test("the place of a ticket in its range is where the reel stops", () => {
  const items = [{ width: 4n }, { width: 0n }, { width: 10n }];

  assert.deepEqual(winnerOf(3n, items), { position: 0, within: 0.75 });
  assert.deepEqual(winnerOf(4n, items), { position: 2, within: 0 });
  assert.throws(() => winnerOf(14n, items), RangeError);
});
