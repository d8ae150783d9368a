// The reel: a strip of cells, one for each item that passes, which stops where the ticket says.

import { chanceOf, rarityOf } from "../fairness/tickets.js";
import { html, ref } from "../lit.js";
import { picture } from "../parts/elements.js";
import { move } from "./motion.js";

const PASSING = 50; // cells between the first and the last stop
const BESIDE = 8; // cells on each side of a stop, more than the reel shows
const EDGE = 0.02; // of a cell, where the marker never stops: it would seem to point at both cells

// Which items the strip shows, as positions in the list of items; which cell the marker is in; and which one has won.
const shown = { items: [], cells: [], place: 0, stop: null, motion: null };

/** Show the items of a case, each `{ name, image, width }`, at rest. */
export function fillReel(items) {
  const place = BESIDE + 0.5;
  Object.assign(shown, { items, cells: some(items, 2 * BESIDE + 1), place, stop: null });
  shown.motion = { from: place, to: place, seconds: 0, began: 0 };
}

/**
 * Turn to an item. The marker stops inside the item's cell, between its left edge (`within` is 0) and its right one (1).
 *
 * The other cells are drawn at random with the chances of the items, so that the reel does not show rare items
 * more often than they are won.
 */
export function turnReel({ position, within }, { seconds, began }) {
  const { items, cells, place } = shown;
  const here = Math.floor(place);
  const seen = cells.slice(here - BESIDE, here + BESIDE + 1);
  const from = BESIDE + (place - here);
  const stop = seen.length + PASSING;
  const to = stop + EDGE + within * (1 - 2 * EDGE);
  shown.cells = [...seen, ...some(items, PASSING), position, ...some(items, BESIDE)];
  Object.assign(shown, { place: to, stop, motion: { from, to, seconds, began } });
}

function some(items, count) {
  return Array.from({ length: count }, () => {
    let left = Math.random() * 100;
    const drawn = items.findIndex(({ width }) => (left -= chanceOf(width)) < 0);
    return drawn < 0 ? items.length - 1 : drawn;
  });
}

function stateOf(isTurning) {
  if (isTurning) return " is turning";
  return shown.stop === null ? "" : ` stopped at ${shown.items[shown.cells[shown.stop]].name}`;
}

/** The reel. Its style sheet moves the strip by `--cells`. */
export const reel = (name, isTurning) => html`
  <div id="reel" class="reel" role="img" aria-label="The reel of ${name}${stateOf(isTurning)}">
    <div class="strip" ${ref((strip) => move(strip, "--cells", shown.motion))}>
      ${shown.cells.map((position, place) => cell(shown.items[position], !isTurning && place === shown.stop))}
    </div>
  </div>`;

// A lazy picture would load only after its cell has moved into view.
const cell = ({ name, image, width }, isWon) => html`
  <div class="cell" data-rarity=${rarityOf(width)} ?data-won=${isWon}>
    ${picture("item", image, 72, "eager")}<span>${name}</span>
  </div>`;
