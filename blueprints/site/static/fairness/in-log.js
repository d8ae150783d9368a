// Whether a bet is in the public log as the player was shown it.

import { getJson, getText } from "../api.js";
import { html, nothing } from "../lit.js";
import { checks as drawChecks } from "../parts/elements.js";
import { attemptWith } from "./attempts.js";
import { checkLogFile } from "./log-proof.js";
import { canVerify } from "./rolls.js";

/** Where the present log is: a log that has lost its end is continued under another path. */
export async function findLog() {
  const { origin } = await getJson("/log/current");
  return { origin, path: origin.slice(origin.lastIndexOf("/")) };
}

/**
 * Verify that a bet is in the log as the player was shown it. Resolves with what `checkLogFile` returns, and the `keys`
 * of the log. Rejects with InvalidValue for a file that is no proof, and as getJson does.
 */
export async function verifyInLog(id, shown) {
  const [{ path }, bet] = await Promise.all([findLog(), getJson(`/bets/${id}`)]);
  const [proof, keys] = await Promise.all([getText(`/bets/${id}/tlog-proof`), getText(`${path}/key`)]);
  const found = await checkLogFile(proof, keys, entryOf(shown));
  const isThere = bet.log.index === found.index && bet.log.origin === found.origin;
  found.checks.push({ text: "The page of the bet names this entry", passed: isThere });
  return { ...found, keys };
}

/** What the entry of a bet must say, from what the player was shown of it. */
export function entryOf({ game, commitment, nonce, clientSeed, wagerCents, ...terms }) {
  const { item, priceCents: price, edge, threshold, snapshot } = terms;
  const more = game === "upgrader" ? { item, price, edge: String(edge), threshold } : { snapshot: snapshot.hash };
  const next = attemptWith({ commitment, clientSeed })?.next;
  return { commitment, nonce, clientSeed, next, terms: { algorithm: `${game}-1`, wager: wagerCents, ...more } };
}

/** The verdict on a bet, for logVerdict. `shownOf()` resolves with the bet as the player was shown it. */
export async function verdictInLog(id, shownOf) {
  if (!canVerify()) {
    return { text: "Not verified: browsers can compute hashes on https pages only.", isWrong: true };
  }
  try {
    const { index, size, checks } = await verifyInLog(id, await shownOf());
    const isWrong = checks.some(({ passed }) => passed === false);
    const isWhole = checks.every(({ passed }) => passed);
    const text = isWrong ? "NOT verified" : isWhole ? "Verified" : "Verified except for the signature";
    return { text: `${text}: entry ${index} of ${size}`, isWrong, checks };
  } catch (problem) {
    return { text: `NOT verified: ${problem.message}`, isWrong: true };
  }
}

/** The text of a verdict, and its checks. */
export const logVerdict = ({ text, isWrong, checks }) => html`
  <strong class=${isWrong ? "failed" : "passed"}>${text}</strong>${checks ? drawChecks(checks) : nothing}`;
