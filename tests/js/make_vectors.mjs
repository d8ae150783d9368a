// Makes tests/services/fairness/vectors.json without any of the platform's own code: Node's crypto and BigInt only.
//
//     node tests/js/make_vectors.mjs > tests/services/fairness/vectors.json

import { createHash, createHmac } from "node:crypto";

const ROLL_RANGE = 10_000_000n;
const PPM = 1_000_000n;

const sha256 = (text) => createHash("sha256").update(text, "utf8").digest("hex");

const digestOf = ({ serverSeed, clientSeed, nonce, round }) =>
  createHmac("sha256", serverSeed).update(`${clientSeed}:${nonce}:${round}`, "utf8").digest("hex");

function rollOf(spin) {
  const digest = digestOf(spin);
  const roll = (BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n;
  return { ...spin, digest, roll: Number(roll), percent: Number(roll) / 100_000 };
}

function thresholdOf([wagerCents, priceCents, houseEdgePpm, why]) {
  const numerator = ROLL_RANGE * (PPM - BigInt(houseEdgePpm)) * BigInt(wagerCents);
  const threshold = Number(numerator / (PPM * BigInt(priceCents)));
  return { why, wagerCents, priceCents, houseEdgePpm, threshold };
}

// Published by other sites that take the same HMAC step; they print only how it begins.
const hmac = [
  {
    serverSeed: "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159",
    clientSeed: "bb62964774",
    nonce: 1,
    round: 0,
    digestBegins: "c590d171e39b7040",
  },
];

const serverSeeds = {
  zeros: "0".repeat(64),
  fs: "f".repeat(64),
  digits: "0123456789".repeat(7).slice(0, 64),
  published: hmac[0].serverSeed,
};
const made = (number) => sha256(`server seed ${number}`);

const commitments = [
  // The first is an example of the standard that defines SHA-256 (FIPS 180-4).
  { serverSeed: "abc", serverSeedCommitment: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  ...[...Object.values(serverSeeds), made(1), made(2)].map((serverSeed) => ({
    serverSeed,
    serverSeedCommitment: sha256(serverSeed),
  })),
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALL_CHARACTERS = `${LETTERS}${LETTERS.toLowerCase()}0123456789_-`;

const rolls = [
  [serverSeeds.published, "bb62964774", 1, 0],
  [serverSeeds.published, "bb62964774", 2, 0],
  [serverSeeds.published, "bb62964774", 1, 1],
  [serverSeeds.zeros, "0000", 1, 0],
  [serverSeeds.fs, "ffff", 1, 0],
  [serverSeeds.digits, "----", 1, 0],
  [serverSeeds.digits, "____", 1, 0],
  [made(1), "abcd", 1, 0], // the shortest client seed
  [made(1), "abcd", 2, 0],
  [made(2), "abcd", 1, 0],
  [made(3), "ABCD", 1, 0],
  [made(4), "z".repeat(64), 1, 0], // the longest
  [made(5), ALL_CHARACTERS, 7, 0],
  [made(6), [...ALL_CHARACTERS].reverse().join(""), 7, 0],
  [made(7), "client-seed_42", 10, 0],
  [made(8), "client-seed_42", 99_999, 0],
  [made(9), "client-seed_42", 2_147_483_648, 0], // past 32 bits
  [made(10), "client-seed_42", 4_294_967_296, 0],
  [made(11), "client-seed_42", Number.MAX_SAFE_INTEGER, 0],
  [made(12), "client-seed_42", 1, 2_147_483_648],
].map(([serverSeed, clientSeed, nonce, round]) => rollOf({ serverSeed, clientSeed, nonce, round }));

const thresholds = [
  [1, 100_000_000_000, 50_000, "one cent of the dearest item: no roll wins"],
  [1, 9_500_000, 50_000, "one cent of the dearest item on which it wins one roll"],
  [1, 9_500_001, 50_000, "a cent dearer: none"],
  [1, 2, 50_000, "one cent of two"],
  [1, 3, 50_000, "a third"],
  [2, 3, 0, "two thirds, without an edge"],
  [99_999, 100_000, 50_000, "one cent below the price"],
  [99_999, 100_000, 0, "one cent below the price, without an edge"],
  [99_999_999_999, 100_000_000_000, 0, "one cent below the highest price: never all rolls"],
  [99_999_999_999, 100_000_000_000, 50_000, "one cent below the highest price"],
  [500, 1_000, 50_000, "half"],
  [500, 1_000, 999_999, "half, with the greatest edge"],
  [1, 1_000, 999_999, "the greatest edge leaves nothing"],
  [500, 1_000, 1, "half, with the least edge"],
  [1_000_000, 1_000_100, 50_000, "the usual highest wager"],
  [69, 92, 0, "exactly three quarters; doubles in coins give one less"],
  [44, 220, 50_000, "exactly a fifth; doubles in coins give one less"],
  [57, 100, 10_000, "exact; doubles in coins give one less"],
  [12_896, 31_616, 50_000, "exact; doubles in coins give one less"],
  [7_093_821_051, 99_999_999_977, 50_000, "a hair below a whole number; doubles give one more, in cents as well"],
].map(thresholdOf);

const description =
  "Vectors of the provably fair roll, for an implementation in any language. " +
  "serverSeedCommitment = sha256(serverSeed as text). " +
  "digest = HMAC-SHA256(key = serverSeed as text, message = '<clientSeed>:<nonce>:<round>'). " +
  "roll = (digest as a big-endian 256-bit integer) * 10000000 >> 256. percent = roll / 100000. " +
  "threshold = floor(10000000 * (1000000 - houseEdgePpm) * wagerCents / (1000000 * priceCents)), " +
  "in exact integers. A spin wins when roll < threshold. Made by tests/js/make_vectors.mjs.";

console.log(JSON.stringify({ description, hmac, commitments, rolls, thresholds }, null, 2));
