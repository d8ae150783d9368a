// The field with the client seed of the next bet.

import { ClientSeed } from "./client-seed.js";
import { byId } from "./dom.js";
import { isClientSeed } from "./fairness.js";

/** `changed()` is called when the player changes the seed. */
export class SeedField {
  #seed = new ClientSeed();

  constructor(changed) {
    byId("client-seed").addEventListener("input", () => {
      this.#seed.type(byId("client-seed").value);
      changed();
    });
    byId("fresh").addEventListener("click", () => {
      this.draw();
      changed();
    });
  }

  get value() {
    return this.#seed.value;
  }

  /** The server has committed to its seed: a client seed chosen from now on is unknown to it. */
  committed(commitment) {
    this.#seed.committed(commitment);
    this.#show();
  }

  /** Choose a new seed at random. */
  draw() {
    this.#seed.draw();
    this.#show();
  }

  /** The server has this client seed already. */
  knownToServer(clientSeed) {
    this.#seed.knownToServer(clientSeed);
  }

  /** Record that the seed is sent. Returns whether the server can't have known it at this commitment. */
  send(commitment) {
    return this.#seed.send(commitment);
  }

  /** Why the server would refuse this seed, in words; null when it would accept it. */
  objection() {
    return isClientSeed(this.value) ? null : "The client seed must have 4 to 64 letters, digits, - or _.";
  }

  #show() {
    byId("client-seed").value = this.value;
  }
}
