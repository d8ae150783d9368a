// The player's prizes of real-life cases: selling one, and asking for another to be shipped.

import { centsOfCoins, format } from "../format.js";
import { rarityOf } from "../game/rarity.js";
import { html, nothing } from "../lit.js";
import { coins, named, picture } from "../parts/elements.js";
import { Actions, ask, sendConfirmed } from "../parts/forms.js";
import { PagedList } from "../parts/lists.js";
import { askToShip } from "../parts/shipping.js";

const STATUSES = { kept: "Yours", sold: "Sold", shipping: "Will be shipped", shipped: "Shipped" };

const prizes = new PagedList({
  name: "prizes",
  path: "/prizes",
  filter: "Your prizes",
  filters: [
    ["status=all", "all"], ["status=kept", "yours to sell or ship"], ["status=shipping", "to be shipped"],
    ["status=shipped", "shipped"], ["status=sold", "sold"],
  ],
  lineOf: line,
  none: html`There are no prizes here yet. <a href="/cases">Open a case</a> with real-life prizes to win one.`,
  what: "The prizes",
});
const actions = new Actions("prizes-said", () => prizes.load());

export const enter = () => prizes.load();

export const page = () => html`${actions.view()} ${prizes.view()}`;

function line({ id, name, image, value, status, wonAt }) {
  const won = new Date(wonAt).toLocaleDateString([], { dateStyle: "medium" });
  return html`<li>
    <span class="glow" data-rarity=${rarityOf(centsOfCoins(value))}>${picture("item", image, 56)}</span>
    ${named(name, `Won on ${won} · ${STATUSES[status]}`)}
    ${coins(centsOfCoins(value))}
    ${status === "kept" ? html`<div class="row">
      ${actions.button("Sell", () => sell(id, name, value), name)}
      ${actions.button("Ship", () => ship(id, name), name)}
    </div>` : nothing}
  </li>`;
}

async function sell(id, name, value) {
  const isAgreed = await ask("sale", "Sell this prize?", html`
    <p>You get ${coins(centsOfCoins(value))} for ${name}. This can't be undone.</p>`, "Sell");
  if (!isAgreed) return undefined;
  const { amount } = await sendConfirmed("POST", `/prizes/${id}/sell`);
  return `You sold ${name} for ${format(centsOfCoins(amount))} coins.`;
}

const ship = async (id, name) => (await askToShip(id, name)) && `${name} will be shipped to you.`;
