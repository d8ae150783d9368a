// The form of a deposit or a withdrawal: its method, amount and address.

import { html } from "../lit.js";
import { centsOfCoins, centsOfText, coinsOfCents, format } from "../money.js";
import { update } from "../store.js";
import { ask } from "./dialog.js";
import { coins, values } from "./elements.js";
import { field, FieldProblem, makeForm, options, textField } from "./form.js";
import { nounOf, requestPayment } from "./payments.js";

/**
 * The form of a `type`, "deposit" or "withdrawal". `requested(payment)` is called when the server has accepted one.
 * Returns its template, a function of the methods that are offered.
 */
export function makePaymentForm(type, requested) {
  const isDeposit = type === "deposit";
  let method = null; // the chosen one
  let made = null;

  const form = makeForm(type, async (elements) => {
    const content = read(elements, method);
    if (!isDeposit && !(await agreeToWithdraw(content, method))) return undefined;
    made = await requestPayment(type, content);
    return "";
  }, () => {
    method = null;
    return requested(made);
  });

  return (methods) => {
    method = methods.find(({ id }) => id === method?.id) ?? methods[0];
    if (!method) return html`<p id="${type}-none" class="quiet">${nounOf({ type })}s are not available now.</p>`;
    const choose = ({ target }) => {
      method = methods[target.selectedIndex];
      update();
    };
    return form(html`
      ${field({ id: `${type}-method`, label: "Method", input: html`<select id="${type}-method" @change=${choose}>
        ${options(methods.map(({ id, name }) => [id, name]), method.id)}</select>` })}
      ${textField({ form: type, name: "amount", label: "Amount", unit: "in coins", mode: "decimal",
        help: `From ${rangeOf(method)} coins. One coin is one US dollar.` })}
      ${isDeposit ? "" : html`
        ${textField({ form: type, name: "to", label: "To", most: 256, help: method.addressHint })}
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

/** A withdrawal can't be cancelled: ask before it. */
const agreeToWithdraw = ({ amount, to }, { name }) => ask("agreement", "Withdraw this amount to this address?", html`
  ${values([["Amount", coins(centsOfCoins(amount))], ["Method", name], ["To", to]], "amounts")}
  <p>A withdrawal can't be cancelled, and nobody can bring back what was sent to a wrong address.</p>`, "Withdraw");

const rangeOf = ({ minUsd, maxUsd }) => [minUsd, maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");
