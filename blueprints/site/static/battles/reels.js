// The reels of a battle: one for each seat, which moves upwards, and one for a draw among teams.

import { html, ref } from "../lit.js";
import { picture } from "../parts/elements.js";
import { move } from "../game/motion.js";

/** The reel of a seat. `label` says what it is and what it shows. */
export const seatReel = (strip, motion, { isTurning, label }) => html`
  <div class="reel upright" role="img" aria-label=${label}>
    <div class="strip" ${ref((element) => move(element, "--cells", motion))}>
      ${strip.cells.map(({ name, image, rarity }, place) => html`
        <div class="cell" data-rarity=${rarity} ?data-won=${!isTurning && place === strip.stop}>
          ${picture("item", image, 64, "eager")}<span>${name}</span></div>`)}
    </div>
  </div>`;

/** The reel of a draw. `nameOf(team)` and `pictureOf(team)` are what its cells show. */
export const drawReel = (strip, motion, { isTurning, label, nameOf, pictureOf }) => html`
  <div class="reel" role="img" aria-label=${label}>
    <div class="strip" ${ref((element) => move(element, "--cells", motion))}>
      ${strip.cells.map(({ team }, place) => html`<div class="cell" data-team=${team}
        ?data-won=${!isTurning && place === strip.stop}>${pictureOf(team)}<span>${nameOf(team)}</span></div>`)}
    </div>
  </div>`;
