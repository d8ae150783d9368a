// The roll, recomputed from nothing but the published formula.
import { createHash, createHmac } from "node:crypto";

export const commitmentOf = (serverSeed) => createHash("sha256").update(serverSeed).digest("hex");

export function rollOf({ serverSeed, clientSeed, nonce, round = 0 }) {
  const digest = createHmac("sha256", serverSeed).update(`${clientSeed}:${nonce}:${round}`).digest("hex");
  return Number((BigInt(`0x${digest}`) * 10_000_000n) >> 256n);
}
