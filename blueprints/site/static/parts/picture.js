// Pictures beside a text that names them. They may be on any host.

import { html } from "../lit.js";

const FALLBACK = { item: "/media/neutral/item.webp", avatar: "/media/neutral/avatar.webp" };

function replaceMissing({ target }) {
  if (!target.src.endsWith(target.dataset.fallback)) target.src = target.dataset.fallback;
}

/** A picture, or a neutral one if it can't be loaded. `kind` is "item" or "avatar", `side` its width and height. */
export const picture = (kind, source, side, loading = "lazy") => html`<img alt="" loading=${loading} width=${side}
  height=${side} data-fallback=${FALLBACK[kind]} @error=${replaceMissing} src=${source ?? FALLBACK[kind]}>`;
