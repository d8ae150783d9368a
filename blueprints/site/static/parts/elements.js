// Small elements of which pages and games are made.

import { sendJson } from "../api.js";
import { centsOfPrice, format, formatSigned } from "../format.js";
import { html, nothing } from "../lit.js";
import { isTrial, PROVIDERS, setToken, startLogin } from "../session.js";
import { notify, state, update } from "../store.js";

// An amount has a coin before it, and the word for screen readers.
const amount = (text) => html`<span class="coins">${text}<span class="unseen"> coins</span></span>`;

export const coins = (cents) => amount(format(cents));

/** A profit or a loss, with its sign. */
export const signedCoins = (cents) => amount(formatSigned(cents));

const FALLBACK = { item: "/media/neutral/item.webp", avatar: "/media/neutral/avatar.webp" };

/** Pictures may be on any host, and missing. */
function replaceMissing({ target }) {
  if (!target.src.endsWith(target.dataset.fallback)) target.src = target.dataset.fallback;
}

/** A picture beside a text that names it. `kind` is "item" or "avatar", `side` its width and height. */
export const picture = (kind, source, side, loading = "lazy") => html`<img alt="" loading=${loading} width=${side}
  height=${side} data-fallback=${FALLBACK[kind]} @error=${replaceMissing} src=${source ?? FALLBACK[kind]}>`;

/** The dearest item of a case as it is listed; undefined without items. */
export const dearestOf = (items) => items.toSorted((one, other) => centsOf(other) - centsOf(one))[0];

const centsOf = ({ price }) => (price === null ? 0 : centsOfPrice(price));

/** What shows a case: its own picture, or its dearest item, which is then drawn in a crate. */
export const faceOf = ({ image, items }) => ({ image: image ?? dearestOf(items)?.image, isOwn: Boolean(image) });

/** The picture of a case beside a text that names it. */
export const casePicture = ({ image, isOwn }, side) =>
  html`<span class="face-of-case ${isOwn ? "" : "crate"}">${picture("item", image, side)}</span>`;

/** A part of a page with its heading. */
export const section = (id, title, content) => html`<section aria-labelledby="${id}-title">
  <h3 id="${id}-title">${title}</h3>
  ${content}
</section>`;

/** A note as a live region. */
export const status = (id, text) => html`<p id=${id} class="quiet" role="status">${text}</p>`;

/** Grey shapes of a list that is being loaded, so that nothing moves when it comes: `kind` is "row" or "card". */
export const skeletons = (count, kind = "row") =>
  Array.from({ length: count }, () => html`<li class="skeleton ${kind}" aria-hidden="true"></li>`);

/** What an entry of a list is about, with notes below it. Empty notes are left out. */
export const named = (name, ...notes) => html`<div class="name">${name}${
  notes.map((note) => (note ? html`<p class="quiet">${note}</p>` : nothing))}</div>`;

/** Pairs of terms and values: `kind` is "values", to compare and to copy, or "amounts". */
export const values = (pairs, kind = "values") => html`<dl class=${kind}>
  ${pairs.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;

/** A list of checks `{ text, passed }`; null is one that can't be made. */
export const checks = (list) => html`<ul class="checks">${list.map(({ text, passed }) =>
  passed === null ? html`<li>? ${text}</li>`
  : html`<li class=${passed ? "passed" : "failed"}>${passed ? "✓" : "✗"} ${text}</li>`)}</ul>`;

/** A link that saves a text, which `textOf()` returns when it is followed, as a file. */
export const saveLink = (label, name, textOf) => html`<a href="#" download=${name}
  @click=${({ currentTarget }) => { currentTarget.href = URL.createObjectURL(new Blob([textOf()])); }}>${label}</a>`;

/** A button whose name for screen readers may also say what it is for: `of`. */
export const namedButton = (text, of, clicked) => html`<button type="button" class="plain"
  aria-label=${of ? `${text} ${of}` : nothing} @click=${clicked}>${text}</button>`;

/**
 * The links, none on a server without a provider, and the button of the demo on a server that is not in production.
 * `kind` is their class.
 */
export const logins = (kind = "plain") => [
  isTrial ? html`<button type="button" class="${kind || "link"} demo" @click=${playDemo}>Play the demo</button> ` : nothing,
  ...Object.keys(PROVIDERS).filter((provider) => state.logins[provider])
    .map((provider) => html`<a class=${kind} href=${state.logins[provider]} @click=${startLogin}>Sign in <span
      class="provider">with ${PROVIDERS[provider]}</span></a> `),
];

async function playDemo() {
  try {
    setToken((await sendJson("POST", "/demo/session")).token);
  } catch ({ message }) {
    notify(`You are not signed in: ${message}.`);
  }
}

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
