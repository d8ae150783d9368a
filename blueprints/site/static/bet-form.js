// The form of the next spin: item and wager, the chance, and why the spin would be refused.

import { byId, make } from "./dom.js";
import { partsOf } from "./item-names.js";
import { centsOfCoins, centsOfText, coins, coinsOfCents, format, plain } from "./money.js";
import { percentOf, thresholdOf } from "./rolls.js";

/** Reads and writes the form. `changed()` is called when any of its values changes. */
export class BetForm {
  #changed;
  #item = null;

  /** `/upgrader/rules`, once they are known. */
  rules = null;
  minCents = 0;
  maxCents = Infinity;

  constructor(changed) {
    this.#changed = changed;
    byId("wager").addEventListener("input", changed);
    byId("wager").addEventListener("change", () => {
      if (this.wagerCents !== null) this.setWager(this.wagerCents);
    });
  }

  get item() {
    return this.#item;
  }

  /** The item to win, with its `priceCents`. */
  set item(item) {
    this.#item = item;
    const { gun, skin, wear } = partsOf(item.marketHashName);
    byId("how-it-works").hidden = true;
    byId("wanted").hidden = false;
    byId("wanted-name").replaceChildren(...(gun ? [make("span", { className: "quiet" }, `${gun} `)] : []), skin);
    byId("wanted-wear").textContent = wear;
    byId("wanted-price").replaceChildren(coins(item.priceCents));
    this.#changed();
  }

  get wagerCents() {
    return centsOfText(byId("wager").value);
  }

  setWager(cents) {
    byId("wager").value = plain(cents);
    this.#changed();
  }

  /**
   * Set the wager to "half", "double" or "most". It is never more than the most that may be played: within the balance
   * and the rules, and below the item's price.
   */
  changeWager(how, balanceCents) {
    const wager = this.wagerCents ?? 0;
    const priceCents = this.#item?.priceCents ?? Infinity;
    const most = Math.max(Math.min(balanceCents, this.maxCents, priceCents - 1), 0);
    this.setWager(Math.min({ half: Math.ceil(wager / 2), double: wager * 2, most }[how], most));
  }

  setRules(rules) {
    this.rules = rules;
    this.minCents = centsOfCoins(rules.minWager);
    this.maxCents = centsOfCoins(rules.maxWager);
    const edge = Number((rules.houseEdge * 100).toFixed(4));
    byId("limits").textContent =
      `A wager is from ${format(this.minCents)} to ${format(this.maxCents)} coins. The house edge is ${edge} %.`;
    this.#changed();
  }

  /** How many of the 10,000,000 rolls win; null while the form has no valid wager on an item. */
  get threshold() {
    const wagerCents = this.wagerCents;
    if (!this.rules || !this.#item || !wagerCents || wagerCents >= this.#item.priceCents) return null;
    return thresholdOf({ edge: this.rules.houseEdge, wagerCents, priceCents: this.#item.priceCents });
  }

  get chance() {
    return percentOf(this.threshold ?? 0);
  }

  get multiplier() {
    return this.#item.priceCents / this.wagerCents;
  }

  /** Why the server would refuse this bet, in words; null when it would accept it. */
  objection(balanceCents) {
    const wager = this.wagerCents;
    if (!this.rules) return "The rules have not been loaded yet.";
    if (!this.#item) return "Choose an item first.";
    if (wager === null) return "The wager must be an amount with at most two decimals.";
    if (wager < this.minCents) return `The wager must be at least ${format(this.minCents)} coins.`;
    if (wager >= this.#item.priceCents) return "The item must be worth more than the wager.";
    if (wager > this.maxCents) return `The wager must be at most ${format(this.maxCents)} coins.`;
    if (this.threshold === 0) return "The wager is too small for this item.";
    if (wager > balanceCents) return "Your balance is too small for this wager.";
    return null;
  }

  /** What a spin sends. The price makes the server refuse it if the item has another price by now. */
  get content() {
    return {
      amount: coinsOfCents(this.wagerCents),
      item: this.#item.marketHashName,
      price: coinsOfCents(this.#item.priceCents),
    };
  }
}
