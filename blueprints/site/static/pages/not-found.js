// There is no page at this address.

import { html } from "../lit.js";

export const page = () => html`
  <h2 id="page-title" tabindex="-1">There is no page at this address</h2>
  <p>It may have moved, or the link is not complete. <a href="/">Go to the upgrader</a></p>`;
