// Grey shapes in the place of what is still being loaded, so that nothing moves when it comes.

import { html } from "../lit.js";

/** This many entries of a list. `kind` is "row", or "card" for what has a picture above its text. */
export const skeletons = (count, kind = "row") =>
  Array.from({ length: count }, () => html`<li class="skeleton ${kind}" aria-hidden="true"></li>`);
