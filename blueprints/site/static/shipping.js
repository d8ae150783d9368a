// The dialog in which a player says where a prize is shipped to.

import { getJson, sendJson } from "./api.js";
import { byId, openDialog } from "./dom.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const NAMES = ["firstName", "lastName"];
const ADDRESS = ["addressLine1", "addressLine2", "city", "zipCode", "state", "country"];

/** `getToken()` returns the player's token. */
export class Shipping {
  #getToken;
  #prize = null;

  constructor(getToken) {
    this.#getToken = getToken;
    byId("shipping-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ship();
    });
    byId("shipping-cancel").addEventListener("click", () => byId("shipping").close());
  }

  /** Ask where to ship a prize `{ id, name }` to, and request it; resolves with whether it will be shipped. */
  async ask(prize) {
    this.#prize = prize;
    byId("shipping-title").textContent = `Ship ${prize.name}`;
    await this.#fill();
    return (await openDialog("shipping")) === "shipped";
  }

  /** Fill the form with the details of the player's profile. */
  async #fill() {
    byId("shipping-problem").textContent = "";
    try {
      const { data } = await getJson("/profile/details", { token: this.#getToken() });
      const known = { ...data, ...data.shippingAddress };
      for (const field of [...NAMES, ...ADDRESS]) this.#input(field).value = known[field];
    } catch (problem) {
      byId("shipping-problem").textContent = `Your address could not be loaded: ${problem.message}`;
    }
  }

  /** Store the address in the profile, then ask for the prize to be shipped. */
  async #ship() {
    const token = this.#getToken();
    const valuesOf = (fields) => Object.fromEntries(fields.map((field) => [field, this.#input(field).value]));
    const button = byId("shipping-accept");
    button.disabled = true;
    byId("shipping-problem").textContent = "";
    try {
      await sendJson("PUT", "/profile/details", {
        token,
        content: { ...valuesOf(NAMES), shippingAddress: valuesOf(ADDRESS) },
      });
      await sendConfirmed("POST", `/prizes/${this.#prize.id}/ship`, { token });
      byId("shipping").close("shipped");
    } catch (problem) {
      byId("shipping-problem").textContent = `${problem.message}.`;
    } finally {
      button.disabled = false;
    }
  }

  #input(field) {
    return byId("shipping-form").elements[field];
  }
}
