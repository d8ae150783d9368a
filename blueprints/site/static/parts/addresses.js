// The address book: addresses that the player can withdraw to, and the choice of one of them.

import { formatTime } from "../format.js";
import { html, nothing, repeat } from "../lit.js";
import { field, textField } from "./forms.js";

const SHOWN_WHOLE = 22;
const SHOWN_AT_EACH_END = 8;
const HOUR_MS = 3_600_000;

export const isUsable = ({ usableFrom }) => usableFrom <= Date.now();

/** How long a new address waits: "24 hours". */
export const describeDelay = ({ delayMs }) => {
  const hours = Math.round((delayMs / HOUR_MS) * 100) / 100;
  return hours === 1 ? "an hour" : `${hours} hours`;
};

/** Both ends of a long address. */
export const shorten = (address) => (address.length <= SHOWN_WHOLE ? address
  : `${address.slice(0, SHOWN_AT_EACH_END)}…${address.slice(-SHOWN_AT_EACH_END)}`);

const describe = (entry) => (isUsable(entry) ? `${entry.name}: ${shorten(entry.address)}`
  : `${entry.name}: from ${formatTime(entry.usableFrom)}`);

/** The option of a <select> for another address than those of the book. */
export const OTHER = "";

/**
 * The field `to` of the form `form`, for an address of one of these entries of the book: a <select>, with a field
 * `other` where any address is allowed. Without entries only a text, or the note that one has to be added:
 * `add()` is called for that. `isOther` and `choose(value)` are the state of the choice.
 */
export function addressField({ form, entries, delayMs, hint, isOther, choose, add }) {
  const text = (name, label) => textField({ form, name, label, most: 256, help: hint });
  if (!entries.length) return delayMs ? note(form, delayMs, add) : text("to", "To");
  const first = entries.find(isUsable);
  const input = html`<select id="${form}-to" name="to" aria-describedby="${form}-problem"
    @change=${({ target }) => choose(target.value)}>
    ${repeat(entries, ({ id }) => id, (entry) => html`<option value=${entry.address} ?disabled=${!isUsable(entry)}
      ?selected=${entry === first}>${describe(entry)}</option>`)}
    ${delayMs ? nothing : html`<option value=${OTHER}>Another address</option>`}
  </select>`;
  return html`
    ${field({ id: `${form}-to`, label: "To", input })}
    ${delayMs && !first ? note(form, delayMs, add) : nothing}
    ${isOther && !delayMs ? text("other", "Another address") : nothing}`;
}

const note = (form, delayMs, add) => html`<div id="${form}-waits" class="now">
  <p>Withdrawals go only to addresses that you added at least ${describeDelay({ delayMs })} before.</p>
  <div class="row"><button type="button" class="plain" @click=${add}>Add an address</button></div>
</div>`;
