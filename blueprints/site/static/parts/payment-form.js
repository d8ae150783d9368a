// The form of a deposit or a withdrawal: its method, amount and address, and why it was refused.

import { html, live, nothing } from "../lit.js";
import { centsOfCoins, centsOfText, coinsOfCents, format } from "../money.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { field } from "./field.js";
import { explainProblem, requestPayment } from "./payments.js";

const EMPTY = { method: "", amount: "", to: "", problem: null };

/**
 * The form of a `type`, "deposit" or "withdrawal". `agree(content, method)` resolves with whether the player agrees to
 * what is about to be sent, and `requested(payment)` is called when the server has accepted it.
 */
export class PaymentForm {
  #type;
  #agree;
  #requested;
  #values = { ...EMPTY };
  #isBusy = false;

  constructor(type, { agree = () => true, requested }) {
    this.#type = type;
    this.#agree = agree;
    this.#requested = requested;
    addEventListener("session", () => this.#reset());
  }

  #reset() {
    this.#values = { ...EMPTY, method: this.#values.method };
    update();
  }

  /** Show why nothing was requested, at the field of this name. */
  async #refuse(text, name = "amount") {
    this.#values.problem = { text, name };
    await update();
    document.getElementById(`${this.#type}-${name}`)?.focus();
  }

  /** What is to be sent; undefined when a field was refused. */
  #read({ id, minUsd, maxUsd }) {
    const { amount, to } = this.#values;
    const cents = centsOfText(amount);
    if (cents === null || cents < centsOfCoins(minUsd) || cents > centsOfCoins(maxUsd)) {
      const range = rangeOf({ minUsd, maxUsd });
      return this.#refuse(`Please enter an amount from ${range} coins, with at most two decimals.`), undefined;
    }
    const isWithdrawal = this.#type === "withdrawal";
    if (isWithdrawal && !to.trim()) return this.#refuse("Please enter an address.", "to"), undefined;
    return { method: id, amount: coinsOfCents(cents), ...(isWithdrawal && { to: to.trim() }) };
  }

  async #submit(event, method) {
    event.preventDefault();
    if (this.#isBusy) return;
    this.#isBusy = true;
    const owner = getToken();
    this.#values.problem = null;
    const content = this.#read(method);
    try {
      if (content && (await this.#agree(content, method.name))) {
        const payment = await requestPayment(this.#type, content);
        if (getToken() === owner) {
          this.#reset();
          this.#requested(payment);
        }
      }
    } catch (problem) {
      const name = problem.message === "Invalid address" ? "to" : "amount";
      if (getToken() === owner) this.#refuse(explainProblem(this.#type, problem), name);
    }
    this.#isBusy = false;
    update();
  }

  #input(name, attributes, button) {
    const id = `${this.#type}-${name}`;
    const { problem } = this.#values;
    const type = ({ target }) => { this.#values[name] = target.value; };
    return field({
      id,
      ...attributes,
      problem: problem?.name === name ? problem.text : "",
      input: html`<input id=${id} inputmode=${name === "amount" ? "decimal" : "text"} maxlength="256"
        autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${id}-help ${id}-problem"
        .value=${live(this.#values[name])} @input=${type}>${button}`,
    });
  }

  /** The form with the methods that are offered. */
  view(methods) {
    const type = this.#type;
    const [verb, noun] = type === "deposit" ? ["Deposit", "Deposits"] : ["Withdraw", "Withdrawals"];
    if (!methods.length) return html`<p id="${type}-none" class="quiet">${noun} are not available now.</p>`;
    const method = methods.find(({ id }) => id === this.#values.method) ?? methods[0];
    const choose = ({ target }) => {
      this.#values.method = target.value;
      update();
    };
    const button = html`<button type="submit" class="plain">${verb}</button>`;
    return html`<form id="${type}-form" novalidate @submit=${(event) => this.#submit(event, method)}>
      <div class="field">
        <label for="${type}-method">Method</label>
        <select id="${type}-method" @change=${choose}>${methods.map(({ id, name }) =>
          html`<option value=${id} .selected=${id === method.id}>${name}</option>`)}</select>
      </div>
      ${this.#input("amount",
        { label: "Amount", unit: "in coins", help: `From ${rangeOf(method)} coins. One coin is one US dollar.` },
        type === "deposit" ? button : nothing)}
      ${type === "deposit" ? nothing : html`
        ${this.#input("to", { label: "To", help: method.addressHint }, button)}
        <p class="quiet">A withdrawal can't be cancelled. The coins leave your balance when you request it.</p>`}
    </form>`;
  }
}

const rangeOf = ({ minUsd, maxUsd }) => [minUsd, maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");
