// Beacons of drand: public randomness that nobody can predict or choose. services/beacon/chain.py has the same in
// Python. The beacon of a round is a BLS signature in G1 by a key in G2, over the SHA-256 of the round's number.
//
//   message    = sha256(round as 8 bytes, big-endian)
//   randomness = sha256(signature)
//   time       = genesis + period * (round - 1)
//
// A network is `{ hash, publicKey, genesis, period, id }`: times in Unix seconds, bytes in hex. The pairing is that of
// @noble/curves, which whoever calls this module loads. /verify and verify/verify.mjs contain this module.

import { demand, hexOf } from "./rolls.js";

const SCHEME = "bls-unchained-g1-rfc9380";
const DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const UNNAMED = "default";
const BEACON = /^[0-9a-f]{96}$/;

/** How long after the lock of a battle its round is published, at least. */
const LOCK_MS = 6_000;

/** The public network with a round each three seconds. */
export const QUICKNET = {
  hash: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  publicKey:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
  genesis: 1_692_803_367,
  period: 3,
  id: "quicknet",
};

/**
 * The network that a relay's `/info` describes. Rejects with InvalidValue unless it has this hash, which covers all
 * that a network is.
 */
export async function readNetwork(info, hash) {
  const { public_key: publicKey, groupHash, genesis_time: genesis, period, schemeID, metadata: { beaconID: id } } = info;
  const times = new DataView(new ArrayBuffer(12));
  times.setUint32(0, period);
  times.setBigInt64(4, BigInt(genesis));
  const name = id === UNNAMED ? [] : new TextEncoder().encode(id);
  const parts = [new Uint8Array(times.buffer), bytesOfHex(publicKey), bytesOfHex(groupHash), name];
  const computed = await sha256OfBytes(parts.flatMap((part) => [...part]));
  demand(computed === hash && schemeID === SCHEME, "The description of the network does not have its hash.");
  return { hash, publicKey, genesis, period, id };
}

/** When a round is published, in Unix milliseconds. */
export const timeOfRound = ({ genesis, period }, round) => (genesis + period * (round - 1)) * 1000;

/** The round that decides a battle that is locked at this time: the first that is published six seconds later. */
export const roundOfLock = ({ genesis, period }, at) =>
  Math.max(1, Math.ceil((at + LOCK_MS - genesis * 1000) / (period * 1000)) + 1);

/** The randomness of a beacon. Rejects with InvalidValue unless the signature has its only form. */
export async function randomnessOf(signature) {
  demand(BEACON.test(signature), "The signature of a beacon has 96 hexadecimal digits, 0-9 and a-f.", "signature");
  return sha256OfBytes(bytesOfHex(signature));
}

/** Whether a signature is that of the round. `curves` is `bls12_381` of @noble/curves. Takes some 30 ms. */
export async function isBeacon({ publicKey }, round, signature, { shortSignatures }) {
  if (!BEACON.test(signature)) return false;
  const number = new DataView(new ArrayBuffer(8));
  number.setBigUint64(0, BigInt(round));
  const message = new Uint8Array(await crypto.subtle.digest("SHA-256", number.buffer));
  try {
    const hashed = shortSignatures.hash(message, DOMAIN);
    return shortSignatures.verify(bytesOfHex(signature), hashed, bytesOfHex(publicKey));
  } catch {
    return false; // Not a point of the curve.
  }
}

const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));

const sha256OfBytes = async (bytes) => hexOf(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes)));
