// The reel: a strip of cells, one for each item that passes, which stops where the ticket says.

import { html, ref } from "../lit.js";
import { picture } from "../parts/elements.js";
import { move } from "./motion.js";

const PASSING = 50; // cells between the first and the last stop
const BESIDE = 8; // cells on each side of a stop, more than the reel shows
const EDGE = 0.02; // of a cell, where the marker never stops: it would seem to point at both cells

// The names of the style sheet for the items' colours, with the chance in percent that each begins below.
const RARITIES = [["legendary", 1], ["epic", 5], ["rare", 15], ["uncommon", 40], ["common", Infinity]];

// The items; which of them each cell shows, by their positions; where the marker is, in cells; and which cell has won.
const shown = { items: [], cells: [], place: 0, stop: null, motion: null };

/** The chance of an item in percent, from its width. */
export const chanceOf = (width) => Number(width) / 1e16;

export const rarityOf = (width) => RARITIES.find(([, below]) => chanceOf(width) < below)[0];

/** Show the items of a case, each `{ name, image, width }`, at rest. */
export function fillReel(items) {
  const place = BESIDE + 0.5;
  Object.assign(shown, { items, cells: some(items, 2 * BESIDE + 1), place, stop: null });
  shown.motion = { from: place, to: place, seconds: 0, began: 0 };
}

/** Turn to an item. The marker stops inside its cell, between the left edge (`within` is 0) and the right one (1). */
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

/** Cells at random with the chances of the items, so that rare ones are not shown more often than they are won. */
function some(items, count) {
  return Array.from({ length: count }, () => {
    let left = Math.random() * 100;
    const drawn = items.findIndex(({ width }) => (left -= chanceOf(width)) < 0);
    return drawn < 0 ? items.length - 1 : drawn;
  });
}

/** The reel. Its style sheet moves the strip by `--cells`. */
export function reel(name, isTurning) {
  const { items, cells, motion } = shown;
  const stop = isTurning ? null : shown.stop;
  const now = isTurning ? " is turning" : stop === null ? "" : ` stopped at ${items[cells[stop]].name}`;
  return html`
    <div id="reel" class="reel" role="img" aria-label="The reel of ${name}${now}">
      <div class="strip" ${ref((strip) => move(strip, "--cells", motion))}>
        ${cells.map((position, place) => cell(items[position], place === stop))}
      </div>
    </div>`;
}

// A lazy picture would load only after its cell has moved into view.
const cell = ({ name, image, width }, isWon) => html`
  <div class="cell" data-rarity=${rarityOf(width)} ?data-won=${isWon}>
    ${picture("item", image, 72, "eager")}<span>${name}</span>
  </div>`;
