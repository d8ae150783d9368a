// What the player has earned with their promo code, and claiming it.

import { makeActions } from "./actions.js";
import { getOwn } from "./api.js";
import { byId, setContent } from "./dom.js";
import { centsOfCoins, coins } from "./money.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const act = makeActions("claim-said", showEarnings);

/** Load what can be claimed and show it. */
export async function showEarnings() {
  try {
    const { availableEarnings } = await getOwn("/affiliate/overview");
    setContent("earnings", coins(centsOfCoins(availableEarnings)));
    byId("claim").hidden = availableEarnings === 0;
  } catch (problem) {
    setContent("claim-said", `Your earnings could not be loaded: ${problem.message}`);
  }
}

/** Claim all of it. The event `balance` follows. */
export const claimEarnings = () => act(async () => `${(await sendConfirmed("POST", "/affiliate/claim")).message}.`);
