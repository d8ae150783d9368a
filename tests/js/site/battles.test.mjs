// The rules of battles, with the golden vectors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { recomputeBattle } from "../../../blueprints/site/static/fairness/battles.js";
import { InvalidValue } from "../../../blueprints/site/static/fairness/rolls.js";

const { battles, refusedBattles } =
  JSON.parse(readFileSync(new URL("../../../verify/vectors.json", import.meta.url), "utf8"));

const recompute = ({ cases, ...input }) =>
  recomputeBattle({ ...input, contents: cases.flatMap(({ content, count }) => Array(count).fill(content)) });

for (const { why, input, output } of battles) {
  test(why, async () => assert.deepEqual(await recompute(input), output));
}

for (const { why, input } of refusedBattles) {
  test(`refused: ${why}`, () => assert.rejects(recompute(input), InvalidValue));
}
