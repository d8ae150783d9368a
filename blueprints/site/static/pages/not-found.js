// There is no page at this address.

import { html } from "../lit.js";

export const page = () => html`
  <p>It may have moved, or the link is not complete. <a href="/">Go to the upgrader</a></p>`;
