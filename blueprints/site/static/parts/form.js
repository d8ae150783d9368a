// Forms and their fields. A form says below its fields what was done, or why not.

import { html, nothing } from "../lit.js";
import { centsOfText } from "../money.js";
import { getToken } from "../session.js";
import { update } from "../store.js";

/** Why a form was not sent, with the name of the field to change. */
export class FieldProblem extends Error {
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * Returns the view of a form, a function of its fields and of what its button says. `send(elements)` resolves with a
 * sentence, or with undefined if nothing was sent. It may reject with a FieldProblem. What was typed stays; with
 * `reload()`, which loads what the fields show, only until it was accepted.
 */
export function makeForm(id, send, reload) {
  let [isBusy, problem, said] = [false, "", ""];
  const show = (...now) => {
    [isBusy, problem = "", said = ""] = now;
    return update();
  };
  addEventListener("session", () => show(false));
  addEventListener("clear-messages", () => { if (!isBusy) show(false); });

  async function submit(event) {
    event.preventDefault();
    if (isBusy) return;
    const [form, owner] = [event.currentTarget, getToken()];
    dispatchEvent(new Event("clear-messages"));
    show(true);
    try {
      const done = await send(form.elements);
      if (getToken() !== owner) return;
      const isSent = done !== undefined;
      if (isSent) await reload?.();
      await show(false, "", done);
      if (isSent && reload) form.reset();
    } catch (failure) {
      if (getToken() !== owner) return;
      await show(false, failure.message.replace(/\.?$/, "."));
      form.elements[failure.field]?.focus();
    }
  }

  return (fields, accept) => html`<form id="${id}-form" class="setting" novalidate @submit=${submit}>
    ${fields}
    <p id="${id}-problem" class="problem" role="alert">${problem}</p>
    <p id="${id}-said" class="said" role="status">${said}</p>
    <button class="plain">${accept}</button>
  </form>`;
}

/** A field with its label. `input` is its template, with the same id. */
export const field = ({ id, label, unit, input, help }) => html`
  <div class="field">
    <label for=${id}>${label}${unit ? html` <span class="quiet">${unit}</span>` : nothing}</label>
    <div class="row">${input}</div>
    ${help ? html`<p id="${id}-help" class="quiet">${help}</p>` : nothing}
  </div>`;

/**
 * A field for a text in the form or the dialog `form`, whose problem describes it. `value` is what is stored, `most`
 * the number of characters, and `isFirst` gives it the focus in a dialog.
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

/** Cents of what was typed into a field; throws what to show at the field otherwise. */
export function readAmount(text, what) {
  const cents = centsOfText(text);
  if (cents === null) throw new Error(`${what} must be a number with at most two decimals`);
  return cents;
}
