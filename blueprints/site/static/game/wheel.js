// The dial: a winning zone from the top clockwise, and a needle that stops at the roll.

import { html, ref } from "../lit.js";
import { move } from "./motion.js";

const TURNS = 5;

let percent = 0;
let motion = null;

/** Turn the needle to a roll, in percent. */
export function turnWheel(rolled, { seconds, began }) {
  const from = percent - 100 * (rolled < percent ? TURNS + 1 : TURNS);
  percent = rolled;
  motion = { from: `${from / 100}turn`, to: `${rolled / 100}turn`, seconds, began };
}

/** The wheel, with the zone from 0 to `chance` percent painted as the one that wins. `now` says how it is. */
export const wheel = (chance, now) => html`
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
