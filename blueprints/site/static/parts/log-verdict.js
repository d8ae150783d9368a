// Whether a bet is in the public log as the player was shown it, in words.

import { verifyInLog } from "../fairness/in-log.js";
import { canVerify } from "../fairness/rolls.js";
import { html, nothing } from "../lit.js";
import { checks as drawChecks } from "./elements.js";

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
