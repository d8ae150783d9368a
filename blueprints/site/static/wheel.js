// The dial: a winning zone from the top clockwise, and a needle that stops at the roll.

import { decelerate } from "./motion.js";

const TURNS = 5;

/** The `<svg>` with a `.zone` whose path length is 100, and a `.needle`. */
export class Wheel {
  #zone;
  #needle;
  #percent = 0;

  constructor(svg) {
    this.#zone = svg.querySelector(".zone");
    this.#needle = svg.querySelector(".needle");
  }

  /** Paint the zone that wins: from 0 to this percentage. */
  showChance(percent) {
    this.#zone.setAttribute("stroke-dasharray", `${percent} 100`);
    this.#zone.classList.toggle("empty", percent === 0);
  }

  /** Turn the needle to the roll, as if it had begun `elapsed` seconds ago; resolves when it has stopped. */
  spinTo(percent, { seconds, elapsed }) {
    const from = this.#percent - 100 * (percent < this.#percent ? TURNS + 1 : TURNS);
    this.#percent = percent;
    const turn = { from: `${from / 100}turn`, to: `${percent / 100}turn` };
    return decelerate(this.#needle, "rotate", { ...turn, seconds, elapsed });
  }
}
