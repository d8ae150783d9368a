// The reality check: a dialog that stays until the player has answered it.

import { byId, openDialog } from "./dom.js";
import { centsOfCoins, coins, signedCoins } from "./money.js";
import { formatClock } from "./times.js";

/** Shows the reality checks of a socket. `onBreak()` is called when the player wants to take a break. */
export function showRealityChecks(socket, onBreak) {
  const dialog = byId("reality-check");
  socket.on("limits:reality-check", async ({ since, minutes, wagered, paid, net }) => {
    const time = minutes === 1 ? "1 minute" : `${minutes} minutes`;
    byId("reality-time").textContent = `You have been playing for ${time}, since ${formatClock(since)}.`;
    byId("reality-wagered").replaceChildren(coins(centsOfCoins(wagered)));
    byId("reality-paid").replaceChildren(coins(centsOfCoins(paid)));
    byId("reality-net").replaceChildren(signedCoins(centsOfCoins(net)));
    if (!dialog.open && (await openDialog("reality-check")) === "break") onBreak();
  });
}
