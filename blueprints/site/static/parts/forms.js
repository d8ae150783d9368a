// What a player can do on a page: forms and their fields, buttons, dialogs, and the code that confirms a request.
//
// Forms and buttons say in place what was done, or why not. When one begins, and when another page is opened, the
// window gets the event "clear-messages": what was said of earlier ones is no longer shown.

import { sendJson } from "../api.js";
import { centsOfText } from "../format.js";
import { html, nothing, render } from "../lit.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { namedButton } from "./elements.js";

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
 * `reload()`, which loads what the fields show, only until it was accepted. `kind` is the class of the button.
 */
export function makeForm(id, send, reload, kind = "plain") {
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
    <button class=${kind}>${accept}</button>
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
 * the number of characters, `beside` is a template after the field, and `isFirst` gives it the focus in a dialog.
 */
export function textField({ form, name, id = `${form}-${name}`, label, unit, help, value = "", most = 24, type = "text",
  mode = "text", complete = "off", capitals = "none", isFirst = false, beside = nothing }) {
  const input = html`<input id=${id} name=${name} type=${type} inputmode=${mode} maxlength=${most} value=${value}
    autocomplete=${complete} autocapitalize=${capitals} spellcheck="false" aria-describedby="${id}-help ${form}-problem"
    ?autofocus=${isFirst}>${beside}`;
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

/** Runs one action after the other, and shows what each one says in an element with the id `id`. */
export class Actions {
  #id;
  #reload;
  #said = "";
  #isRunning = false;

  /** `reload()` loads what an action may have changed. */
  constructor(id, reload = () => {}) {
    this.#id = id;
    this.#reload = reload;
    for (const event of ["session", "clear-messages"]) addEventListener(event, () => { this.#said = ""; });
  }

  /**
   * Await `action()`, which resolves with a sentence, or with undefined if the player has cancelled it. Then reload,
   * and show the sentence or why the action failed. While an action runs, others are ignored.
   */
  async run(action) {
    if (this.#isRunning) return;
    this.#isRunning = true;
    dispatchEvent(new Event("clear-messages"));
    const said = await action().catch((problem) => `${problem.message}.`);
    this.#isRunning = false;
    if (said === undefined) return;
    await this.#reload();
    this.#said = said;
    await update();
    // The button may be gone, and the focus with it.
    document.getElementById(this.#id)?.focus();
  }

  /** A button that runs an action, as namedButton. */
  button(text, action, of) {
    return namedButton(text, of, () => this.run(action));
  }

  view() {
    return html`<p id=${this.#id} class="said" role="status" tabindex="-1">${this.#said}</p>`;
  }
}

/**
 * Open a dialog. Resolves with what `send` resolved with, or without it with the value of the button; with undefined
 * when the player cancels.
 *
 * - `title`, `content`, `accept`: heading, template above the buttons, and the text of the button that accepts
 * - `send(form, value)`: called with the <form> and the value of the button. It may throw what to show as a problem.
 * - `explain(problem)`: the text of a problem; null closes the dialog, which then rejects
 * - `choices`: other buttons `[value, text]`, between those to cancel and to accept
 * - `isForced`: only the buttons close it, and there is none to cancel
 */
export function openDialog({ id, title, content, accept, send, explain = sentence, choices = [], isForced }) {
  const dialog = Object.assign(document.createElement("dialog"), { id, className: "panel" });
  dialog.setAttribute("aria-labelledby", `${id}-title`);
  // Escape closes none with `closedby="none"`, not even in browsers that do not know this attribute.
  if (isForced) dialog.setAttribute("closedby", "none");
  dialog.addEventListener("cancel", (event) => { if (isForced) event.preventDefault(); });
  const focusCancel = !isForced && !send;

  const draw = (problem = "", isBusy = false) => render(html`
    <form id="${id}-form" method="dialog" novalidate @submit=${accepted}>
      <h2 id="${id}-title" tabindex="-1" ?autofocus=${isForced}>${title}</h2>
      ${content}
      <p id="${id}-problem" class="problem" role="alert">${problem}</p>
      <p class="row ${isForced ? "equal" : ""}">
        ${isForced ? nothing : html`<button type="button" value="cancel" class="plain" ?autofocus=${focusCancel}
          @click=${() => dialog.close()}>Cancel</button>`}
        ${choices.map(([value, text]) => html`<button type="button" class="plain" ?disabled=${isBusy}
          @click=${({ target }) => submit(target.form, value)}>${text}</button>`)}
        <button id="${id}-accept" class="plain" ?disabled=${isBusy}>${accept}</button>
      </p>
    </form>`, dialog);

  const { promise, resolve, reject } = Promise.withResolvers();
  function accepted(event) {
    event.preventDefault();
    if (event.target.reportValidity()) submit(event.target, "accept");
  }
  let isSending = false;
  async function submit(form, value) {
    isSending = true;
    draw("", true);
    try {
      resolve(send ? await send(form, value) : value);
      dialog.close();
    } catch (problem) {
      isSending = false;
      // A player who has closed it meanwhile still learns what became of it.
      const text = dialog.open ? explain(problem) : null;
      if (text === null) {
        reject(problem);
        return dialog.close();
      }
      draw(text);
      form.querySelector("input")?.select();
    }
  }
  dialog.addEventListener("close", () => {
    if (!isSending) resolve(undefined);
    dialog.remove(); // It may have shown a secret.
  });
  draw();
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

const sentence = ({ message }) => `${message}.`;

/** Ask a question. Resolves with whether the player agrees. */
export const ask = (id, title, content, accept) => openDialog({ id, title, content, accept });

/** Close a dialog, or all: what was asked of one player must not be answered as another one. */
export function closeDialogs(selector = "dialog[open]") {
  for (const dialog of document.querySelectorAll(selector)) dialog.close();
}

// The request needs a two-factor code, and what is wrong with one.
const REQUIRED = "Two-factor code required";
const WRONG = {
  "Invalid 2FA code": "This code is wrong, or was used before. Your app shows a new one every 30 seconds.",
  "The code must be a text of 6 digits": "A code has six digits.",
  "The code must be a text of 6 digits, or a recovery code":
    "A code has six digits. A recovery code has twelve characters.",
  "Too many wrong 2FA codes": "There were too many wrong codes. Please try again later.",
};

const APP_CODE = "The six digits that your authenticator app shows.";
const ANY_CODE = "The six digits that your authenticator app shows, or a recovery code.";

/**
 * Send a request as sendJson does. If the server wants a two-factor code for it, ask the player for the code and send
 * the request again with it.
 */
export async function sendConfirmed(method, path, content, headers) {
  try {
    return await sendJson(method, path, content, headers);
  } catch (problem) {
    if (problem.message !== REQUIRED) throw problem;
    return askForCode({
      title: "Confirm with a code",
      text: "Your account is protected by two-factor authentication.",
      send: (code) => sendJson(method, path, content, { ...headers, "X-2FA-Code": code }),
    });
  }
}

/**
 * Ask for a code until `send(code)` accepts one; resolves with what it resolved with.
 *
 * `text` and the template `content` are shown above the field. With `appOnly`, a recovery code does not count.
 * Rejects when the player cancels, and when `send` rejects for another reason than the code.
 */
export async function askForCode({ title, text, content = nothing, accept = "Confirm", appOnly = false, send }) {
  const help = appOnly ? APP_CODE : ANY_CODE;
  const answer = await openDialog({
    id: "code-prompt",
    title,
    content: html`<p>${text}</p>${content}
      ${textField({ form: "code-prompt", name: "code", id: "code", label: "Code", help, complete: "one-time-code",
        isFirst: true })}`,
    accept,
    send: (form) => send(form.elements.code.value.trim()),
    explain: ({ message }) => WRONG[message] ?? null,
  });
  if (answer === undefined) throw new Error("No code was entered, so nothing has changed");
  return answer;
}
