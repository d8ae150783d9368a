// What players win now: a strip at the top of every page. Each picture links to the bet behind it.

import { centsOfCoins } from "../format.js";
import { loadItem, partsOf } from "../game/items.js";
import { rarityOf } from "../game/rarity.js";
import { html, nothing, repeat } from "../lit.js";
import { state, update } from "../store.js";
import { picture } from "./elements.js";

const MOST = 30;

let isPaused = false; // by the button
let held = null; // the drops that stay while the strip is paused, or has the pointer or the focus

const listed = new Map(); // the prices of items that battles have drawn, by their names

const isWin = ({ wager, payout }) => payout > wager;

/** The newest drops, wins first. A lost spin has won nothing. */
function newest() {
  const drops = state.liveBets.filter(({ payout }) => payout > 0);
  return [...drops.filter(isWin), ...drops.filter((bet) => !isWin(bet))].slice(0, MOST);
}

function hold() {
  held ??= newest();
}

function release({ currentTarget, relatedTarget }) {
  if (isPaused || currentTarget.contains(relatedTarget)) return;
  held = null;
  update();
}

function pause() {
  isPaused = !isPaused;
  hold(); // until the pointer and the focus have left
  update();
}

export function liveDrops() {
  const drops = held ?? newest();
  return html`<section class="drops" aria-label="Live drops" @pointerenter=${hold} @pointerleave=${release}
      @focusin=${hold} @focusout=${release}>
    <button id="pause-drops" type="button" class="plain round" aria-pressed=${isPaused} aria-label="Pause live drops"
      @click=${pause}>
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true" fill="currentColor">
        <path d=${isPaused ? "M5 3v14l12-7z" : "M4 3h4v14H4zM12 3h4v14h-4z"}/>
      </svg>
    </button>
    <ul id="drops">${repeat(drops, ({ id }) => id, drop)}</ul>
    ${drops.length ? nothing : html`<p class="quiet">What players win appears here.</p>`}
  </section>`;
}

function drop(bet) {
  const { gun, skin } = partsOf(bet.item);
  return html`<li class=${isWin(bet) ? "win" : ""} data-rarity=${rarityOf(priceCents(bet)) ?? nothing}>
    <a href="/b/${bet.id}" target="_blank" title=${bet.item}>
      ${picture("item", bet.image, 44, "eager")}
      <span class="name"><span class="unseen">${gun} </span>${skin}</span>
      <span class="quiet">${bet.user}</span>
      <span class="whence">${whence(bet)}</span>
    </a>
  </li>`;
}

/** The price of the item. A battle pays for what all of its seats have drawn. */
const priceCents = ({ game, item, payout }) => (game === "battle" ? listedCents(item) : centsOfCoins(payout));

/** The price of an item in the catalogue, once it is loaded. */
function listedCents(name) {
  if (!listed.has(name)) {
    listed.set(name, null);
    loadItem(name).then((item) => {
      listed.set(name, item?.priceCents);
      update();
    }, () => {});
  }
  return listed.get(name);
}

/** The case of an opening; otherwise how often the wager was won. */
const whence = ({ game, multiplier, caseName }) =>
  (game === "upgrader" ? `${multiplier.toFixed(2)}×` : game === "battle" ? "Battle" : caseName ?? "Case");
