// Amounts as elements, with a coin before them, and the word for screen readers.

import { html } from "../lit.js";
import { centsOfText, format, formatSigned } from "../money.js";

const amount = (text) => html`<span class="coins">${text}<span class="unseen"> coins</span></span>`;

export const coins = (cents) => amount(format(cents));

/** A profit or a loss, with its sign. */
export const signedCoins = (cents) => amount(formatSigned(cents));

/** Cents of what was typed into a field; throws what to show at the field otherwise. */
export function readAmount(text, what) {
  const cents = centsOfText(text);
  if (cents === null) throw new Error(`${what} must be an amount with at most two decimals`);
  return cents;
}
