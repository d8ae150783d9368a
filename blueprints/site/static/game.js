// The panel of the game: the view of one game at a time, and the button that plays it.

import { bringIntoView, byId, make, setContent } from "./dom.js";
import { nameOf } from "./evidence.js";
import { coins, format } from "./money.js";
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
 * - `begin()`, its next bet for `Betting.begin`
 * - `restore(attempt)`, which shows a bet that was sent before
 * - `bet(attempt)`, how a bet moves and ends, for `Betting.play`
 * - `refused(reason)`, optional, called after a refusal
 */
export class Game {
  #betting;
  #gameOf;
  #active;
  #onRefused;

  /** `gameOf(attempt)` returns the game of a bet. `onRefused(reason)` is called when the server refuses a bet. */
  constructor({ betting, game, gameOf, onRefused }) {
    this.#betting = betting;
    this.#active = game;
    this.#gameOf = gameOf;
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
    const open = this.#betting.inProgress ? null : this.#betting.open;
    setContent("why-not", objection ?? (open ? whyAgain(open) : ""));
    setContent("game-title", title);
    setContent("spin", open ? make("span", {}, "Try again for ", coins(open.costCents)) : action);
    byId("spin").disabled = objection !== null;
    byId("client-seed").readOnly = byId("fresh").disabled = open !== null;
    byId("game").dataset.view = view;
    byId("game").toggleAttribute("data-spinning", this.#betting.inProgress);
    if (this.#betting.inProgress) return;
    this.#betting.showBalance();
    this.#active.show();
  }

  /** Play the bet of the game that is shown, or the one that has to be sent again. */
  async play() {
    if (this.#objection() !== null) return this.refresh();
    const attempt = this.#betting.open ?? this.#betting.begin(this.#active.begin());
    if (attempt) await this.send(attempt);
    else showOutcome("The bet was not sent, because this browser does not store what proves it.", "refused");
  }

  /** Send a bet, perhaps one of before the page was loaded, and show how it ends. */
  async send(attempt) {
    const game = this.#gameOf(attempt);
    game.restore(attempt);
    this.select(game);
    showOutcome("");
    bringIntoView(game.stage);
    const answer = await this.#betting.play(attempt, game.bet(attempt));
    if (!answer.status) {
      showOutcome(explainRefusal(game.noun, answer), "refused");
      this.#onRefused(answer.error);
      await game.refused?.(answer.error);
    }
    this.refresh();
  }

  #objection() {
    const objection = this.#betting.objection();
    if (objection || this.#betting.open) return objection;
    return this.#active.objection(this.#betting.balanceCents);
  }
}

const whyAgain = (attempt) =>
  `${nameOf(attempt)} for ${format(attempt.costCents)} coins (${attempt.display.what}) is not settled. It is sent` +
  " again as it was: with new seeds, the server could refuse bets until one loses.";
