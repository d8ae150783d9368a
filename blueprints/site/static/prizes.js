// The player's prizes of real-life cases: selling one, and asking for another to be shipped.

import { makeActions } from "./actions.js";
import { byId, make, namedButton, openDialog, picture } from "./dom.js";
import { centsOfCoins, coins, format } from "./money.js";
import { makePagedList } from "./paged-list.js";
import { askToShip } from "./shipping.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const STATUSES = { kept: "Yours", sold: "Sold", shipping: "Will be shipped", shipped: "Shipped" };

const act = makeActions("prizes-said", () => showPrizes());
/** Load and draw a page of the list. */
export const showPrizes = makePagedList("prizes", {
  path: "/prizes",
  lineOf,
  none: "There are no prizes here yet. Open a case with real-life prizes to win one.",
  guests: "Sign in to see your prizes.",
});

function lineOf({ id, name, image, value, status, wonAt }) {
  const won = new Date(wonAt).toLocaleDateString([], { dateStyle: "medium" });
  const history = make("p", { className: "quiet" }, `Won on ${won} · ${STATUSES[status]}`);
  const about = make("div", { className: "name" }, name, history);
  const line = make("li", {}, picture("item", image, 56), about, coins(centsOfCoins(value)));
  if (status === "kept") {
    const buttons = [
      namedButton("Sell", name, () => sell(id, name, value)),
      namedButton("Ship", name, () => ship(id, name)),
    ];
    line.append(make("div", { className: "row" }, ...buttons));
  }
  return line;
}

async function sell(id, name, value) {
  if (!(await confirmSale(name, value))) return;
  await act(async () => {
    const { amount } = await sendConfirmed("POST", `/prizes/${id}/sell`);
    return `You sold ${name} for ${format(centsOfCoins(amount))} coins.`;
  });
}

async function ship(id, name) {
  if (await askToShip(id, name)) await act(async () => `${name} will be shipped to you.`);
}

/** Ask before selling, which can't be undone; resolves with whether the player agrees. */
async function confirmSale(name, value) {
  byId("sale-text").replaceChildren("You get ", coins(centsOfCoins(value)), ` for ${name}. This can't be undone.`);
  return (await openDialog("sale")) === "accept";
}
