// Using the promo code of another player, which can be done once.

import { sendJson } from "../api.js";
import { html } from "../lit.js";
import { openDialog, textField } from "./forms.js";

/** A code of the demo; undefined in production, and where there is none. */
export const { demoCode } = document.documentElement.dataset;

/** Ask for a promo code and use it; resolves with the server's sentence, or undefined when the player cancels. */
export const askForPromoCode = () => openDialog({
  id: "promo",
  title: "Enter a promo code",
  content: html`
    <p class="quiet">The code of another player gives you a bonus and the free case. You can use one code, and can't
      change it afterwards.</p>
    ${textField({ form: "promo", name: "code", label: "Promo code", capitals: "characters", isFirst: true,
      help: demoCode ? `In this demo, ${demoCode} is such a code.` : "" })}`,
  accept: "Use the code",
  send: async ({ elements }) =>
    (await sendJson("POST", "/affiliate/use-code", { code: elements.code.value.trim() })).message,
  explain: ({ message }) => message,
});
