// The overview of the account: links to its pages, what the player has wagered and was paid, and the promo code.

import { getOwn } from "../api.js";
import { html, nothing } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { Actions } from "../parts/action.js";
import { coins, signedCoins } from "../parts/amount.js";
import { askForPromoCode } from "../parts/promo-code.js";
import { Resource, status } from "../parts/resource.js";
import { loadPlayer } from "../player.js";
import { accountLinks } from "../shell.js";
import { state } from "../store.js";
import { formatClock } from "../times.js";

const PERIODS = { day: "Today", week: "This week", month: "This month", total: "In all" };

const summary = new Resource((signal) => getOwn("/limits/summary", { signal }));
const actions = new Actions("promo-said", loadPlayer);

export function enter() {
  loadPlayer();
  return summary.load();
}

export const page = () => html`
  <h2 id="page-title" tabindex="-1">Account</h2>
  <nav class="menu-of-account" aria-label="Pages of your account">${accountLinks()}</nav>
  ${status("account-note", summary.note("Your account"))}
  <div class="parts">
    ${summary.value ? netPosition(summary.value) : nothing}
    ${state.player ? promoCode(state.player.affiliate.used) : nothing}
  </div>`;

const netPosition = (periods) => html`
  <section aria-labelledby="position-title">
    <h3 id="position-title">What you have wagered and were paid</h3>
    <table>
      <thead>
        <tr><th scope="col">Period</th><th scope="col">Wagered</th><th scope="col">Paid</th><th scope="col">Net</th></tr>
      </thead>
      <tbody id="net-position">${Object.entries(PERIODS).map(([period, name]) => {
        const { wagered, paid, net } = periods[period];
        return html`<tr>
          <th scope="row">${name}</th>
          <td>${coins(centsOfCoins(wagered))}</td>
          <td>${coins(centsOfCoins(paid))}</td>
          <td>${signedCoins(centsOfCoins(net))}</td>
        </tr>`;
      })}</tbody>
    </table>
    <p class="quiet">A day begins at ${formatClock(new Date().setUTCHours(0, 0, 0, 0))}, a week on Monday and a month on
      the 1st: midnight in UTC, shown in your time.</p>
  </section>`;

async function usePromoCode() {
  const message = await askForPromoCode();
  if (message) await actions.run(async () => message);
}

const promoCode = (used) => html`
  <section aria-labelledby="promo-section-title">
    <h3 id="promo-section-title">Promo code</h3>
    ${actions.view()}
    <ul class="lines">
      <li>
        <div class="name">The code that you use: <span id="promo-used">${used || "none"}</span>
          <p class="quiet">Another player's code gives you a bonus and the free case. You can use one, once.</p></div>
        ${used ? nothing
          : html`<button type="button" class="plain" @click=${usePromoCode}>Enter a promo code</button>`}
      </li>
    </ul>
  </section>`;
