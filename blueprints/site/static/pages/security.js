// Two-factor authentication, recovery codes, and logging out everywhere.

import { makeActions } from "./actions.js";
import { sendJson } from "./api.js";
import { byId, make, openDialog } from "./dom.js";
import { askForCode } from "./two-factor-prompt.js";

/** The section. */
export class AccountSecurity {
  /** `redraw()` loads and draws the tab anew. `onLogout()` is called when the player has logged out everywhere. */
  constructor({ redraw, onLogout }) {
    const act = makeActions("security-said", redraw);
    byId("two-factor-on").addEventListener("click", () => act(() => this.#turnOn()));
    byId("two-factor-off").addEventListener("click", () => act(() => this.#turnOff()));
    byId("new-recovery-codes").addEventListener("click", () => act(() => this.#drawRecoveryCodes()));
    byId("logout-all").addEventListener("click", () => act(async () => {
      await sendJson("POST", "/auth/logout-all");
      onLogout();
      return "";
    }));
  }

  /** Draw `/profile/2fa/status`. */
  draw({ enabled }) {
    byId("two-factor-state").textContent = enabled ? "on" : "off";
    byId("two-factor-on").hidden = enabled;
    byId("two-factor-off").hidden = !enabled;
    byId("recovery").hidden = !enabled;
  }

  async #turnOn() {
    const { secret, qrCode } = await sendJson("POST", "/profile/2fa/setup");
    await askForCode({
      title: "Turn on two-factor authentication",
      text: "Scan this QR code with an authenticator app, or type the secret into it.",
      content: [
        make("img", { className: "qr", src: qrCode, alt: "The secret as a QR code", width: 200, height: 200 }),
        make("p", {}, make("code", { id: "secret" }, secret)),
      ],
      accept: "Turn on",
      appOnly: true,
      send: (code) => sendJson("POST", "/profile/2fa/enable", { code }),
    });
    return "Two-factor authentication is on. Draw recovery codes now, in case you lose your authenticator app.";
  }

  async #turnOff() {
    await askForCode({
      title: "Turn off two-factor authentication?",
      text: "Your recovery codes are deleted with it.",
      accept: "Turn off",
      send: (code) => sendJson("POST", "/profile/2fa/disable", { code }),
    });
    return "Two-factor authentication is off.";
  }

  async #drawRecoveryCodes() {
    const { codes } = await askForCode({
      title: "Draw ten new recovery codes",
      text: "The codes that you have drawn before stop working.",
      accept: "Draw",
      appOnly: true,
      send: (code) => sendJson("POST", "/profile/2fa/recovery-codes", { code }),
    });
    byId("recovery-codes").replaceChildren(...codes.map((code) => make("li", {}, make("code", {}, code))));
    const file = URL.createObjectURL(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));
    byId("save-recovery-codes").href = file;
    await openDialog("recovery-dialog");
    URL.revokeObjectURL(file);
    byId("recovery-codes").replaceChildren();
    return "You have new recovery codes.";
  }
}
