// What the player has earned with their promo code, and claiming it.

import { getOwn } from "./api.js";
import { byId, setContent } from "./dom.js";
import { centsOfCoins, coins } from "./money.js";
import { sendConfirmed } from "./two-factor-prompt.js";

/** Load what can be claimed and show it. */
export async function showEarnings() {
  try {
    const { availableEarnings } = await getOwn("/affiliate/overview");
    setContent("earnings", coins(centsOfCoins(availableEarnings)));
  } catch (problem) {
    setContent("claim-said", `Your earnings could not be loaded: ${problem.message}`);
  }
}

/** Claim all of it. The event `balance` follows. */
export async function claimEarnings() {
  try {
    const { message } = await sendConfirmed("POST", "/affiliate/claim");
    setContent("claim-said", `${message}.`);
  } catch (problem) {
    setContent("claim-said", `${problem.message}.`);
  }
  await showEarnings();
}
