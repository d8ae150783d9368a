// The snapshots of cases: their content as text, named by its SHA-256.

import { getText } from "./api.js";
import { canVerify, sha256 } from "./fairness.js";

/** The text of a snapshot. Rejects when the text is not the one that the hash names. */
export async function loadSnapshot(hash) {
  const text = await getText(`/snapshots/${hash}`);
  if (!canVerify() || (await sha256(text)) === hash) return text;
  throw new Error("The snapshot of the case is not the one that its hash names.");
}
