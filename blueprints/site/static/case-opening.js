// A case on the page: its reel, its items with their chances, and its price. game.js opens it.

import { makeSignals } from "./api.js";
import { burstFrom } from "./burst.js";
import { loadCase } from "./case-content.js";
import { byId, make, picture, setContent } from "./dom.js";
import { showOutcome } from "./game.js";
import { centsOfCoins, coins, coinsOfCents, format, formatSigned } from "./money.js";
import { chanceOf, percentOfTicket, rarityOf, readSnapshot, winnerOf } from "./tickets.js";

const CHANGED = ["Case price has changed", "Case has changed", "Case not found", "Case is not available"];

const chanceText = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** The view and the openings of the case that the player has chosen. */
export class CaseOpening {
  noun = "opening";
  view = "opening";
  #reel;
  #getRules;
  #onPrize;
  #getAccess;
  #case = null;
  #nextSignal = makeSignals();

  /**
   * `getRules()` returns `/upgrader/rules`, or null until they are known, and `getAccess(case)` what `accessTo` returns.
   * `onPrize()` is called when a prize is won.
   */
  constructor({ reel, getRules, getAccess, onPrize }) {
    this.#reel = reel;
    this.#getRules = getRules;
    this.#onPrize = onPrize;
    this.#getAccess = getAccess;
  }

  get title() {
    return this.#case.name;
  }

  get stage() {
    return byId("opening");
  }

  get action() {
    const { costCents } = this.#case;
    return costCents ? make("span", {}, "Open for ", coins(costCents)) : make("span", {}, "Open for free");
  }

  /**
   * Load a case `{ game, id }` and show it, unless another one is chosen meanwhile. Rejects when it can't be loaded.
   * Resolves with whether it is shown.
   */
  async choose({ game, id }) {
    const signal = this.#nextSignal();
    byId("game").ariaBusy = "true";
    try {
      const loaded = await loadCase(game, id);
      if (signal.aborted) return false;
      this.#case = loaded;
      this.#draw();
      return true;
    } finally {
      if (!signal.aborted) byId("game").ariaBusy = "false";
    }
  }

  objection(balanceCents) {
    const { snapshot, costCents } = this.#case;
    if (!this.#getRules()) return "The rules have not been loaded yet.";
    const access = this.#getAccess(this.#case);
    if (access?.reason) return access.reason;
    if (!snapshot) return "This case can't be opened, because an item has no price.";
    if (costCents > balanceCents) return "Your balance is too small for this case.";
    return null;
  }

  show() {
    // The case, its reel and the last outcome stay until another case is chosen.
    byId("enter-promo-code").hidden = !this.#getAccess(this.#case)?.needsPromoCode;
  }

  /** The opening of this case, for `Betting.begin`. */
  begin() {
    const { game, id, name, priceCents, costCents, snapshot, items } = this.#case;
    return {
      game,
      event: `${game}:open`,
      // The server refuses the opening if the case has another price or other items by now.
      content: { case: id, price: coinsOfCents(priceCents), snapshot: snapshot.hash },
      terms: { content: snapshot.text },
      display: { what: name, name, images: items.map(({ image }) => image), proofDelay: this.#getRules().proofDelay },
      costCents,
    };
  }

  /** Show the case of an opening that was sent, unless it is shown. */
  restore({ game, request, terms, display, costCents }) {
    this.#nextSignal(); // A case that is still loading must not replace this one.
    byId("game").ariaBusy = "false";
    if (this.#case?.snapshot?.hash === request.snapshot) return;
    const { items } = readSnapshot(terms.content);
    this.#case = {
      game,
      id: request.case,
      name: display.name,
      priceCents: centsOfCoins(request.price),
      costCents,
      snapshot: { hash: request.snapshot, text: terms.content },
      items: items.map((item, position) => ({ ...item, image: display.images[position] })),
    };
    this.#draw();
  }

  bet({ display }) {
    const { items } = this.#case;
    this.#showTicket(null);
    return {
      inProgress: "The reel is turning.",
      turn: ({ ticket }, elapsed) =>
        this.#reel.spinTo(winnerOf(BigInt(ticket), items), { seconds: display.proofDelay, elapsed }),
      conclude: ({ ticket }, { success, amount, item }) => {
        this.#showTicket(BigInt(ticket), winnerOf(BigInt(ticket), items).position);
        this.#showResult({ item, payoutCents: centsOfCoins(amount), success });
      },
    };
  }

  /** After a refusal that the shown content explains, show the case as it is now, to be opened again. */
  async refused(reason) {
    if (!CHANGED.includes(reason)) return;
    try {
      await this.choose(this.#case);
      showOutcome(`The opening was refused: ${reason}. This is the case as it is now.`, "refused");
    } catch (problem) {
      showOutcome(`The opening was refused: ${reason}. The case could not be loaded: ${problem.message}.`, "refused");
    }
  }

  #showResult({ item, payoutCents, success }) {
    const isPrize = this.#case.game === "irl";
    const worth = `${format(payoutCents)} coins`;
    const what = isPrize ? `a prize worth ${worth}` : `which pays ${worth}`;
    showOutcome(`${success ? "You won" : "You got"} ${item}, ${what}.`, success ? "won" : "lost");
    byId("ticket-text").append(` · net ${formatSigned(payoutCents - this.#case.costCents)}`);
    if (isPrize) this.#onPrize();
    if (success) burstFrom(byId("reel"), 140);
  }

  #draw() {
    const { name, items, snapshot } = this.#case;
    byId("reel").setAttribute("aria-label", `The reel of ${name}`);
    byId("case-items").replaceChildren(...items.map(line));
    byId("ruler").replaceChildren(...(snapshot ? items.map(range) : []));
    byId("reel").hidden = !snapshot;
    if (snapshot) this.#reel.fill(items);
    this.#showTicket(null);
  }

  /** Show where the ticket is in the ranges of the items; null between openings. */
  #showTicket(ticket, position) {
    for (const each of document.querySelectorAll("#case-items [data-won]")) delete each.dataset.won;
    byId("ticket").hidden = ticket === null;
    if (ticket === null) return setContent("ticket-text", "The ticket decides which item you get.");
    byId("ticket").style.left = `${percentOfTicket(ticket)}%`;
    byId("case-items").children[position].dataset.won = "";
    setContent("ticket-text", `Ticket ${percentOfTicket(ticket).toFixed(5)} %`);
  }
}

function line({ name, image, percentage, priceCents, width }) {
  const chance = width === null ? percentage : chanceOf(width);
  const drawn = make(
    "li",
    {},
    picture("item", image, 44),
    make("span", { className: "name" }, name),
    make("span", { className: "quiet" }, `${chanceText.format(chance)} %`),
    priceCents === null ? make("span", { className: "quiet" }, "no price yet") : coins(priceCents),
  );
  if (width !== null) drawn.dataset.rarity = rarityOf(width);
  return drawn;
}

function range({ width }) {
  const drawn = make("span");
  drawn.style.width = `${chanceOf(width)}%`;
  drawn.dataset.rarity = rarityOf(width);
  return drawn;
}
