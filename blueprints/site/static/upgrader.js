// The upgrader on the page: the wheel, the item to win, and the chance. game.js plays its spins.

import { burstFrom } from "./burst.js";
import { byId, make, picture, setContent } from "./dom.js";
import { showOutcome } from "./game.js";
import { centsOfCoins, format, signedCoins } from "./money.js";
import { thresholdSent } from "./records.js";
import { percentOf } from "./rolls.js";

const percent = (number, places = 5) => `${number.toFixed(places)} %`;

/** The view and the bets of the upgrader. */
export class Upgrader {
  noun = "spin";
  title = "Upgrade";
  view = "upgrader";
  #form;
  #wheel;
  // The bet whose outcome is shown. The outcome stays until the player changes item or wager.
  #concluded = null;

  constructor({ form, wheel }) {
    this.#form = form;
    this.#wheel = wheel;
  }

  get action() {
    return make("span", {}, "Spin");
  }

  /** What the page brings into view when a spin begins. */
  get stage() {
    return byId("dial");
  }

  objection(balanceCents) {
    return this.#form.objection(balanceCents);
  }

  /** Show item and chance, unless the outcome of this bet is shown. */
  show() {
    if (this.#concluded && this.#concluded === this.#bet()) return;
    this.#concluded = null;
    if (byId("game").dataset.outcome !== "refused") showOutcome("");
    this.#showChance();
  }

  #showChance() {
    this.#showPicture(this.#form.item?.image);
    this.#wheel.showChance(this.#form.chance);
    if (this.#form.threshold) {
      this.#showReading("Your chance", percent(this.#form.chance, 3), `pays ${this.#form.multiplier.toFixed(2)}×`);
    } else {
      this.#showReading("Your chance", this.#form.item ? "–" : "Choose an item", "");
    }
  }

  /** The spin of the form, for `Betting.begin`. */
  begin() {
    const { item, wagerCents, content, rules } = this.#form;
    return {
      game: "upgrader",
      event: "upgrader:spin",
      content,
      terms: { houseEdge: rules.houseEdge },
      display: { what: item.marketHashName, image: item.image, proofDelay: rules.proofDelay },
      costCents: wagerCents,
    };
  }

  /** Show a spin that was sent. After a reload, which empties the form, it fills the form. */
  restore({ request, display, costCents }) {
    this.#showPicture(display.image);
    if (this.#form.item) return;
    const priceCents = centsOfCoins(request.price);
    this.#form.item = { marketHashName: request.item, image: display.image, priceCents };
    this.#form.setWager(costCents);
  }

  bet(attempt) {
    const { request, display, costCents: wagerCents } = attempt;
    const { item } = request;
    const chance = percentOf(thresholdSent(attempt));
    const sent = key(item, centsOfCoins(request.price), wagerCents);
    this.#concluded = null;
    this.#showReading("Rolling", "…", "");
    return {
      inProgress: "The wheel is turning.",
      turn: (pf, elapsed) => this.#wheel.spinTo(pf.percent, { seconds: display.proofDelay, elapsed }),
      conclude: ({ percent: rolled }, { success: won, amount }) => {
        this.#concluded = this.#bet();
        this.#wheel.showChance(chance);
        this.#showResult({ item, wagerCents, chance, rolled, won }, centsOfCoins(amount));
        // The player may have changed the form meanwhile.
        if (this.#concluded !== sent) this.#showChance();
      },
    };
  }

  #showResult({ item, wagerCents, chance, rolled, won }, payoutCents) {
    const wins = `wins below ${percent(chance)}`;
    if (won) {
      this.#showReading(`Rolled ${percent(rolled)}`, signedCoins(payoutCents - wagerCents), wins);
      showOutcome(`You won ${format(payoutCents)} coins, the price of ${item}.`, "won");
      burstFrom(byId("dial"), chance < 20 ? 240 : 140);
    } else {
      this.#showReading("Rolled", percent(rolled), wins);
      showOutcome(`You lost your wager of ${format(wagerCents)} coins.`, "lost");
    }
  }

  /** Item, price and wager of the form, to compare. */
  #bet() {
    const { item, wagerCents } = this.#form;
    return item && key(item.marketHashName, item.priceCents, wagerCents);
  }

  #showPicture(image) {
    if (byId("target").dataset.image === image) return;
    byId("target").dataset.image = image ?? "";
    byId("target").replaceChildren(...(image ? [picture("item", image, 120)] : []));
  }

  #showReading(label, value, note) {
    setContent("reading-label", label);
    byId("reading").replaceChildren(value);
    setContent("reading-note", note);
  }
}

const key = (...terms) => terms.join(" ");
