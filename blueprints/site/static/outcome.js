// The line that says how a bet ended.

import { byId, setText } from "./dom.js";

/** Show how a bet ended: `outcome` is "won", "lost" or "refused", or empty while there is none. */
export function showOutcome(text, outcome = "") {
  setText("outcome", text);
  byId("game").dataset.outcome = outcome;
}
