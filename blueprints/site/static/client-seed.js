// The client seed of the next spin, and whether the server could have known it when it committed to its own.

import { freshClientSeed, isClientSeed } from "./fairness.js";

const SENT_KEY = "sent-client-seeds";
const MOST_SENT = 1_000;

/**
 * A new seed for each commitment, unless the player has typed one: that one counts for one spin. `show(value)` is
 * called with each seed that is chosen.
 */
export class ClientSeed {
  value = "";
  #show;
  #typed = false;
  #commitment = null;
  // The commitment that had arrived when the seed was chosen.
  #chosenAfter = null;
  // Every seed that this browser has sent, and that of the player's profile.
  #known = new Set(JSON.parse(localStorage.getItem(SENT_KEY) ?? "[]"));

  constructor(show) {
    this.#show = show;
  }

  /** A commitment has arrived. */
  committed(commitment) {
    if (commitment === this.#commitment) return;
    this.#commitment = commitment;
    if (!this.#typed) this.draw();
  }

  /** Choose a new seed at random. */
  draw() {
    this.#choose(freshClientSeed(), false);
  }

  /** Show the seed of a bet that has to be sent again. */
  show(value) {
    this.#choose(value, false);
  }

  /** Take what the player typed. An empty field is filled again with the next commitment. */
  type(value) {
    this.#choose(value, value !== "");
  }

  /** Record that the server has this seed. */
  knownToServer(value) {
    this.#known.add(value);
  }

  /**
   * Record that the seed is sent. Returns whether the server can't have known it at this commitment, or null if the
   * browser can't store it.
   */
  send(commitment) {
    const isSecret = this.#chosenAfter === commitment && !this.#known.has(this.value);
    const sent = [...this.#known, this.value].slice(-MOST_SENT);
    try {
      localStorage.setItem(SENT_KEY, JSON.stringify(sent));
    } catch {
      return null;
    }
    this.#known.add(this.value);
    this.#typed = false;
    return isSecret;
  }

  /** Why the server would refuse this seed, in words; null when it would accept it. */
  objection() {
    return isClientSeed(this.value) ? null : "The client seed must have 4 to 64 letters, digits, - or _.";
  }

  #choose(value, typed) {
    this.value = value;
    this.#typed = typed;
    this.#chosenAfter = this.#commitment;
    this.#show(value);
  }
}
