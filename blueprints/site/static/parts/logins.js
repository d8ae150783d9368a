// A link for each way to sign in.

import { html } from "../lit.js";
import { startLogin } from "../session.js";
import { state } from "../store.js";

const PROVIDERS = { platform: "the game platform", identity: "your identity provider" };

/** The links, none on a server without a provider. `kind` is their class. */
export const logins = (kind = "plain") => Object.keys(PROVIDERS).filter((provider) => state.logins[provider])
  .map((provider) => html`<a class=${kind} href=${state.logins[provider]} @click=${startLogin}>Sign in with ${
    PROVIDERS[provider]}</a> `);
