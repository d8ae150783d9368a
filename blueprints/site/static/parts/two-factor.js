// The dialog that asks for a two-factor code.

import { sendJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { openDialog } from "./dialog.js";
import { textField } from "./form.js";

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
