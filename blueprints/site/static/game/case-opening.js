// A case: its reels, its items with their chances, and its price. game.js opens it.

import { readAttempt } from "../fairness/records.js";
import { percentOfTicket, readSnapshot, winnerOf } from "../fairness/rolls.js";
import { centsOfCoins, coinsOfCents, format, formatSigned } from "../format.js";
import { html, nothing, ref, svg } from "../lit.js";
import { casePicture, coins, picture } from "../parts/elements.js";
import { caseActivity, loadActivity } from "../parts/live-bets.js";
import { askForPromoCode } from "../parts/promo-code.js";
import { loadPlayer } from "../player.js";
import { freeOpening, rewards } from "../rewards.js";
import { showOutcome, state, update } from "../store.js";
import { spendableCents } from "./balance.js";
import { accessTo, addressOfCase, loadCase } from "./case-content.js";
import { partsOf } from "./items.js";
import { burstFrom, move } from "./motion.js";
import { chosenCount, isSeries, seriesControls, seriesPlace, turningSeconds } from "./pace.js";
import { rarityOf } from "./rarity.js";

const CHANGED = ["Case price has changed", "Case has changed", "Case not found", "Case is not available"];

const chanceText = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

// The case; the id of the reward with which it is opened free; how many reels its last openings have; and those whose
// reels have stopped, by the places of the reels.
const shown = { case: null, reward: null, count: 1, results: [] };
let loading = null; // the case that was chosen last, until it is loaded

export const isBusy = () => loading !== null;

export const shownCase = () => shown.case;

/** What an opening costs. The free case, and an opening with a reward, cost nothing. */
const costNow = () => (shown.reward === null ? shown.case.costCents : 0);

/** Who may open the case. A reward opens it for its player. */
const accessNow = () => (shown.reward === null ? accessTo(shown.case) : null);

/** How many openings the next click plays. What is free is opened once. */
export const openingCount = () => (costNow() ? chosenCount() : 1);

export const opening = {
  noun: "opening",
  view: "opening",
  stage: "#opening",
  inProgress: "The reel is turning.",
  title: () => shown.case.name,
  face: () => (shown.case.face ? casePicture(shown.case.face, 56) : nothing),

  action() {
    const costCents = costNow();
    const count = openingCount();
    if (shown.reward !== null) return "Open free";
    if (!costCents) return "Open for free";
    return html`Open ${count > 1 ? `${count}×` : nothing} for ${coins(costCents * count)}`;
  },

  objection() {
    const { snapshot } = shown.case;
    const costCents = costNow();
    const wanted = isSeries() ? 1 : openingCount();
    if (!state.rules) return "The rules have not been loaded yet.";
    const reason = accessNow()?.reason ?? rewardObjection();
    if (reason) return reason;
    if (!snapshot) return "This case can't be opened, because an item has no price.";
    if (costCents * wanted <= spendableCents()) return null;
    return `Your balance is too small for ${wanted > 1 ? `${wanted} openings of ` : ""}this case.`;
  },

  begin() {
    const { game, id, name, priceCents, snapshot, items } = shown.case;
    const { reward } = shown;
    return {
      game,
      event: `${game}:open`,
      // The server refuses the opening if the case has another price or other items by now.
      content: { case: id, price: coinsOfCents(priceCents), snapshot: snapshot.hash, ...(reward && { reward }) },
      terms: { content: snapshot.text },
      display: {
        what: name, name, images: items.map(({ image }) => image), place: seriesPlace(), proofDelay: turningSeconds(),
      },
      costCents: costNow(),
    };
  },

  /** Show the case of an opening that was sent, unless it is shown. */
  restore({ game, request, terms, display, costCents }) {
    loading = null; // A case that is still loading must not replace this one.
    if (seriesPlace() === 0) opening.reset();
    shown.count = isSeries() ? chosenCount() : 1;
    shown.reward = request.reward ?? null;
    if (shown.case?.snapshot?.hash === request.snapshot) return;
    const { items } = readSnapshot(terms.content);
    show({
      game,
      id: request.case,
      name: display.name,
      priceCents: centsOfCoins(request.price),
      costCents: request.reward ? centsOfCoins(request.price) : costCents,
      snapshot: { hash: request.snapshot, text: terms.content },
      items: items.map((item, position) => ({ ...item, image: display.images[position] })),
    }, request.reward);
  },

  turn(attempt) {
    const { pf, decidedAt, display } = attempt;
    const won = winnerOf(BigInt(pf.ticket), shown.case.items);
    turnReel(stripAt(placeOf(attempt)), won, { seconds: display.proofDelay, began: decidedAt });
  },

  conclude(attempt) {
    shown.results[placeOf(attempt)] = attempt;
    if (attempt.request.reward) rewards.load();
    if (isSeries()) return;
    const { item, payoutCents, won: isWon } = readAttempt(attempt);
    // A free opening always pays more than it cost. It is celebrated as one that was paid for.
    const won = isWon && (!attempt.request.reward || payoutCents > centsOfCoins(attempt.request.price));
    const what = `${shown.case.game === "irl" ? "a prize worth" : "which pays"} ${format(payoutCents)} coins`;
    showOutcome(`${won ? "You won" : "You got"} ${item}, ${what}.`, won ? "won" : "lost");
    if (won) burstFrom(document.querySelector("#reel"), 140);
  },

  /** All reels of a series have stopped. */
  concludeAll({ netCents }) {
    if (netCents > 0) burstFrom(document.querySelector("#opening"), 140);
  },

  /** After a refusal that the shown content explains, show the case as it is now, to be opened again. */
  async refused(reason) {
    if (shown.reward !== null) rewards.load(); // It may be over, such as that of a day.
    if (!CHANGED.includes(reason)) return;
    const now = await chooseCase({ ...shown.case, reward: shown.reward }).then(
      () => "This is the case as it is now.",
      ({ message }) => `The case could not be loaded: ${message}.`,
    );
    showOutcome(`The opening was refused: ${reason}. ${now}`, "refused");
  },

  reset() {
    shown.results = [];
    for (const strip of strips) strip.stop = null;
  },

  stageView,
  controls: () => (shown.reward !== null ? html`<p id="free-opening"><strong>Free opening</strong></p>`
    : shown.case.costCents ? seriesControls() : nothing),
};

/** Why the case can't be opened with its reward; null when it can, or there is none. */
function rewardObjection() {
  const { case: { game, id }, reward } = shown;
  if (reward === null || freeOpening(reward, id)) return null;
  if (rewards.value === null) return rewards.note("Your rewards");
  return html`This free opening was used, or is not offered any more.
    <a href=${addressOfCase(game, id)}>Open the case for its price</a>`;
}

/** The place of the reel of an attempt. One that a reload has interrupted has the only reel. */
const placeOf = ({ display }) => (isSeries() ? display.place : 0);

function show(loaded, reward = null) {
  shown.case = loaded;
  shown.reward = reward;
  opening.reset();
  strips.length = 0;
  loadActivity(loaded);
}

/**
 * Load a case `{ game, id }` and show it, unless another one is chosen meanwhile. With the id of a `reward`, it is
 * opened free. Rejects when it can't be loaded. Resolves with whether it is shown.
 */
export async function chooseCase({ game, id, reward = null }) {
  const loaded = loadCase(game, id);
  loading = loaded;
  update();
  try {
    const content = await loaded;
    if (loading !== loaded) return false;
    show(content, reward);
    return true;
  } finally {
    if (loading === loaded) loading = null;
    update();
  }
}

async function usePromoCode() {
  const message = await askForPromoCode();
  if (!message) return;
  await loadPlayer();
  showOutcome(message);
}

function stageView(shareLast) {
  const { items, snapshot } = shown.case;
  const tickets = shown.results.map(({ pf }) => percentOfTicket(BigInt(pf.ticket)));
  return html`
    <div id="opening" class="opening">
      ${snapshot ? html`
        ${reels()}
        <div class="ranges" aria-hidden="true">
          ${ruler(items)}
          ${tickets.map((place) => html`<span class="ticket" .style=${`left: ${place}%`}></span>`)}
        </div>` : nothing}
      <p id="ticket-text" class="quiet">${ticketText(tickets)} ${shown.count > 1 ? nothing : shareLast()}</p>
      ${accessNow()?.needsPromoCode ? html`<button id="enter-promo-code" type="button" class="plain"
        @click=${usePromoCode}>Enter a promo code</button>` : nothing}
    </div>`;
}

function ticketText(tickets) {
  if (tickets.length === 0) return "A random point on this bar picks your item.";
  if (shown.count > 1) return tickets.length > 1 ? "Each point on this bar picked an item." : "";
  const { payoutCents, wagerCents } = readAttempt(shown.results[0]);
  return `Ticket ${tickets[0].toFixed(5)} % · net ${formatSigned(payoutCents - wagerCents)}`;
}

/** The reel, or several side by side. Those of a series become cards when all have stopped. */
function reels() {
  const count = state.bet || isSeries() || shown.results.length ? shown.count : openingCount();
  if (count === 1) return reel(0);
  const places = Array.from({ length: count }, (_, place) => place);
  return html`<ol id="reels" class="reels">${places.map((place) => html`<li>${
    shown.results[place] && !isSeries() ? drawn(shown.results[place]) : reel(place, place + 1)}</li>`)}</ol>`;
}

/** The item that an opening has won, as a card. */
function drawn({ pf }) {
  const { name, image, priceCents } = shown.case.items[winnerOf(BigInt(pf.ticket), shown.case.items).position];
  const { gun, skin, wear } = partsOf(name);
  return html`<div class="drawn-item" data-rarity=${rarityOf(priceCents)}>${picture("item", image, 64, "eager")}
    <span class="name"><span class="quiet">${gun}</span> ${skin} <span class="quiet">${wear}</span></span>
    ${coins(priceCents)}</div>`;
}

export function ruler(items) {
  let start = 0;
  const ranges = items.map(({ width }) => {
    const range = svg`<rect x=${start} width=${chanceOf(width)} height="1"/>`;
    start += chanceOf(width);
    return range;
  });
  return html`<svg id="ruler" class="ruler" viewBox="0 0 100 1" preserveAspectRatio="none">${ranges}</svg>`;
}

/** What is below the form: the items of the case. */
export function caseItems() {
  const { items } = shown.case;
  const won = shown.results.map(({ pf }) => winnerOf(BigInt(pf.ticket), items).position);
  return html`<div class="contents">
    <h3>Items and their chances</h3>
    <ul id="case-items" class="lines">${items.map((item, position) => line(item, won.includes(position)))}</ul>
    ${caseActivity(shown.case)}
  </div>`;
}

function line({ name, image, percentage, priceCents, width }, isWon) {
  const chance = width === null ? percentage : chanceOf(width);
  return html`<li data-rarity=${rarityOf(priceCents) ?? nothing} ?data-won=${isWon}>
    ${picture("item", image, 44)}
    <span class="name">${name}</span>
    <span class="quiet">${chanceText.format(chance)} %</span>
    ${priceCents === null ? html`<span class="quiet">no price yet</span>` : coins(priceCents)}
  </li>`;
}

// A reel: a strip of cells, one for each item that passes, which stops where the ticket says.

const PASSING = 50; // cells between the first and the last stop
const BESIDE = 8; // cells on each side of a stop, more than the reel shows
const EDGE = 0.02; // of a cell, where the marker never stops: it would seem to point at both cells

// The strips of the reels: which item each cell shows, by their positions; where the marker is, in cells; and which
// cell has won.
const strips = [];

/** The chance of an item in percent, from its width. */
const chanceOf = (width) => Number(width) / 1e16;

/** The strip of a reel. A new one shows items of the case, at rest. */
function stripAt(place) {
  const rest = BESIDE + 0.5;
  strips[place] ??= {
    cells: some(shown.case.items, 2 * BESIDE + 1),
    place: rest,
    stop: null,
    motion: { from: rest, to: rest, seconds: 0, began: 0 },
  };
  return strips[place];
}

/** Turn to an item. The marker stops inside its cell, between the left edge (`within` is 0) and the right one (1). */
function turnReel(strip, { position, within }, { seconds, began }) {
  const { cells, place } = strip;
  const { items } = shown.case;
  const here = Math.floor(place);
  const seen = cells.slice(here - BESIDE, here + BESIDE + 1);
  const from = BESIDE + (place - here);
  const stop = seen.length + PASSING;
  const to = stop + EDGE + within * (1 - 2 * EDGE);
  strip.cells = [...seen, ...some(items, PASSING), position, ...some(items, BESIDE)];
  Object.assign(strip, { place: to, stop, motion: { from, to, seconds, began } });
}

/** Cells at random with the chances of the items, so that rare ones are not shown more often than they are won. */
function some(items, count) {
  return Array.from({ length: count }, () => {
    let left = Math.random() * 100;
    const drawn = items.findIndex(({ width }) => (left -= chanceOf(width)) < 0);
    return drawn < 0 ? items.length - 1 : drawn;
  });
}

/** A reel, with its number if there are several. Its style sheet moves the strip by `--cells`. */
function reel(place, number) {
  const { cells, motion, stop: end } = stripAt(place);
  const { name, items } = shown.case;
  const stop = shown.results[place] ? end : null;
  const isTurning = end !== null && stop === null;
  const now = isTurning ? " is turning" : stop === null ? "" : ` stopped at ${items[cells[stop]].name}`;
  return html`
    <div id=${number ? nothing : "reel"} class="reel" role="img"
      aria-label="The reel ${number ? `${number} ` : ""}of ${name}${now}">
      <div class="strip" ${ref((element) => move(element, "--cells", motion))}>
        ${cells.map((position, place) => cell(items[position], place === stop))}
      </div>
    </div>`;
}

// A lazy picture would load only after its cell has moved into view.
const cell = ({ name, image, priceCents }, isWon) => html`
  <div class="cell" data-rarity=${rarityOf(priceCents)} ?data-won=${isWon}>
    ${picture("item", image, 72, "eager")}<span>${name}</span>
  </div>`;
