// What the buttons of a section do. When an action begins, and when another page is opened, the window gets the event
// "clear-messages": what was said of earlier actions is no longer shown.

import { html } from "../lit.js";
import { update } from "../store.js";
import { namedButton } from "./elements.js";

/** Runs one action after the other, and shows what each one says in an element with the id `id`. */
export class Actions {
  #id;
  #reload;
  #said = "";
  #isRunning = false;

  /** `reload()` loads what an action may have changed. */
  constructor(id, reload = () => {}) {
    this.#id = id;
    this.#reload = reload;
    for (const event of ["session", "clear-messages"]) addEventListener(event, () => { this.#said = ""; });
  }

  /**
   * Await `action()`, which resolves with a sentence, or with undefined if the player has cancelled it. Then reload,
   * and show the sentence or why the action failed. While an action runs, others are ignored.
   */
  async run(action) {
    if (this.#isRunning) return;
    this.#isRunning = true;
    dispatchEvent(new Event("clear-messages"));
    const said = await action().catch((problem) => `${problem.message}.`);
    this.#isRunning = false;
    if (said === undefined) return;
    await this.#reload();
    this.#said = said;
    await update();
    // The button may be gone, and the focus with it.
    document.getElementById(this.#id)?.focus();
  }

  /** A button that runs an action, as namedButton. */
  button(text, action, of) {
    return namedButton(text, of, () => this.run(action));
  }

  view() {
    return html`<p id=${this.#id} class="said" role="status" tabindex="-1">${this.#said}</p>`;
  }
}
