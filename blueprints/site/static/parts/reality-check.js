// The reality check: a dialog that stays until the player has answered it.

import { socket } from "../connection.js";
import { centsOfCoins, formatClock } from "../format.js";
import { html } from "../lit.js";
import { open } from "../router.js";
import { coins, signedCoins, values } from "./elements.js";
import { closeDialogs, openDialog } from "./forms.js";

export function followRealityChecks() {
  socket.on("limits:reality-check", async ({ since, minutes, wagered, paid, net }) => {
    closeDialogs("#reality-check"); // An earlier one that has not been answered.
    const time = minutes === 1 ? "1 minute" : `${minutes} minutes`;
    const answer = await openDialog({
      id: "reality-check",
      title: "Time to check how you are doing",
      content: html`
        <p>You have been playing for ${time}, since ${formatClock(since)}.</p>
        ${values([
          ["Wagered", coins(centsOfCoins(wagered))],
          ["Paid", coins(centsOfCoins(paid))],
          ["Net", signedCoins(centsOfCoins(net))],
        ], "amounts")}`,
      choices: [["break", "Take a break"]],
      accept: "Continue",
      // The heading has the focus and no button, so that a key pressed while playing answers nothing.
      isForced: true,
    });
    if (answer === "break") open("/account/limits", { focus: "#break-duration" });
  });
}
