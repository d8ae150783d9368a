// Where the reel stops. The golden vectors check the rest of fairness/rolls.js, in verify/verify.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { winnerOf } from "../../../blueprints/site/static/fairness/rolls.js";

test("the place of a ticket in its range is where the reel stops", () => {
  const items = [{ width: 4n }, { width: 0n }, { width: 10n }];

  assert.deepEqual(winnerOf(3n, items), { position: 0, within: 0.75 });
  assert.deepEqual(winnerOf(4n, items), { position: 2, within: 0 });
  assert.throws(() => winnerOf(14n, items), RangeError);
});
