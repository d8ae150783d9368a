// The dialog that asks for a two-factor code.

import { sendJson } from "./api.js";
import { byId, make, openDialog } from "./dom.js";

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
 * `text` and the elements of `content` are shown above the field. With `appOnly`, a recovery code does not count.
 * Rejects when the player cancels, and when `send` rejects for another reason than the code.
 */
export async function askForCode({ title, text, content = [], accept = "Confirm", appOnly = false, send }) {
  byId("code-title").textContent = title;
  byId("code-content").replaceChildren(make("p", {}, text), ...content);
  byId("code-help").textContent = appOnly ? APP_CODE : ANY_CODE;
  byId("code-accept").textContent = accept;
  byId("code-accept").disabled = false;
  byId("code").value = "";
  byId("code-problem").textContent = "";

  let sending = null;
  byId("code-form").onsubmit = async (event) => {
    event.preventDefault();
    byId("code-accept").disabled = true;
    byId("code-problem").textContent = "";
    sending = send(byId("code").value.trim());
    try {
      await sending;
      byId("code-prompt").close();
    } catch (problem) {
      if (!(problem.message in WRONG)) return byId("code-prompt").close();
      sending = null;
      byId("code-accept").disabled = false;
      byId("code-problem").textContent = WRONG[problem.message];
      byId("code").select();
    }
  };
  await openDialog("code-prompt");
  byId("code-content").replaceChildren(); // It may be a secret.
  if (!sending) throw new Error("No code was entered, so nothing has changed");
  return sending;
}
