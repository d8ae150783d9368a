// Forms that say below their fields what was done, or why not.

import { html } from "../lit.js";
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

  async function submit(event) {
    event.preventDefault();
    if (isBusy) return;
    const [form, owner] = [event.currentTarget, getToken()];
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
