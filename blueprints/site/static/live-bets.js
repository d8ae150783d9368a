// The feed of everybody's bets whose wheel has stopped, newest first.

import { make, picture } from "./dom.js";
import { centsOfCoins, format } from "./money.js";

const MOST = 10;
const NEUTRAL_AVATAR = "/media/neutral/avatar.webp";

/** Fills a `<tbody>`; `empty` is shown while there is nothing to list. */
export class LiveBets {
  #rows;
  #empty;
  #bets = [];

  constructor(rows, empty) {
    this.#rows = rows;
    this.#empty = empty;
  }

  replace(bets) {
    this.#bets = bets;
    this.#draw();
  }

  add(bet) {
    this.#bets = [bet, ...this.#bets.filter(({ id }) => id !== bet.id)];
    this.#draw();
  }

  #draw() {
    this.#bets = this.#bets.slice(0, MOST);
    this.#rows.replaceChildren(...this.#bets.map(row));
    this.#empty.hidden = this.#bets.length > 0;
  }
}

function row(bet) {
  const won = bet.payout > 0;
  const player = make("td", { className: "player" }, picture(bet.pfp, NEUTRAL_AVATAR, 28), make("span", {}, bet.user));
  return make(
    "tr",
    { className: won ? "won" : "lost" },
    player,
    make("td", {}, format(centsOfCoins(bet.wager))),
    make("td", {}, won ? `${bet.multiplier.toFixed(2)}×` : "–"),
    make("td", { className: "payout" }, format(centsOfCoins(bet.payout))),
    make("td", { className: "when" }, new Date(bet.date).toLocaleTimeString()),
  );
}
