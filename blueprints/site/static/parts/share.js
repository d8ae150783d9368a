// Sharing the page of a bet, /b/ID.

import { html } from "../lit.js";
import { update } from "../store.js";

let copied = ""; // the id and the name of the bet whose link was copied last

/** Offer the link to other apps on a phone, and copy it elsewhere. Where neither works, open the page itself. */
async function share(id, name) {
  const url = `${location.origin}/b/${id}`;
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) return await navigator.share({ url });
    await navigator.clipboard.writeText(url);
    copied = id + name;
    update();
  } catch (problem) {
    if (problem.name !== "AbortError") open(url);
  }
}

/** `name` says which bet it is, and differs from those of other buttons. */
export function shareButton(id, name) {
  const said = copied === id + name ? "Link copied" : "";
  return html`<button type="button" class="plain share" aria-label="Share ${name}"
    @click=${() => share(id, name)}>${said || "Share"}</button><span class="unseen" role="status">${said}</span>`;
}
