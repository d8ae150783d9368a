// The form of a deposit or a withdrawal: its method, amount and address.

import { html } from "../lit.js";
import { centsOfCoins, centsOfText, coinsOfCents, format } from "../money.js";
import { update } from "../store.js";
import { field, FieldProblem, makeForm, options, textField } from "./form.js";
import { nounOf, requestPayment } from "./payments.js";

/**
 * The form of a `type`, "deposit" or "withdrawal". `agree(content, method)` resolves with whether the player agrees to
 * what is about to be sent, and `requested(payment)` is called when the server has accepted it. Returns its template, a
 * function of the methods that are offered.
 */
export function makePaymentForm(type, { agree = () => true, requested }) {
  const isDeposit = type === "deposit";
  let method = null; // the chosen one
  let made = null;

  const form = makeForm(type, async (elements) => {
    const content = read(elements, method);
    if (!(await agree(content, method.name))) return undefined;
    made = await requestPayment(type, content);
    return "";
  }, () => {
    method = null;
    return requested(made);
  });

  const input = (name, label, help, more) => textField({ form: type, name, label, help, most: 256, ...more });

  return (methods) => {
    method = methods.find(({ id }) => id === method?.id) ?? methods[0];
    if (!method) return html`<p id="${type}-none" class="quiet">${nounOf({ type })}s are not available now.</p>`;
    const choose = ({ target }) => {
      method = methods[target.selectedIndex];
      update();
    };
    const range = `From ${rangeOf(method)} coins. One coin is one US dollar.`;
    return form(html`
      ${field({ id: `${type}-method`, label: "Method", input: html`<select id="${type}-method" @change=${choose}>
        ${options(methods.map(({ id, name }) => [id, name]), method.id)}</select>` })}
      ${input("amount", "Amount", range, { unit: "in coins", mode: "decimal" })}
      ${isDeposit ? "" : html`${input("to", "To", method.addressHint)}
        <p class="quiet">A withdrawal can't be cancelled. The coins leave your balance when you request it.</p>`}`,
    isDeposit ? "Deposit" : "Withdraw");
  };
}

/** What is to be sent. */
function read({ amount, to }, { id, minUsd, maxUsd }) {
  const cents = centsOfText(amount.value);
  if (cents === null || cents < centsOfCoins(minUsd) || cents > centsOfCoins(maxUsd)) {
    const range = rangeOf({ minUsd, maxUsd });
    throw new FieldProblem(`Please enter an amount from ${range} coins, with at most two decimals`, "amount");
  }
  if (to && !to.value.trim()) throw new FieldProblem("Please enter an address", "to");
  return { method: id, amount: coinsOfCents(cents), ...(to && { to: to.value.trim() }) };
}

const rangeOf = ({ minUsd, maxUsd }) => [minUsd, maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");
