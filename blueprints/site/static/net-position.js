// What the player has wagered and was paid.

import { byId, make } from "./dom.js";
import { centsOfCoins, coins, signedCoins } from "./money.js";

const PERIODS = { day: "Today", week: "This week", month: "This month", total: "In all" };

/** Draw the table of `/limits/summary`. */
export function drawNetPosition(summary) {
  byId("net-position").replaceChildren(...Object.entries(PERIODS).map(([period, name]) => {
    const { wagered, paid, net } = summary[period];
    const amounts = [coins(centsOfCoins(wagered)), coins(centsOfCoins(paid)), signedCoins(centsOfCoins(net))];
    const cells = amounts.map((amount) => make("td", {}, amount));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  }));
}
