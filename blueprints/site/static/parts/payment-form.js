// The form of a deposit or a withdrawal: its method, amount and address, and why it was refused.

import { html, nothing } from "../lit.js";
import { centsOfCoins, centsOfText, coinsOfCents, format } from "../money.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { field, options } from "./field.js";
import { explainProblem, requestPayment } from "./payments.js";

const VERBS = { deposit: "Deposit", withdrawal: "Withdraw" };
const NOUNS = { deposit: "Deposits", withdrawal: "Withdrawals" };

/** Why nothing was requested, at the field `name`. */
class Problem extends Error {
  constructor(text, name = "amount") {
    super(text);
    this.name = name;
  }
}

/**
 * The form of a `type`, "deposit" or "withdrawal". `agree(content, method)` resolves with whether the player agrees to
 * what is about to be sent, and `requested(payment)` is called when the server has accepted it. Returns its template, a
 * function of the methods that are offered.
 */
export function makePaymentForm(type, { agree = () => true, requested }) {
  const shown = { method: "", problem: null, isBusy: false };
  addEventListener("session", () => { shown.problem = null; });

  async function submit(event, method) {
    event.preventDefault();
    if (shown.isBusy) return;
    const form = event.target;
    const owner = getToken();
    Object.assign(shown, { isBusy: true, problem: null });
    try {
      const content = read(type, form.elements, method);
      if (await agree(content, method.name)) {
        const payment = await requestPayment(type, content).catch((problem) => {
          throw new Problem(explainProblem(type, problem), problem.message === "Invalid address" ? "to" : "amount");
        });
        if (getToken() === owner) {
          form.reset();
          requested(payment);
        }
      }
    } catch (problem) {
      if (getToken() === owner) shown.problem = problem;
    }
    shown.isBusy = false;
    await update();
    if (shown.problem) form.elements[shown.problem.name].focus();
  }

  function input(name, label, unit, help) {
    const id = `${type}-${name}`;
    return field({
      id, label, unit, help,
      problem: shown.problem?.name === name ? shown.problem.message : "",
      input: html`<input id=${id} name=${name} inputmode=${name === "amount" ? "decimal" : "text"} maxlength="256"
        autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${id}-help ${id}-problem">
        ${(name === "amount") === (type === "deposit")
          ? html`<button type="submit" class="plain">${VERBS[type]}</button>` : nothing}`,
    });
  }

  return (methods) => {
    if (!methods.length) return html`<p id="${type}-none" class="quiet">${NOUNS[type]} are not available now.</p>`;
    const method = methods.find(({ id }) => id === shown.method) ?? methods[0];
    const choose = ({ target }) => {
      shown.method = target.value;
      update();
    };
    return html`<form id="${type}-form" novalidate @submit=${(event) => submit(event, method)}>
      <div class="field">
        <label for="${type}-method">Method</label>
        <select id="${type}-method" @change=${choose}>${
          options(methods.map(({ id, name }) => [id, name]), method.id)}</select>
      </div>
      ${input("amount", "Amount", "in coins", `From ${rangeOf(method)} coins. One coin is one US dollar.`)}
      ${type === "deposit" ? nothing : html`
        ${input("to", "To", undefined, method.addressHint)}
        <p class="quiet">A withdrawal can't be cancelled. The coins leave your balance when you request it.</p>`}
    </form>`;
  };
}

/** What is to be sent; throws Problem when a field is refused. */
function read(type, { amount, to }, method) {
  const cents = centsOfText(amount.value);
  if (cents === null || cents < centsOfCoins(method.minUsd) || cents > centsOfCoins(method.maxUsd)) {
    throw new Problem(`Please enter an amount from ${rangeOf(method)} coins, with at most two decimals.`);
  }
  if (to && !to.value.trim()) throw new Problem("Please enter an address.", "to");
  return { method: method.id, amount: coinsOfCents(cents), ...(to && { to: to.value.trim() }) };
}

const rangeOf = ({ minUsd, maxUsd }) => [minUsd, maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");
