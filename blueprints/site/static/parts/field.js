// A field of a form with its label, and the problem with what was typed; and the options of a <select>.

import { html, nothing } from "../lit.js";

/** `input` is its template, which has the same id, and names `<id>-help` and `<id>-problem` in aria-describedby. */
export const field = ({ id, label, unit, input, help, problem }) => html`
  <div class="field">
    <label for=${id}>${label}${unit ? html` <span class="quiet">${unit}</span>` : nothing}</label>
    <div class="row">${input}</div>
    ${help === undefined ? nothing : html`<p id="${id}-help" class="quiet">${help}</p>`}
    ${problem === undefined ? nothing : html`<p id="${id}-problem" class="problem" role="alert">${problem}</p>`}
  </div>`;

/** Options from pairs of values and texts. */
export const options = (pairs, chosen) => pairs.map(([value, text]) =>
  html`<option value=${value} .selected=${value === chosen}>${text}</option>`);
