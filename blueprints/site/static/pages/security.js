// The logins of the account, two-factor authentication, recovery codes, and logging out everywhere.

import { sendJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { named, saveLink } from "../parts/elements.js";
import { Actions, ask, askForCode, openDialog, sendConfirmed } from "../parts/forms.js";
import { ownResource } from "../parts/lists.js";
import { loadPlayer } from "../player.js";
import { PROVIDERS, signOut } from "../session.js";
import { state } from "../store.js";

const twoFactor = ownResource("/profile/2fa/status");
const load = () => Promise.all([twoFactor.load(), loadPlayer()]);
const actions = new Actions("security-said", load);

export const enter = load;

export const page = () => html`
  ${actions.view()}
  ${twoFactor.view("security-note", "Your account", ({ enabled: isOn }) => html`<ul class="lines parts">
    <li>
      ${named(`Two-factor authentication: ${isOn ? "on" : "off"}`,
        "A code of an authenticator app confirms what could harm you.")}
      ${isOn ? actions.button("Turn off", turnOff, "two-factor authentication")
        : actions.button("Turn on", turnOn, "two-factor authentication")}
    </li>
    ${isOn ? html`<li>
      ${named("Recovery codes", "Each works once in place of a code, if you lose your authenticator app.")}
      ${actions.button("Draw", drawRecoveryCodes, "new recovery codes")}
    </li>` : nothing}
    ${state.player ? Object.entries(PROVIDERS).map(loginLine) : nothing}
    <li>
      ${named("Sessions", "Ends every session of your account, on all devices, this one too.")}
      ${actions.button("Log out everywhere", logOutEverywhere)}
    </li>
  </ul>`)}`;

/** Whether the player can sign in with a provider. Nothing for one that neither the server nor the account has. */
function loginLine([provider, name]) {
  const isLinked = state.player.logins.includes(provider);
  if (!isLinked && !state.logins[provider]) return nothing;
  return html`<li>
    ${named(`Sign in with ${name}: ${isLinked ? "on" : "off"}`, isLinked ? "" : "It will lead to this account.")}
    ${isLinked ? actions.button("Remove", () => remove(provider, name), `the login with ${name}`)
      : actions.button("Link", () => link(provider), `a login with ${name}`)}
  </li>`;
}

async function link(provider) {
  const { url } = await sendConfirmed("POST", "/auth/link", { provider });
  location.assign(url);
  return "You are sent to the provider.";
}

async function remove(provider, name) {
  const isSure = await ask("remove-login", `Remove the login with ${name}?`, html`
    <p>You can't sign in with ${name} any more then. Whoever is signed in stays so, until you log out everywhere.</p>`,
  "Remove");
  if (!isSure) return undefined;
  await sendConfirmed("DELETE", `/auth/link/${provider}`);
  return `The login with ${name} is removed.`;
}

async function turnOn() {
  const { secret, qrCode } = await sendJson("POST", "/profile/2fa/setup");
  await askForCode({
    title: "Turn on two-factor authentication",
    text: "Scan this QR code with an authenticator app, or type the secret into it.",
    content: html`
      <img class="qr" src=${qrCode} alt="The secret as a QR code" width="200" height="200">
      <p><code id="secret">${secret}</code></p>`,
    accept: "Turn on",
    appOnly: true,
    send: (code) => sendJson("POST", "/profile/2fa/enable", { code }),
  });
  return "Two-factor authentication is on. Draw recovery codes now, in case you lose your authenticator app.";
}

async function turnOff() {
  await askForCode({
    title: "Turn off two-factor authentication?",
    text: "Your recovery codes are deleted with it.",
    accept: "Turn off",
    send: (code) => sendJson("POST", "/profile/2fa/disable", { code }),
  });
  return "Two-factor authentication is off.";
}

async function drawRecoveryCodes() {
  const { codes } = await askForCode({
    title: "Draw ten new recovery codes",
    text: "The codes that you have drawn before stop working.",
    accept: "Draw",
    appOnly: true,
    send: (code) => sendJson("POST", "/profile/2fa/recovery-codes", { code }),
  });
  await openDialog({
    id: "recovery-dialog",
    title: "Your new recovery codes",
    content: html`
      <p>Store these codes now, in a safe place and not only on the device with your authenticator app: they are not
        shown again. Each works once.</p>
      <ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <p>${saveLink("Save as a file", "recovery-codes.txt", () => `${codes.join("\n")}\n`)}</p>`,
    accept: "I have stored them",
    isForced: true,
  });
  return "You have new recovery codes.";
}

async function logOutEverywhere() {
  await sendJson("POST", "/auth/logout-all");
  signOut("You have been logged out everywhere.");
}
