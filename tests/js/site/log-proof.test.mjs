// Proofs and receipts of the public log, with the golden files of verify/log/.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { checkLogFile } from "../../../blueprints/site/static/fairness/log-proof.js";
import { InvalidValue } from "../../../blueprints/site/static/fairness/rolls.js";
import { entryOf } from "../../../blueprints/site/static/fairness/verify-bet.js";

const read = (name) => readFileSync(new URL(`../../../verify/log/${name}`, import.meta.url), "utf8");
const KEY = read("key");
const PROOF = read("spin.tlog-proof");
const BETS = JSON.parse(read("bets.json"));
const CHECKS = [
  "The bet is entry 2 of the 7 in the checkpoint",
  "The checkpoint is signed with the key of play.example.com/log",
  "The entry has the commitment that was announced for the bet",
  "The entry has the nonce of the bet",
  "The entry has the client seed that was sent",
  "The entry has the commitment that was announced for the next bet",
  "The entry has the terms of the bet: algorithm, wager, price, edge, threshold",
];

const marks = (checks) => checks.map(({ passed }) => passed);

test("a proof passes all checks", async () => {
  const { index, size, checks } = await checkLogFile(PROOF, KEY, await entryOf(BETS.spin));

  assert.deepEqual([index, size], [2, 7]);
  assert.deepEqual(checks, CHECKS.map((text) => ({ text, passed: true })));
});

test("a receipt passes all checks but that of its place", async () => {
  const { checks } = await checkLogFile(read("spin.receipt"), KEY, await entryOf(BETS.spin));

  const texts = CHECKS.slice(1).map((text) => text.replace("checkpoint is", "receipt is"));
  assert.deepEqual(checks, texts.map((text) => ({ text, passed: true })));
});

test("the proof of an opening passes all checks", async () => {
  const { checks } = await checkLogFile(read("opening.tlog-proof"), KEY, await entryOf(BETS.opening));

  assert.equal(checks.length, 7);
  assert.ok(checks.every(({ passed }) => passed));
});

for (const { why, file, key = KEY, bet = {} } of JSON.parse(read("altered.json"))) {
  test(`refused: ${why}`, async () => {
    const checked = await checkLogFile(file, key, await entryOf({ ...BETS.spin, ...bet })).catch((problem) => {
      assert.ok(problem instanceof InvalidValue);
      return { checks: [{ passed: false }] };
    });

    assert.ok(checked.checks.some(({ passed }) => passed === false));
  });
}

const [WITNESS] = read("witnesses").split("\n");

test("a proof says by whom and when its checkpoint was cosigned", async () => {
  const { cosigned, checks } = await checkLogFile(read("cosigned.tlog-proof"), KEY, {}, read("witnesses"));

  const at = Date.parse("2025-06-15T15:06:48Z");
  assert.deepEqual(cosigned, [{ name: "witness.example/w1", at }, { name: "witness.example/w2", at }]);
  assert.deepEqual(marks(checks), [true, true, true, true]);
  assert.equal(checks[2].text, "The checkpoint was cosigned by witness.example/w1 at 2025-06-15T15:06:48Z");
});

for (const { why, lines, passed } of JSON.parse(read("cosignatures.json"))) {
  test(`${passed === true ? "cosigned" : "not cosigned"}: ${why}`, async () => {
    const { checks } = await checkLogFile(PROOF + lines, KEY, {}, WITNESS);

    assert.deepEqual(marks(checks), [true, true, passed]);
  });
}

test("a forged cosignature of ML-DSA-44 is not called right", async () => {
  const typed = Buffer.concat([Buffer.from([6]), Buffer.alloc(1_312)]);
  const id = createHash("sha256").update("w3.example\n").update(typed).digest().subarray(0, 4);
  const line = `\u2014 w3.example ${Buffer.concat([id, Buffer.alloc(8, 1), Buffer.alloc(2_420)]).toString("base64")}\n`;
  const early = line.replace("AQEBAQEBAQ", "AAAAAAAAAQ");
  const key = `w3.example+${id.toString("hex")}+${typed.toString("base64")}`;

  for (const each of [line, early]) {
    const { cosigned, checks } = await checkLogFile(PROOF + each, KEY, {}, key);
    // Null where the kind is not known: Node.js 24.7 knows it.
    assert.notEqual(checks.at(-1).passed, true);
    assert.deepEqual(cosigned, []);
  }
});

for (const key of ["w1.example", KEY, WITNESS.replace("+", "+0"), WITNESS.replace("/w1", "/w2")]) {
  test(`not the key of a witness: ${key}`, () => assert.rejects(checkLogFile(PROOF, KEY, {}, key), InvalidValue));
}

for (const { why, line, times, isNote } of JSON.parse(read("notes.json"))) {
  test(`${isNote ? "a note" : "no note"}: ${why}`, async () => {
    const checking = checkLogFile(read("spin.receipt") + line.repeat(times), KEY);

    if (isNote) assert.equal((await checking).checks[0].passed, true);
    else await assert.rejects(checking.then(({ checks }) => assert.ok(checks[0].passed)));
  });
}

const NOT_CHECKED = [true, null, true, true, true, true, true];

test("without a key the rest is checked", async () => {
  const { checks } = await checkLogFile(PROOF, "", await entryOf(BETS.spin));

  assert.deepEqual(marks(checks), NOT_CHECKED);
  assert.equal(checks[1].text, "Without a key, the signature of the checkpoint can't be checked");
});

test("a browser without Ed25519 says so and checks the rest", async (context) => {
  context.mock.method(crypto.subtle, "importKey", async () => { throw new DOMException("", "NotSupportedError"); });

  const { checks } = await checkLogFile(PROOF, KEY, await entryOf(BETS.spin));

  assert.deepEqual(marks(checks), NOT_CHECKED);
  assert.equal(checks[1].text, "This browser can't check signatures of the kind Ed25519");
});
