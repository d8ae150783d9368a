// The vault: coins that the player locks until a time, and can't play with until then.

import { sendJson } from "../api.js";
import { centsOfCoins, coinsOfCents, formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { coins, named } from "../parts/elements.js";
import { Actions, ask, makeForm, readAmount, sendConfirmed, textField } from "../parts/forms.js";
import { loadPlayer } from "../player.js";
import { state, update } from "../store.js";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const PROBLEMS = {
  "Invalid amount": "You do not have as many coins on your balance",
  "Invalid deadline": "The time must be in the next ten years, and not before that of the coins in the vault",
};

const lockForm = makeForm("lock", lock, loadPlayer);
const unlocking = new Actions("vault-said", loadPlayer);
let due = null; // the timer that shows the button to unlock

export async function enter() {
  await loadPlayer();
  const left = (state.player?.vaultDeadline ?? 0) - Date.now();
  clearTimeout(due);
  if (left > 0 && left < DAY_MS) due = setTimeout(update, left);
}

async function lock({ amount, until }) {
  const cents = readAmount(amount.value, "The amount");
  const deadline = new Date(until.value).getTime();
  if (!(deadline > Date.now())) throw new Error("The time must be in the future");
  const isAgreed = await ask("lock-question", "Lock these coins?", html`
    <p>Nobody can unlock ${coins(cents)} before ${formatTime(deadline)}, neither you nor our staff.</p>`, "Lock");
  if (!isAgreed) return undefined;
  await sendJson("POST", "/profile/vault/lock", { amount: coinsOfCents(cents), deadline }).catch((problem) => {
    throw new Error(PROBLEMS[problem.message] ?? problem.message);
  });
  return "Your coins are locked.";
}

async function unlock() {
  await sendConfirmed("POST", "/profile/vault/unlock");
  return "Your coins are on your balance again.";
}

/** The next whole minute as an input of the type datetime-local has it. */
const localTime = (ms) =>
  new Date(Math.ceil(ms / MINUTE_MS - new Date(ms).getTimezoneOffset()) * MINUTE_MS).toISOString().slice(0, 16);

export function page() {
  const { vaultBalance, vaultDeadline } = state.player ?? {};
  const isDue = vaultBalance && Date.now() >= vaultDeadline;
  return html`
    <p class="quiet">You can't play with coins in the vault or withdraw them before the time that you choose.</p>
    ${unlocking.view()}
    ${state.player ? html`
      <ul class="lines"><li>
        ${named(html`In your vault: <span id="vault">${coins(centsOfCoins(vaultBalance))}</span>`,
          html`<span id="vault-until">${!vaultBalance ? "Nothing is locked."
            : isDue ? "You can unlock them now." : `Locked until ${formatTime(vaultDeadline)}.`}</span>`)}
        ${isDue ? unlocking.button("Unlock", unlock) : nothing}
      </li></ul>
      ${lockForm(html`
        ${textField({ form: "lock", name: "amount", label: "Amount", unit: "in coins", mode: "decimal" })}
        ${textField({ form: "lock", name: "until", label: "Until", type: "datetime-local",
          value: localTime(Math.max(vaultDeadline ?? 0, Date.now() + DAY_MS)),
          help: "Counts for all coins in the vault. It can be made later, but never earlier." })}
      `, "Lock")}` : nothing}`;
}
