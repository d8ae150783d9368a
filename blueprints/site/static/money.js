// Money is whole cents in this page. On the wire it is a number of coins; an item's price is a text, "$12.34".
// The page shows one unit everywhere: coins.

import { make } from "./dom.js";

const AMOUNT = /^(?=.*\d)(\d{0,10})(?:[.,](\d{0,2}))?$/;
const grouped = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Cents of what a player typed, with a decimal point or comma: "12.3", "0,50"; null when it is no amount. */
export function centsOfText(text) {
  const match = AMOUNT.exec(text.trim());
  return match && Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

/** Cents of an item's price: "$12.34". */
export const centsOfPrice = (price) => centsOfText(price.replace("$", ""));

export const centsOfCoins = (coins) => Math.round(coins * 100);

export const coinsOfCents = (cents) => cents / 100;

/** For reading: two decimals, thousands grouped. */
export const format = (cents) => grouped.format(cents / 100);

/** For an input field or an address: two decimals and nothing else. */
export const plain = (cents) => (cents / 100).toFixed(2);

/** An amount as an element, with the sign of a coin before it, and the word for who can't see that. */
export function coins(cents, sign = "") {
  return make("span", { className: "coins" }, sign + format(cents), make("span", { className: "unseen" }, " coins"));
}
