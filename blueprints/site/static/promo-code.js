// Using the promo code of another player, which can be done once.

import { makeActions } from "./actions.js";
import { sendJson } from "./api.js";
import { byId, openDialog } from "./dom.js";

byId("promo-form").addEventListener("submit", (event) => {
  event.preventDefault();
  use(byId("promo-code").value.trim());
});

/** Ask for a promo code and use it; resolves with the server's sentence, which is empty when the player cancels. */
export function askForPromoCode() {
  byId("promo-code").value = "";
  byId("promo-problem").textContent = "";
  return openDialog("promo");
}

async function use(code) {
  byId("promo-accept").disabled = true;
  try {
    const { message } = await sendJson("POST", "/affiliate/use-code", { code });
    byId("promo").close(message);
  } catch (problem) {
    byId("promo-problem").textContent = problem.message;
    byId("promo-code").select();
  } finally {
    byId("promo-accept").disabled = false;
  }
}

/** The section of the account. */
export class PromoCode {
  /** `redraw()` loads and draws the tab anew. */
  constructor(redraw) {
    const act = makeActions("promo-said", redraw);
    byId("account-promo").addEventListener("click", async () => {
      const message = await askForPromoCode();
      if (message) await act(async () => message);
    });
  }

  /** Draw the `affiliate` of `/auth/me`. */
  draw({ used }) {
    byId("promo-used").textContent = used || "none";
    byId("account-promo").hidden = used !== "";
  }
}
