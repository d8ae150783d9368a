// The next spin: item and wager, the chance, and why the spin would be refused.

import { thresholdOf } from "../fairness/rolls.js";
import { centsOfCoins, centsOfText, coinsOfCents, format, plain } from "../money.js";
import { state } from "../store.js";
import { spendableCents } from "./balance.js";

export const minCents = () => centsOfCoins(state.rules?.minWager ?? 0);
export const maxCents = () => centsOfCoins(state.rules?.maxWager ?? Infinity);
export const wagerCents = () => centsOfText(state.wager);

/** Whether item, price and wager are those of a spin. */
export const isFormOf = ({ request, costCents }) => request.item === state.item?.marketHashName
  && centsOfCoins(request.price) === state.item.priceCents && costCents === wagerCents();

/**
 * The wager after a change to "half", "double" or "most". It is never more than the most that may be played: within the
 * balance and the rules, and below the item's price.
 */
export function changedWager(how) {
  const wager = wagerCents() ?? 0;
  const priceCents = state.item?.priceCents ?? Infinity;
  const most = Math.max(Math.min(spendableCents(), maxCents(), priceCents - 1), 0);
  return plain(Math.min({ half: Math.ceil(wager / 2), double: wager * 2, most }[how], most));
}

/** How many of the 10,000,000 rolls win; null while the form has no valid wager on an item. */
export function threshold() {
  const { rules, item } = state;
  const wager = wagerCents();
  if (!rules || !item || !wager || wager >= item.priceCents) return null;
  return thresholdOf({ edge: rules.houseEdge, wagerCents: wager, priceCents: item.priceCents });
}

/** Why the server would refuse this bet, in words; null when it would accept it. */
export function formObjection() {
  const { rules, item } = state;
  const wager = wagerCents();
  if (!rules) return "The rules have not been loaded yet.";
  if (!item) return "Choose an item first.";
  if (wager === null) return "The wager must be a number with at most two decimals.";
  if (wager < minCents()) return `The wager must be at least ${format(minCents())} coins.`;
  if (wager >= item.priceCents) return "The item must be worth more than the wager.";
  if (wager > maxCents()) return `The wager must be at most ${format(maxCents())} coins.`;
  if (threshold() === 0) return "The wager is too small for this item.";
  if (wager > spendableCents()) return "Your balance is too small for this wager.";
  return null;
}

/** What a spin sends. The price makes the server refuse it if the item has another price by now. */
export const spinContent = () => ({
  amount: coinsOfCents(wagerCents()),
  item: state.item.marketHashName,
  price: coinsOfCents(state.item.priceCents),
});
