// The reel: a strip of cells, one for each item that passes, which stops where the ticket says.

import { make, picture } from "./dom.js";
import { decelerate } from "./motion.js";
import { chanceOf, rarityOf } from "./tickets.js";

const PASSING = 50; // cells between the first and the last stop
const BESIDE = 8; // cells on each side of a stop, more than the reel shows
const EDGE = 0.02; // of a cell, where the marker never stops: it would seem to point at both cells

/** The element of the reel, with a `.strip` inside. Its style sheet moves the strip by `--cells`. */
export class Reel {
  #strip;
  #items = [];
  // Which items the strip shows, as positions in the list of items, and which cell the marker is in.
  #cells = [];
  #place = 0;

  constructor(element) {
    this.#strip = element.querySelector(".strip");
  }

  /** Show the items of a case, each `{ name, image, width }`, at rest. */
  fill(items) {
    this.#items = items;
    this.#draw(this.#some(2 * BESIDE + 1));
    this.#place = BESIDE + 0.5;
    this.#strip.style.setProperty("--cells", this.#place);
  }

  /**
   * Turn to an item, as if the reel had begun `elapsed` seconds ago; resolves when it has stopped. The marker stops
   * inside the item's cell, between its left edge (`within` is 0) and its right one (1).
   *
   * The other cells are drawn at random with the chances of the items, so that the reel does not show rare items
   * more often than they are won.
   */
  async spinTo({ position, within }, { seconds, elapsed }) {
    const here = Math.floor(this.#place);
    const seen = this.#cells.slice(here - BESIDE, here + BESIDE + 1);
    const from = BESIDE + (this.#place - here);
    const stop = seen.length + PASSING;
    const to = stop + EDGE + within * (1 - 2 * EDGE);
    this.#draw([...seen, ...this.#some(PASSING), position, ...this.#some(BESIDE)]);
    this.#place = to;
    await decelerate(this.#strip, "--cells", { from, to, seconds, elapsed });
    this.#strip.children[stop].dataset.won = "";
  }

  #draw(cells) {
    this.#cells = cells;
    this.#strip.replaceChildren(...cells.map((position) => cell(this.#items[position])));
  }

  #some(count) {
    return Array.from({ length: count }, () => {
      let left = Math.random() * 100;
      const drawn = this.#items.findIndex(({ width }) => (left -= chanceOf(width)) < 0);
      return drawn < 0 ? this.#items.length - 1 : drawn;
    });
  }
}

function cell({ name, image, width }) {
  // A lazy picture would load only after its cell has moved into view.
  const loaded = Object.assign(picture("item", image, 72), { loading: "eager" });
  const drawn = make("div", { className: "cell" }, loaded, make("span", {}, name));
  drawn.dataset.rarity = rarityOf(width);
  return drawn;
}
