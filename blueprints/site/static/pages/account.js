// The tab "Account": what the player has wagered, limits, breaks, and the security of the account.

import { AccountSecurity } from "./account-security.js";
import { getOwn, makeSignals } from "./api.js";
import { Breaks } from "./breaks.js";
import { byId, make } from "./dom.js";
import { Limits } from "./limits.js";
import { centsOfCoins, coins, signedCoins } from "./money.js";
import { PromoCode } from "./promo-code.js";
import { getToken } from "./session.js";

const PERIODS = { day: "Today", week: "This week", month: "This month", total: "In all" };

/** Draws the tab. `onLogout()` is called when the player has logged out everywhere. */
export class Account {
  #limits;
  #breaks;
  #promoCode;
  #security;
  #nextSignal = makeSignals();

  constructor(onLogout) {
    const redraw = () => this.show();
    this.#limits = new Limits(redraw);
    this.#breaks = new Breaks(redraw);
    this.#promoCode = new PromoCode(redraw);
    this.#security = new AccountSecurity({ redraw, onLogout });
  }

  /** Load and draw everything. */
  async show() {
    const signal = this.#nextSignal();
    if (!getToken()) return this.#hide("Sign in to see your account.");
    try {
      const paths = ["/limits", "/limits/summary", "/auth/me", "/profile/2fa/status"];
      const [limits, summary, player, status] = await Promise.all(paths.map((path) => getOwn(path, { signal })));
      drawNetPosition(summary);
      this.#limits.draw(limits, summary);
      this.#breaks.draw(limits.exclusion);
      this.#promoCode.draw(player.affiliate);
      this.#security.draw(status);
      byId("account-note").textContent = "";
      byId("account-parts").hidden = false;
    } catch (problem) {
      if (!signal.aborted) this.#hide(`Your account could not be loaded: ${problem.message}`);
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
