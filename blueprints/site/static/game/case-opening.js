// A case: its reel, its items with their chances, and its price. game.js opens it.

import { makeSignals } from "../api.js";
import { chanceOf, percentOfTicket, rarityOf, readSnapshot, winnerOf } from "../fairness/tickets.js";
import { html, nothing, svg } from "../lit.js";
import { centsOfCoins, coinsOfCents, format, formatSigned } from "../money.js";
import { caseActivity, loadActivity } from "../parts/case-activity.js";
import { coins, picture } from "../parts/elements.js";
import { state, update } from "../store.js";
import { burstFrom } from "./burst.js";
import { accessTo } from "./case-access.js";
import { loadCase } from "./case-content.js";
import { chosenCount, isSeries, seriesControls, turningSeconds } from "./pace.js";
import { fillReel, reel, turnReel } from "./reel.js";

const CHANGED = ["Case price has changed", "Case has changed", "Case not found", "Case is not available"];

const chanceText = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

// The case that is shown, the ticket and the net of its last opening, and what is called when a prize is won.
const shown = { case: null, ticket: null, netCents: null };
let isLoading = false;
const nextSignal = makeSignals();

/** Whether a case is being loaded. */
export const isBusy = () => isLoading;

export const shownCase = () => shown.case;

const access = () => accessTo(shown.case, state.player, state.rules);

export const opening = {
  noun: "opening",
  view: "opening",
  stage: "#opening",
  inProgress: "The reel is turning.",
  title: () => shown.case.name,

  action() {
    const { costCents } = shown.case;
    if (!costCents) return "Open for free";
    return html`Open ${count() > 1 ? `${count()}×` : nothing} for ${coins(costCents * count())}`;
  },

  objection() {
    const { snapshot, costCents } = shown.case;
    if (!state.rules) return "The rules have not been loaded yet.";
    const reason = access()?.reason;
    if (reason) return reason;
    if (!snapshot) return "This case can't be opened, because an item has no price.";
    const wanted = isSeries() ? 1 : count();
    if (costCents * wanted > state.balanceCents) {
      return `Your balance is too small for ${wanted > 1 ? `${wanted} openings of ` : ""}this case.`;
    }
    return null;
  },

  /** The opening of this case, for `begin` of betting.js. */
  begin() {
    const { game, id, name, priceCents, costCents, snapshot, items } = shown.case;
    return {
      game,
      event: `${game}:open`,
      // The server refuses the opening if the case has another price or other items by now.
      content: { case: id, price: coinsOfCents(priceCents), snapshot: snapshot.hash },
      terms: { content: snapshot.text },
      display: { what: name, name, images: items.map(({ image }) => image), proofDelay: turningSeconds() },
      costCents,
    };
  },

  /** Show the case of an opening that was sent, unless it is shown. */
  restore({ game, request, terms, display, costCents }) {
    nextSignal(); // A case that is still loading must not replace this one.
    isLoading = false;
    Object.assign(shown, { ticket: null, netCents: null });
    if (shown.case?.snapshot?.hash === request.snapshot) return;
    const { items } = readSnapshot(terms.content);
    show({
      game,
      id: request.case,
      name: display.name,
      priceCents: centsOfCoins(request.price),
      costCents,
      snapshot: { hash: request.snapshot, text: terms.content },
      items: items.map((item, position) => ({ ...item, image: display.images[position] })),
    });
  },

  turn: ({ pf, decidedAt, display }) =>
    turnReel(winnerOf(BigInt(pf.ticket), shown.case.items), { seconds: display.proofDelay, began: decidedAt }),

  conclude({ pf, answer, costCents }) {
    const { item, amount, success } = answer.result;
    const payoutCents = centsOfCoins(amount);
    const worth = `${format(payoutCents)} coins`;
    const what = shown.case.game === "irl" ? `a prize worth ${worth}` : `which pays ${worth}`;
    Object.assign(shown, { ticket: BigInt(pf.ticket), netCents: payoutCents - costCents });
    const text = `${success ? "You won" : "You got"} ${item}, ${what}.`;
    update({ outcome: { text, kind: success ? "won" : "lost" } });
    if (success) burstFrom(document.querySelector("#reel"), 140);
  },

  /** After a refusal that the shown content explains, show the case as it is now, to be opened again. */
  async refused(reason) {
    if (!CHANGED.includes(reason)) return;
    const now = await chooseCase(shown.case).then(
      () => "This is the case as it is now.",
      ({ message }) => `The case could not be loaded: ${message}.`,
    );
    update({ outcome: { text: `The opening was refused: ${reason}. ${now}`, kind: "refused" } });
  },

  reset() {
    Object.assign(shown, { ticket: null, netCents: null });
  },

  stageView,
  controls: () => (shown.case.costCents ? seriesControls() : nothing),
};

/** How many openings the next click plays. The free case is opened once. */
const count = () => (shown.case.costCents ? chosenCount() : 1);

function show(loaded) {
  Object.assign(shown, { case: loaded, ticket: null, netCents: null });
  if (loaded.snapshot) fillReel(loaded.items);
  loadActivity(loaded);
}

/**
 * Load a case `{ game, id }` and show it, unless another one is chosen meanwhile. Rejects when it can't be loaded.
 * Resolves with whether it is shown.
 */
export async function chooseCase({ game, id }) {
  const signal = nextSignal();
  isLoading = true;
  update();
  try {
    const loaded = await loadCase(game, id);
    if (signal.aborted) return false;
    show(loaded);
    return true;
  } finally {
    if (!signal.aborted) isLoading = false;
    update();
  }
}

function stageView(promoButton, shareLast) {
  const { case: { name, items, snapshot }, ticket, netCents } = shown;
  const text = ticket === null ? "A random point on this bar picks your item."
    : `Ticket ${percentOfTicket(ticket).toFixed(5)} % · net ${formatSigned(netCents)}`;
  return html`
    <div id="opening" class="opening">
      ${snapshot ? html`
        ${reel(name, state.bet !== null)}
        <div class="ranges" aria-hidden="true">
          ${ruler(items)}
          ${ticket === null ? nothing
            : html`<span id="ticket" class="ticket" .style=${`left: ${percentOfTicket(ticket)}%`}></span>`}
        </div>` : nothing}
      <p id="ticket-text" class="quiet">${text} ${shareLast()}</p>
      ${access()?.needsPromoCode ? promoButton() : nothing}
    </div>`;
}

/** The ranges of the items, side by side. */
export function ruler(items) {
  let start = 0;
  const ranges = items.map(({ width }) => {
    const range = svg`<rect x=${start} width=${chanceOf(width)} height="1" data-rarity=${rarityOf(width)}/>`;
    start += chanceOf(width);
    return range;
  });
  return html`<svg id="ruler" class="ruler" viewBox="0 0 100 1" preserveAspectRatio="none">${ranges}</svg>`;
}

/** What is below the form: the items of the case. */
export function caseItems() {
  const { items } = shown.case;
  const won = shown.ticket === null ? null : winnerOf(shown.ticket, items).position;
  return html`<div class="contents">
    <h3>Items and their chances</h3>
    <ul id="case-items" class="lines">${items.map((item, position) => line(item, position === won))}</ul>
    ${caseActivity(shown.case)}
  </div>`;
}

function line({ name, image, percentage, priceCents, width }, isWon) {
  const chance = width === null ? percentage : chanceOf(width);
  return html`<li data-rarity=${width === null ? nothing : rarityOf(width)} ?data-won=${isWon}>
    ${picture("item", image, 44)}
    <span class="name">${name}</span>
    <span class="quiet">${chanceText.format(chance)} %</span>
    ${priceCents === null ? html`<span class="quiet">no price yet</span>` : coins(priceCents)}
  </li>`;
}
