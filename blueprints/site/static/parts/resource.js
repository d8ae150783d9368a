// Something that a page loads.

import { getOwn } from "../api.js";
import { html, nothing } from "../lit.js";
import { update } from "../store.js";
import { status } from "./elements.js";

/**
 * What `load(signal, ...)` resolves with, as `value`; null until then. `problem` is why the last try failed. A later
 * `load` aborts an earlier one. What is loaded is forgotten when another player signs in. What could not be loaded is
 * tried again when the connection is back.
 */
export class Resource {
  value = null;
  problem = "";
  isLoading = false;
  #load;
  #what = [];
  #aborting = new AbortController();

  constructor(load) {
    this.#load = load;
    addEventListener("session", () => this.clear());
    addEventListener("reconnected", () => { if (this.problem) this.load(...this.#what); });
  }

  /** Load it. Resolves when it is drawn, whether it was loaded or not. */
  async load(...what) {
    const signal = this.expect();
    this.#what = what;
    try {
      const value = await this.#load(signal, ...what);
      if (signal.aborted) return;
      Object.assign(this, { value, problem: "" });
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem.message;
    }
    this.isLoading = false;
    await update();
  }

  /** Something else is going to be loaded: what is being loaded must not be shown any more. Returns the next signal. */
  expect() {
    this.#aborting.abort();
    this.#aborting = new AbortController();
    this.isLoading = true;
    update();
    return this.#aborting.signal;
  }

  clear() {
    this.expect();
    Object.assign(this, { value: null, problem: "", isLoading: false });
  }

  /** Whether there is nothing to show yet, not even a problem (`skeletons` keep the place of what will come). */
  get isFirst() {
    return this.value === null && !this.problem;
  }

  /** The note while there is nothing to show: "Loading…", or that `what` could not be loaded; "" otherwise. */
  note(what) {
    if (this.problem) return `${what} could not be loaded: ${this.problem}`;
    return this.value === null ? "Loading…" : "";
  }

  /** The note with the id `id`, and `template(value)` once it is loaded. */
  view(id, what, template) {
    return html`${status(id, this.note(what))}${this.value === null ? nothing : template(this.value)}`;
  }
}

/** What the player is answered at a path, or a list of the answers at several paths. */
export const ownResource = (...paths) => new Resource(async (signal) => {
  const answers = await Promise.all(paths.map((path) => getOwn(path, { signal })));
  return paths.length > 1 ? answers : answers[0];
});
