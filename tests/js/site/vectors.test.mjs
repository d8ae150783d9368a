// The page gives the golden vectors of verify/vectors.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { percentOf, rollOf, spinMessage, thresholdOf } from "../../../blueprints/site/static/fairness/rolls.js";
import { checkSeeds, digestOf, isClientSeed, sha256 } from "../../../blueprints/site/static/fairness/seeds.js";
import {
  openingMessage, percentOfTicket, readSnapshot, ticketOf, winnerOf,
} from "../../../blueprints/site/static/fairness/tickets.js";

const VECTORS = JSON.parse(readFileSync(new URL("../../../verify/vectors.json", import.meta.url), "utf8"));
const cents = (coins) => Math.round(Number(coins) * 100);

for (const { why, input, output } of VECTORS.spins) {
  test(`a spin: ${why}`, async () => {
    const { serverSeed, serverSeedCommitment, betAmount, price, houseEdge } = input;
    const digest = await digestOf(serverSeed, spinMessage(input));
    const roll = rollOf(digest);
    const threshold = thresholdOf({ edge: Number(houseEdge), wagerCents: cents(betAmount), priceCents: cents(price) });
    const committed = (await sha256(serverSeed)) === serverSeedCommitment;

    const found = { committed, digest, roll, percent: percentOf(roll), threshold, chance: percentOf(threshold) };
    assert.deepEqual({ ...found, win: roll < threshold }, output);
  });
}

for (const { why, input, output } of VECTORS.openings) {
  test(`an opening: ${why}`, async () => {
    const { algorithm, serverSeed, serverSeedCommitment, snapshot, content } = input;
    const digest = await digestOf(serverSeed, openingMessage(algorithm.split("-")[0], input));
    const ticket = ticketOf(digest);
    const { items } = readSnapshot(content);
    const { name, priceCents } = items[winnerOf(ticket, items).position];
    const hash = await sha256(content);

    assert.deepEqual({
      committed: (await sha256(serverSeed)) === serverSeedCommitment,
      digest,
      ticket: String(ticket),
      percent: percentOfTicket(ticket),
      snapshot: hash,
      shown: hash === snapshot,
      item: name,
      amount: priceCents / 100,
    }, output);
  });
}

test("the place of a ticket in its range is where the reel stops", () => {
  const items = [{ width: 4n }, { width: 0n }, { width: 10n }];

  assert.deepEqual(winnerOf(3n, items), { position: 0, within: 0.75 });
  assert.deepEqual(winnerOf(4n, items), { position: 2, within: 0 });
  assert.throws(() => winnerOf(14n, items), RangeError);
});

for (const [name, text] of Object.entries({
  commitment: "The server seed is the one that was committed to",
  clientSeed: "The client seed is the one that was sent",
  nonce: "The nonce is the one that was announced",
})) {
  test(`a proof of another ${name} than the one that was shown fails`, async () => {
    const { serverSeed, serverSeedCommitment: commitment, clientSeed, nonce } = VECTORS.spins[0].input;
    const proof = { serverSeed, clientSeed, nonce };
    const failed = async (shown) => (await checkSeeds(proof, shown)).filter(({ passed }) => !passed);

    assert.deepEqual(await failed({ commitment, clientSeed, nonce }), []);
    const other = await failed({ commitment, clientSeed, nonce, [name]: "another" });
    assert.deepEqual(other, [{ text, passed: false }]);
  });
}

test("client seeds are those that the server accepts", () => {
  const given = VECTORS.spins.map(({ input }) => input.clientSeed);
  const refused = VECTORS.refused.filter(({ why }) => /client seed|colon|blank|letter with|full-width|another script|folds|plane/.test(why));

  assert.ok(given.every(isClientSeed));
  assert.ok(refused.length > 5);
  for (const { why, input } of refused) assert.equal(isClientSeed(input.clientSeed), false, why);
});
