// Verifying battles, with the golden files of verify/log/.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { checkBattleFile, verifyBattle } from "../../../blueprints/site/static/fairness/battle-verdict.js";
import { InvalidValue } from "../../../blueprints/site/static/fairness/rolls.js";
import { bls12_381 } from "../../../blueprints/site/static/vendor/noble-curves-2.4.0/bls12-381.min.js";

const read = (name) => readFileSync(new URL(`../../../verify/log/${name}`, import.meta.url), "utf8");
const FILE = JSON.parse(read("battle.json"));
const VOID = JSON.parse(read("void-battle.json"));
const OPTIONS = { keys: read("key"), loadCurves: async () => bls12_381 };
const CHECKS = [
  "The server seed is the one that was committed to",
  "The contents of the cases are those shown",
  "The lock is entry 1 of the 3 in the checkpoint",
  "The checkpoint is signed with the key of play.example.com/log",
  "The page of the battle names this entry",
  "The lock in the log is that of the battle as it is shown",
  "The randomness is that of drand's public network quicknet",
  "Round 657413 is the first six seconds or more after the lock",
  "The signature is that of round 657413",
  "The randomness is the hash of the signature",
  "The seeds give the tickets that were shown",
  "The tickets give the items that were shown",
  "The values are those of the items",
  "The tie is the one that was shown",
  "The winners are those that were shown",
  "The payouts are those that were shown",
];

const check = (file, options = OPTIONS) => checkBattleFile(JSON.stringify(file), options);
const failed = ({ checks }) => checks.filter(({ passed }) => passed === false).map(({ text }) => text);
const unknown = ({ checks }) => checks.filter(({ passed }) => passed === null).map(({ text }) => text);

test("a settled battle passes all checks", async () => {
  const { receipt: _, ...file } = FILE;

  const { checks, outcome, notes } = await check(file);

  assert.deepEqual(checks, CHECKS.map((text) => ({ text, passed: true })));
  assert.deepEqual(outcome.payouts, FILE.battle.payouts.map((coins) => Math.round(coins * 100)));
  assert.deepEqual(notes, []);
});

test("its receipt passes all checks", async () => {
  const found = await check(FILE.receipt);

  assert.deepEqual([failed(found), unknown(found)], [[], []]);
  assert.equal(found.checks.at(-1).text, "The receipt came 4.0 s before round 657413 was published");
});

test("battle and receipt are checked together", async () => {
  const found = await check(FILE);

  assert.deepEqual([failed(found), unknown(found)], [[], []]);
  assert.ok(found.checks.length > CHECKS.length + 6);
});

for (const { why, battle = {}, file = {}, receipt = {} } of JSON.parse(read("altered-battles.json"))) {
  test(`not verified: ${why}`, async () => {
    const altered = {
      ...FILE, ...file, battle: { ...FILE.battle, ...battle }, receipt: { ...FILE.receipt, ...receipt },
    };

    const found = await check(altered);

    assert.notDeepEqual(failed(found), []);
  });
}

test("a void battle says who would have won", async () => {
  const found = await check(VOID);

  assert.deepEqual([failed(found), unknown(found)], [[], []]);
  assert.match(found.notes[0], /^Void \(late\): each cost of 2\.80 was refunded\. Otherwise: .+ \d+\.\d\d\.$/);
});

test("a void battle whose round is not known is not checked", async () => {
  const { signature: _, ...file } = VOID;

  const found = await check(file);

  assert.deepEqual([failed(found), unknown(found)], [[], ["The beacon of round 657413 is missing"]]);
  assert.equal(found.outcome, null);
});

test("a locked battle is checked as far as it goes", async () => {
  const { serverSeed: _s, signature: _g, randomness: _r, ...locked } = FILE.battle;

  const found = await check({ ...FILE, battle: { ...locked, state: "locked" }, receipt: undefined });

  assert.deepEqual([failed(found), unknown(found)], [[], ["The server seed is not revealed yet"]]);
});

test("without key, curves, proof and contents the rest is checked", async () => {
  const bare = await check(FILE.battle, {});
  const found = await check({ battle: FILE.battle, proof: FILE.proof }, {});

  assert.deepEqual(unknown(bare), ["The content of a case is missing", "Entry 1 of the public log is missing"]);
  assert.deepEqual(unknown(found), [
    "The content of a case is missing",
    "Without a key, the signature of the checkpoint can't be checked",
    "The signature of round 657413 can't be checked here",
  ]);
  assert.deepEqual([...failed(bare), ...failed(found)], []);
});

test("sources that fail leave what needs them unchecked", async () => {
  const fail = () => Promise.reject(new Error("offline"));

  const found = await verifyBattle(FILE.battle, { fetchSnapshot: fail, fetchProof: fail, loadCurves: fail });

  assert.deepEqual(unknown(found), ["The content of a case is missing", "Entry 1 of the public log is missing"]);
});

for (const text of ["", "[]", "null", "7", "{}", '{"id":"a"}', '{"battle":{}}', '{"battle":{"cases":[]}}']) {
  test(`no file of a battle: ${text}`, () => assert.rejects(checkBattleFile(text, OPTIONS), InvalidValue));
}
