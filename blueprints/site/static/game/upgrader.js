// The upgrader: its form, its wheel, the item to win, and the chance. game.js plays its spins.

import { readAttempt, thresholdSent } from "../fairness/records.js";
import { percentOf, thresholdOf } from "../fairness/rolls.js";
import { centsOfCoins, centsOfText, coinsOfCents, format, plain } from "../format.js";
import { html, live, nothing, ref } from "../lit.js";
import { coins, picture, signedCoins } from "../parts/elements.js";
import { showOutcome, state, update } from "../store.js";
import { spendableCents } from "./balance.js";
import { partsOf } from "./items.js";
import { burstFrom, move } from "./motion.js";
import { turningSeconds } from "./pace.js";

export const minCents = () => centsOfCoins(state.rules?.minWager ?? 0);
export const maxCents = () => centsOfCoins(state.rules?.maxWager ?? Infinity);
export const wagerCents = () => centsOfText(state.wager);

/** Whether item, price and wager are those of a spin. */
const isFormOf = ({ request, costCents }) => request.item === state.item?.marketHashName
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
function objection() {
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

const percent = (number, places = 5) => `${number.toFixed(places)} %`;

// The spin whose result is shown until item or wager change.
let concluded = null;

export const upgrader = {
  noun: "spin",
  view: "upgrader",
  stage: "#dial",
  inProgress: "The wheel is turning.",
  title: () => "Upgrade",
  action: () => "Spin",
  objection,

  begin: () => ({
    game: "upgrader",
    event: "upgrader:spin",
    // The price makes the server refuse the spin if the item has another price by now.
    content: {
      amount: coinsOfCents(wagerCents()),
      item: state.item.marketHashName,
      price: coinsOfCents(state.item.priceCents),
    },
    terms: { houseEdge: state.rules.houseEdge },
    display: { what: state.item.marketHashName, image: state.item.image, proofDelay: turningSeconds() },
    costCents: wagerCents(),
  }),

  /** After a reload, which empties the form, fill it with the spin. */
  restore({ request, display, costCents }) {
    concluded = null;
    if (state.item) return;
    const priceCents = centsOfCoins(request.price);
    update({ item: { marketHashName: request.item, image: display.image, priceCents }, wager: plain(costCents) });
  },

  turn: ({ pf, decidedAt, display }) =>
    turnWheel(pf.percent, { seconds: display.proofDelay, began: decidedAt }),

  conclude(attempt) {
    concluded = attempt;
    const { won, item, wagerCents: lost, payoutCents, threshold: winning } = readAttempt(attempt);
    if (!won) return showOutcome(`You lost your wager of ${format(lost)} coins.`, "lost");
    showOutcome(`You won ${format(payoutCents)} coins, the price of ${item}.`, "won");
    burstFrom(document.querySelector("#dial"), percentOf(winning) < 20 ? 240 : 140);
  },

  reset() {
    concluded = null;
  },

  stageView,
  controls,
};

/**
 * Item or wager change: the outcome of the last spin is over, unless it says why it was refused. Of another wager the
 * window gets the event "wager-changed".
 */
function change(patch) {
  update(patch);
  if ("wager" in patch) dispatchEvent(new Event("wager-changed"));
  if (state.bet || (concluded && isFormOf(concluded))) return;
  concluded = null;
  if (state.outcome.kind !== "refused") showOutcome();
}

/** Choose the item to win, with its `priceCents`. */
export const chooseItem = (item) => change({ item });

function stageView() {
  const spinning = state.bet?.game === upgrader ? state.bet.attempt : null;
  const { wins, now, label, value, note } = spinning ? turning(spinning)
    : concluded && isFormOf(concluded) ? stopped(readAttempt(concluded)) : waiting();
  const image = spinning ? spinning.display.image : state.item?.image;
  return html`
    <div id="upgrader">
      <div id="dial" class="dial">
        ${wheel(wins, now)}
        <div class="reading">
          <div id="target" class="target">${image || state.item ? picture("item", image, 120) : nothing}</div>
          <span id="reading-label" class="quiet">${label}</span>
          <strong id="reading">${value}</strong>
          <span id="reading-note" class="quiet">${note}</span>
        </div>
      </div>
      ${state.item ? wanted(state.item) : howItWorks}
    </div>`;
}

// What the wheel shows: the percentage that `wins`, how it is `now`, and the texts in its middle.

const turning = (attempt) => ({
  wins: percentOf(thresholdSent(attempt)), now: "the needle is turning", label: "Rolling", value: "…",
});

function stopped({ won, percent: rolled, threshold: winning, wagerCents: wager, payoutCents }) {
  const wins = percentOf(winning);
  const now = `the needle stopped at ${percent(rolled)}, ${won ? "inside" : "outside"} the lit part, which ends at ` +
    percent(wins);
  const note = `wins below ${percent(wins)}`;
  return won ? { wins, now, label: `Rolled ${percent(rolled)}`, value: signedCoins(payoutCents - wager), note }
    : { wins, now, label: "Rolled", value: percent(rolled), note };
}

function waiting() {
  const wins = percentOf(threshold() ?? 0);
  const label = "Your chance";
  if (!wins) return { wins, label, value: state.item ? "–" : "Choose an item" };
  return { wins, label, value: percent(wins, 3), note: `pays ${(state.item.priceCents / wagerCents()).toFixed(2)}×` };
}

const howItWorks = html`
  <ol id="how-it-works" class="how">
    <li><strong>Choose an item</strong> that is worth more than you wager.</li>
    <li><strong>Set your wager:</strong> the higher it is, the larger the lit part of the wheel.</li>
    <li><strong>Spin.</strong> If the needle stops in the lit part, you win the price of the item in coins.</li>
  </ol>`;

function wanted({ marketHashName, priceCents }) {
  const { gun, skin, wear } = partsOf(marketHashName);
  return html`
    <p id="wanted" class="wanted">
      <span id="wanted-name" class="name">${gun ? html`<span class="quiet">${gun} </span>` : nothing}${skin}</span>
      <span id="wanted-wear" class="quiet">${wear}</span>
      <strong id="wanted-price">${coins(priceCents)}</strong>
    </p>`;
}

function controls() {
  const choose = ({ currentTarget }) => change({ wager: changedWager(currentTarget.dataset.wager) });
  const type = ({ target }) => change({ wager: target.value });
  const tidy = () => { if (wagerCents() !== null) update({ wager: plain(wagerCents()) }); };
  return html`
    <div class="wager">
      <label for="wager">Wager <span class="quiet">in coins</span></label>
      <span class="coins"><input id="wager" inputmode="decimal" autocomplete="off" aria-describedby="why-not"
        .value=${live(state.wager)} @input=${type} @change=${tidy}></span>
      <button type="button" class="plain" data-wager="half" aria-label="½ the wager" @click=${choose}>½</button>
      <button type="button" class="plain" data-wager="double" aria-label="2× the wager" @click=${choose}>2×</button>
      <button type="button" class="plain" data-wager="most" aria-label="Max wager" @click=${choose}>Max</button>
    </div>`;
}

// The wheel: a winning zone from the top clockwise, and a needle that stops at the roll.

const TURNS = 5;

let needleAt = 0; // percent
let motion = null; // of the needle

/** Turn the needle to a roll, in percent. */
function turnWheel(rolled, { seconds, began }) {
  const from = needleAt - 100 * (rolled < needleAt ? TURNS + 1 : TURNS);
  needleAt = rolled;
  motion = { from: `${from / 100}turn`, to: `${rolled / 100}turn`, seconds, began };
}

/** The wheel, with the zone from 0 to `chance` percent painted as the one that wins. `now` says how it is. */
const wheel = (chance, now) => html`
  <svg id="wheel" viewBox="0 0 320 320" role="img"
    aria-label="The wheel: ${now || "the lit part of the rim wins"}">
    <defs>
      <linearGradient id="lit" x1="0" y1="0" x2="1" y2="1">
        <stop offset="0" class="lit-from"/><stop offset="1" class="lit-to"/>
      </linearGradient>
    </defs>
    <circle class="rim" cx="160" cy="160" r="132"/>
    <circle class="zone ${chance ? "" : "empty"}" cx="160" cy="160" r="132" pathLength="100"
      stroke-dasharray="${chance} 100" transform="rotate(-90 160 160)"/>
    <circle class="ticks" cx="160" cy="160" r="112" pathLength="100" stroke-dasharray="0.25 1.75"/>
    <circle class="quarters" cx="160" cy="160" r="110" pathLength="100" stroke-dasharray="0.6 24.4"
      stroke-dashoffset="0.3"/>
    <g class="needle" ${ref((needle) => move(needle, "rotate", motion))}>
      <path d="M160 50l-11-37a11 11 0 0 1 22 0z"/>
    </g>
  </svg>`;
