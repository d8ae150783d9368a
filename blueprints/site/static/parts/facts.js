// Small things of which pages are made.

import { html, nothing } from "../lit.js";

/** A part of a page with its heading. */
export const section = (id, title, content) => html`<section aria-labelledby="${id}-title">
  <h3 id="${id}-title">${title}</h3>
  ${content}
</section>`;

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

/** A button whose name for screen readers also says what it is for: `of`. */
export const namedButton = (text, of, clicked) => html`<button type="button" class="plain"
  aria-label=${`${text} ${of}`} @click=${clicked}>${text}</button>`;
