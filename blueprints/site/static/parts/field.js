// Fields of forms.

import { html, nothing } from "../lit.js";

/** A field with its label. `input` is its template, with the same id. */
export const field = ({ id, label, unit, input, help }) => html`
  <div class="field">
    <label for=${id}>${label}${unit ? html` <span class="quiet">${unit}</span>` : nothing}</label>
    <div class="row">${input}</div>
    ${help ? html`<p id="${id}-help" class="quiet">${help}</p>` : nothing}
  </div>`;

/**
 * A field for a text in the form or the dialog `form`, whose problem describes it. `value` is what is stored, `most` the
 * number of characters, and `isFirst` gives it the focus in a dialog.
 */
export function textField({ form, name, id = `${form}-${name}`, label, unit, help, value = "", most = 24, type = "text",
  mode = "text", complete = "off", capitals = "none", isFirst = false }) {
  const input = html`<input id=${id} name=${name} type=${type} inputmode=${mode} maxlength=${most} value=${value}
    autocomplete=${complete} autocapitalize=${capitals} spellcheck="false" aria-describedby="${id}-help ${form}-problem"
    ?autofocus=${isFirst}>`;
  return field({ id, label, unit, help, input });
}

/** The options of a <select> from pairs of values and texts, or groups of them with their labels. */
export const options = (pairs, chosen) => pairs.map(([value, text]) => (Array.isArray(text)
  ? html`<optgroup label=${value}>${options(text, chosen)}</optgroup>`
  : html`<option value=${value} .selected=${value === chosen}>${text}</option>`));
