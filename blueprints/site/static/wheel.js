// The dial: a winning zone from the top clockwise, and a needle that stops at the roll.

import { decelerate } from "./motion.js";

const TURNS = 5;
const DEGREES_PER_PERCENT = 3.6;

/** The `<svg>` with a `.zone` whose path length is 100, and a `.needle`. */
export class Wheel {
  #svg;
  #zone;
  #needle;
  #percent = 0;

  constructor(svg) {
    this.#svg = svg;
    this.#zone = svg.querySelector(".zone");
    this.#needle = svg.querySelector(".needle");
  }

  /** Paint the zone that wins: from 0 to this percentage. */
  showChance(percent) {
    this.#zone.setAttribute("stroke-dasharray", `${percent} 100`);
    this.#zone.classList.toggle("empty", percent === 0);
  }

  /** Turn the needle to the roll; resolves when it has stopped. */
  spinTo(percent, seconds) {
    const from = this.#percent;
    const distance = TURNS * 100 + ((percent - from + 100) % 100);
    this.#percent = percent;
    return decelerate(seconds, (progress) => this.#point(progress === 1 ? percent : from + distance * progress));
  }

  #point(percent) {
    const { x, y, width, height } = this.#svg.viewBox.baseVal;
    const degrees = (percent * DEGREES_PER_PERCENT) % 360;
    this.#needle.setAttribute("transform", `rotate(${degrees} ${x + width / 2} ${y + height / 2})`);
  }
}
