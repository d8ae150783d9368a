// Dialogs: a question, or a form whose problem is shown in place until the server accepts it.

import { html, nothing, render } from "../lit.js";

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
