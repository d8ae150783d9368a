// Forms that say below their fields what was done, or why not.

import { html } from "../lit.js";
import { update } from "../store.js";
import { field } from "./field.js";

/**
 * Returns the view of a form, a function of its fields and of what its button says. `send(elements)` resolves with a
 * sentence, or with undefined if nothing was sent. What was typed stays; with `reload()`, which loads what the fields
 * show, only until it was accepted.
 */
export function makeForm(id, send, reload) {
  let [isBusy, problem, said] = [false, "", ""];
  const show = (...now) => {
    [isBusy, problem = "", said = ""] = now;
    return update();
  };
  addEventListener("session", () => show(false));

  async function submit(event) {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    show(true);
    try {
      const done = await send(form.elements);
      if (done) await reload?.();
      await show(false, "", done);
      if (done && reload) form.reset();
    } catch (failure) {
      show(false, `${failure.message}.`);
    }
  }

  return (fields, accept) => html`<form id="${id}-form" class="setting" novalidate @submit=${submit}>
    ${fields}
    <p id="${id}-problem" class="problem" role="alert">${problem}</p>
    <p id="${id}-said" class="said" role="status">${said}</p>
    <button class="plain">${accept}</button>
  </form>`;
}

/** A field of such a form: `form` is its id, `value` what is stored, `most` the number of characters. */
export function textField({ form, name, label, unit, help, value = "", most = 24, type = "text", mode = "text" }) {
  const id = `${form}-${name}`;
  const input = html`<input id=${id} name=${name} type=${type} inputmode=${mode} maxlength=${most} value=${value}
    autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${id}-help ${form}-problem">`;
  return field({ id, label, unit, help, input });
}
