// All that the player has deposited and withdrawn, also what staff has recorded.

import { centsOfCoins, formatTime } from "../format.js";
import { html } from "../lit.js";
import { coins, named } from "../parts/elements.js";
import { PagedList } from "../parts/lists.js";
import { nounOf } from "../parts/payments.js";

const payments = new PagedList({
  name: "payment-history",
  path: "/stats/payments",
  key: "payments",
  filter: "Show",
  filters: [["type=all", "all"], ["type=deposits", "deposits"], ["type=withdraws", "withdrawals"]],
  orders: [
    ["most-recent", "newest first"], ["least-recent", "oldest first"],
    ["highest-amount", "highest amount first"], ["lowest-amount", "lowest amount first"],
  ],
  search: () => "Search by transaction, chain or currency",
  lineOf: line,
  none: html`Nothing to show. You can deposit at the <a href="/account/cashier">cashier</a>.`,
  what: "Your payments",
  label: "Pages of payments",
});

export const enter = () => payments.load();

export const page = () => html`
  <p class="quiet">Payments that have been completed. The <a href="/account/cashier">cashier</a> shows those that are
    still on their way.</p>
  ${payments.view()}`;

function line({ type, chain, asset, amount, usdAmount, txhash, to, date }) {
  const transfer = `${formatTime(date)} · ${amount} ${asset}${chain ? ` on ${chain}` : ""}`;
  return html`<li>
    ${named(nounOf({ type }), transfer, to && `To ${to}`, txhash && `Transaction ${txhash}`)}
    ${coins(centsOfCoins(usdAmount))}
  </li>`;
}
