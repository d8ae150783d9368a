// The provably fair roll, recomputed in the browser, so that players need not trust the server.
//
//   commitment = sha256(server seed as text), hex
//   digest     = HMAC-SHA256(key = server seed as text, message = "<client seed>:<nonce>:<round>")
//   roll       = digest as a big-endian number * 10,000,000 >> 256
//   threshold  = floor(10,000,000 * (1 - house edge) * wager / price)
//   win        = roll < threshold

import { plain } from "./money.js";

const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;
const ROUND = 0;

const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;

const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const isClientSeed = (text) => CLIENT_SEED.test(text);

/** Random hexadecimal characters, two for each byte. */
export const randomHex = (bytes) => hexOf(crypto.getRandomValues(new Uint8Array(bytes)));

export const freshClientSeed = () => randomHex(10);

/** Browsers offer WebCrypto only to pages over https, and to those of this machine. */
export const canVerify = () => globalThis.crypto?.subtle !== undefined;

export async function commitmentOf(serverSeed) {
  return hexOf(await crypto.subtle.digest("SHA-256", bytesOf(serverSeed)));
}

/** The HMAC that decides a spin, as 64 hex characters. */
export async function digestOf({ serverSeed, clientSeed, nonce }) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(serverSeed), algorithm, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, bytesOf(`${clientSeed}:${nonce}:${ROUND}`)));
}

/** The roll of a digest: a whole number from 0 to 9,999,999. */
export const rollOf = (digest) => Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);

/** A roll or a threshold in percent. */
export const percentOf = (rolls) => rolls / ROLLS_PER_PERCENT;

/** How many of the 10,000,000 rolls win. Amounts in cents, `edge` a fraction such as 0.05. */
export function thresholdOf({ edge, wagerCents, priceCents }) {
  const kept = PPM - BigInt(Math.round(edge * 1e6));
  return Number((ROLL_RANGE * kept * BigInt(wagerCents)) / (PPM * BigInt(priceCents)));
}

/** The page that recomputes a spin without this server's help, with the spin's values filled in. */
export function verifyAddress({ serverSeedCommitment, serverSeed, clientSeed, nonce }, { wagerCents, priceCents, edge }) {
  const values = {
    serverSeedCommitment,
    serverSeed,
    clientSeed,
    nonce,
    betAmount: plain(wagerCents),
    price: plain(priceCents),
    houseEdge: edge,
  };
  // A fragment stays in the browser; a query would be sent to the server, and be logged.
  return `/verify#${new URLSearchParams(values)}`;
}

/**
 * Compare a revealed proof with what the player was shown.
 *
 * `shown` is the spin as it was seen: commitment, clientSeed, percent, threshold, won.
 * Returns the recomputed values and a list of checks `{ text, passed }`.
 */
export async function verify(proof, shown) {
  const [commitment, digest] = await Promise.all([commitmentOf(proof.serverSeed), digestOf(proof)]);
  const roll = rollOf(digest);
  const percent = percentOf(roll);
  return {
    commitment,
    digest,
    roll,
    percent,
    checks: [
      { text: "The server seed is the one that was committed to", passed: commitment === shown.commitment },
      { text: "The client seed is the one that was sent", passed: proof.clientSeed === shown.clientSeed },
      { text: "The seeds give the roll that was shown", passed: percent === shown.percent },
      { text: "The roll gives the outcome that was shown", passed: roll < shown.threshold === shown.won },
    ],
  };
}
