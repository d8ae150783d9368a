// The tab "Account": what the player has wagered, limits, breaks, and the security of the account.

import { AccountSecurity } from "./account-security.js";
import { getJson } from "./api.js";
import { Breaks } from "./breaks.js";
import { byId, make } from "./dom.js";
import { Limits } from "./limits.js";
import { centsOfCoins, coins, signedCoins } from "./money.js";

const UNAUTHORIZED = 401;
const PERIODS = { day: "Today", week: "This week", month: "This month", total: "In all" };

/**
 * Draws the tab. `getToken()` returns the player's token, or null for a guest. `onUnauthorized()` is called when the
 * server refuses the token, and `onLogout()` when the player has logged out everywhere.
 */
export class Account {
  #getToken;
  #onUnauthorized;
  #limits;
  #breaks;
  #security;
  #loading = 0;

  constructor({ getToken, onUnauthorized, onLogout }) {
    this.#getToken = getToken;
    this.#onUnauthorized = onUnauthorized;
    const parts = { getToken, redraw: () => this.show() };
    this.#limits = new Limits(parts);
    this.#breaks = new Breaks(parts);
    this.#security = new AccountSecurity({ ...parts, onLogout });
  }

  /** Load and draw everything. */
  async show() {
    const mine = ++this.#loading;
    const token = this.#getToken();
    if (!token) return this.#hide("Sign in to see your account.");
    try {
      const [limits, summary, status] = await Promise.all(
        ["/limits", "/limits/summary", "/profile/2fa/status"].map((path) => getJson(path, { token })),
      );
      if (mine !== this.#loading) return;
      drawNetPosition(summary);
      this.#limits.draw(limits, summary);
      this.#breaks.draw(limits.exclusion);
      this.#security.draw(status);
      byId("account-note").textContent = "";
      byId("account-parts").hidden = false;
    } catch (problem) {
      if (mine !== this.#loading) return;
      this.#hide(`Your account could not be loaded: ${problem.message}`);
      if (problem.status === UNAUTHORIZED) this.#onUnauthorized();
    }
  }

  /** Forget what was shown to the player who was signed in. */
  reset() {
    for (const part of document.querySelectorAll("#account-parts .said")) part.textContent = "";
    return this.show();
  }

  #hide(note) {
    byId("account-parts").hidden = true;
    byId("account-note").textContent = note;
  }
}

/** Draw the table of `/limits/summary`: what the player has wagered and was paid. */
function drawNetPosition(summary) {
  byId("net-position").replaceChildren(...Object.entries(PERIODS).map(([period, name]) => {
    const { wagered, paid, net } = summary[period];
    const amounts = [coins(centsOfCoins(wagered)), coins(centsOfCoins(paid)), signedCoins(centsOfCoins(net))];
    const cells = amounts.map((amount) => make("td", {}, amount));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  }));
}
