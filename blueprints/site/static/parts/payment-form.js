// The form of a deposit or a withdrawal: its method, amount and address, and why it was refused.

import { byId, make } from "./dom.js";
import { centsOfCoins, centsOfText, coinsOfCents, format } from "./money.js";
import { explainProblem, requestPayment } from "./payments.js";
import { getToken } from "./session.js";

/**
 * Makes the form `<type>-form` work. `agree(content, method)` resolves with whether the player agrees to what is about
 * to be sent, and `requested(payment)` is called when the server has accepted it.
 *
 * Returns `draw(methods)`, which offers methods, and `reset()`, which forgets what was typed.
 */
export function makePaymentForm(type, { agree, requested }) {
  const part = (name) => byId(`${type}-${name}`);
  const { method, amount, to } = part("form").elements;
  let methods = [];
  let isBusy = false;

  const chosen = () => methods.find(({ id }) => id === method.value);
  const range = () => [chosen().minUsd, chosen().maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");

  function draw(offered) {
    const earlier = method.value;
    methods = offered;
    part("form").hidden = !methods.length;
    part("none").hidden = methods.length > 0;
    method.replaceChildren(...methods.map(({ id, name }) => make("option", { value: id }, name)));
    if (methods.some(({ id }) => id === earlier)) method.value = earlier;
    describe();
  }

  function describe() {
    if (!chosen()) return;
    part("range").textContent = `From ${range()} coins. One coin is one US dollar.`;
    if (to) part("hint").textContent = chosen().addressHint;
  }

  function reset() {
    for (const field of part("form").querySelectorAll("input")) field.value = "";
    refuse();
  }

  /** Show why nothing was requested, at the field of this name. */
  function refuse(text = "", name = "amount") {
    for (const problem of part("form").querySelectorAll(".problem")) problem.textContent = "";
    part(`${name}-problem`).textContent = text;
    if (text) part(name).focus();
  }

  /** What is to be sent; undefined when a field was refused. */
  function read() {
    const cents = centsOfText(amount.value);
    if (cents === null || cents < centsOfCoins(chosen().minUsd) || cents > centsOfCoins(chosen().maxUsd)) {
      return refuse(`Please enter an amount from ${range()} coins, with at most two decimals.`);
    }
    if (to && !to.value.trim()) return refuse("Please enter an address.", "to");
    return { method: method.value, amount: coinsOfCents(cents), ...(to && { to: to.value.trim() }) };
  }

  async function submit() {
    const owner = getToken();
    refuse();
    const content = read();
    if (!content || !(await agree(content, chosen().name))) return;
    try {
      const payment = await requestPayment(type, content);
      if (getToken() !== owner) return;
      reset();
      requested(payment);
    } catch (problem) {
      if (getToken() !== owner) return;
      refuse(explainProblem(type, problem), problem.message === "Invalid address" ? "to" : "amount");
    }
  }

  part("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    await submit();
    isBusy = false;
  });
  method.addEventListener("change", describe);
  return { draw, reset };
}
