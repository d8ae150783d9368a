// Beacons of drand, with those that the public network has published.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  isBeacon, QUICKNET, randomnessOf, readNetwork, roundOfLock, timeOfRound,
} from "../../../blueprints/site/static/fairness/beacons.js";
import { InvalidValue } from "../../../blueprints/site/static/fairness/rolls.js";
import { bls12_381 } from "../../../blueprints/site/static/vendor/noble-curves-2.4.0/bls12-381.min.js";
import { BEACONS } from "./golden-beacons.mjs";

const INFO = {
  public_key: QUICKNET.publicKey,
  period: 3,
  genesis_time: 1692803367,
  hash: QUICKNET.hash,
  groupHash: "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
  schemeID: "bls-unchained-g1-rfc9380",
  metadata: { beaconID: "quicknet" },
};
const [[ROUND, SIGNATURE]] = BEACONS;

for (const [round, signature, randomness] of BEACONS) {
  test(`the beacon of round ${round} is genuine`, async () => {
    assert.equal(await isBeacon(QUICKNET, round, signature, bls12_381), true);
    assert.equal(await randomnessOf(signature), randomness);
  });

  test(`the beacon of round ${round} with another byte is refused`, async () => {
    for (const place of [0, 1, 24, 47]) {
      const digits = signature.slice(2 * place, 2 * place + 2);
      const other = (parseInt(digits, 16) ^ 1).toString(16).padStart(2, "0");
      const changed = signature.slice(0, 2 * place) + other + signature.slice(2 * place + 2);
      assert.equal(await isBeacon(QUICKNET, round, changed, bls12_381), false);
    }
  });
}

test("the beacon of another round is refused", async () => {
  assert.equal(await isBeacon(QUICKNET, ROUND + 1, SIGNATURE, bls12_381), false);
});

for (const other of [SIGNATURE.toUpperCase(), `${SIGNATURE}00`, "", `c0${"0".repeat(94)}`]) {
  test(`another text than 96 digits of a beacon is refused: ${other.slice(0, 8)}`, async () => {
    assert.equal(await isBeacon(QUICKNET, ROUND, other, bls12_381), false);
  });
}

test("the randomness of a signature in capitals is refused", async () => {
  await assert.rejects(randomnessOf(SIGNATURE.toUpperCase()), InvalidValue);
});

test("the description of a network must have its hash", async () => {
  assert.deepEqual(await readNetwork(INFO, QUICKNET.hash), QUICKNET);
  await assert.rejects(readNetwork({ ...INFO, genesis_time: 1692803370 }, QUICKNET.hash), InvalidValue);
});

test("the round of a lock is the first that is published six seconds later", () => {
  const time = timeOfRound(QUICKNET, ROUND);
  assert.deepEqual([time - 6_000, time - 5_999, time - 8_999].map((at) => roundOfLock(QUICKNET, at)),
    [ROUND, ROUND + 1, ROUND]);
});
