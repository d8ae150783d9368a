// The roll of a spin of the upgrader, recomputed in the browser.
//
//   message   = "<client seed>:<nonce>:0"
//   roll      = digest as a big-endian number * 10,000,000 >> 256
//   threshold = floor(10,000,000 * (1 - house edge) * wager / price)
//   win       = roll < threshold

import { checkSeeds, digestOf } from "./seeds.js";

const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;

/** The message whose HMAC decides a spin. */
export const spinMessage = ({ clientSeed, nonce }) => `${clientSeed}:${nonce}:0`;

/** The roll of a digest: a whole number from 0 to 9,999,999. */
export const rollOf = (digest) => Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);

/** A roll or a threshold in percent. */
export const percentOf = (rolls) => rolls / ROLLS_PER_PERCENT;

/** How many of the 10,000,000 rolls win. Amounts in cents, `edge` a fraction such as 0.05. */
export function thresholdOf({ edge, wagerCents, priceCents }) {
  const kept = PPM - BigInt(Math.round(edge * 1e6));
  return Number((ROLL_RANGE * kept * BigInt(wagerCents)) / (PPM * BigInt(priceCents)));
}

/**
 * Compare the proof of a spin with what the player was shown: commitment, clientSeed, nonce, percent, threshold, won.
 * Returns the recomputed digest and result, and a list of checks `{ text, passed }`.
 */
export async function verifySpin(proof, shown) {
  const digest = await digestOf(proof.serverSeed, spinMessage(proof));
  const roll = rollOf(digest);
  return {
    digest,
    result: ["Roll", `${roll} = ${percentOf(roll).toFixed(5)} %`],
    checks: [
      ...(await checkSeeds(proof, shown)),
      { text: "The seeds give the roll that was shown", passed: percentOf(roll) === shown.percent },
      { text: "The roll gives the outcome that was shown", passed: roll < shown.threshold === shown.won },
    ],
  };
}
