// The panel of the game: the view of one game at a time, and the button that plays it.

import { bringIntoView, byId, setContent } from "./dom.js";
import { explainRefusal } from "./refusals.js";

/** Show how a bet ended: `outcome` is "won", "lost" or "refused", or empty while there is none. */
export function showOutcome(text, outcome = "") {
  setContent("outcome", text);
  byId("game").dataset.outcome = outcome;
}

/**
 * Plays the bets of the game that is shown. A game has:
 *
 * - `noun`, what one bet is called; `view`, the id of its part of the panel; `stage`, the part that moves; `title`
 * - `action`, what its button says, as an element
 * - `objection(balanceCents)`, why the server would refuse its bet, in words; null when it would accept it
 * - `show()`, which draws it between bets
 * - `begin()`, its next bet for `Betting.place`
 * - `refused(reason)`, optional, called after a refusal
 */
export class Game {
  #betting;
  #active;
  #onRefused;

  /** `onRefused(reason)` is called when the server refuses a bet. */
  constructor({ betting, game, onRefused }) {
    this.#betting = betting;
    this.#active = game;
    this.#onRefused = onRefused;
  }

  /** Show a game. While a bet of another one is in progress, nothing changes. */
  select(game) {
    if (game === this.#active || this.#betting.inProgress) return;
    byId(this.#active.view).hidden = true;
    byId(game.view).hidden = false;
    this.#active = game;
    this.reset();
  }

  /** Forget the outcome that is shown. */
  reset() {
    showOutcome("");
    this.refresh();
  }

  /** Show the game, the balance, and whether a bet is possible, from what is known now. */
  refresh() {
    const objection = this.#objection();
    const { view, title, action } = this.#active;
    setContent("why-not", objection ?? "");
    setContent("game-title", title);
    setContent("spin", action);
    byId("spin").disabled = objection !== null;
    byId("game").dataset.view = view;
    byId("game").toggleAttribute("data-spinning", this.#betting.inProgress);
    if (this.#betting.inProgress) return;
    this.#betting.showBalance();
    this.#active.show();
  }

  /** Play the bet of the game that is shown. */
  async play() {
    if (this.#objection() !== null) return this.refresh();
    const game = this.#active;
    showOutcome("");
    bringIntoView(game.stage);
    const answer = await this.#betting.place(game.begin());
    if (!answer.status) {
      showOutcome(explainRefusal(game.noun, answer), "refused");
      this.#onRefused(answer.error);
      await game.refused?.(answer.error);
    }
    this.refresh();
  }

  #objection() {
    return this.#betting.objection() ?? this.#active.objection(this.#betting.balanceCents);
  }
}
