// Deposits and withdrawals: what their states mean, and the form that requests one, once.

import { sendJson, Unanswered } from "../api.js";
import { randomHex } from "../fairness/client-seed.js";
import { centsOfCoins, centsOfText, coinsOfCents, format, formatTime, plain } from "../format.js";
import { spendableCents } from "../game/balance.js";
import { explainRefusal } from "../game/refusals.js";
import { html, live, nothing } from "../lit.js";
import { update } from "../store.js";
import { addressField, OTHER } from "./addresses.js";
import { bonusAtRisk, bonusChoice, bonusState, describeLoss } from "./bonus.js";
import { coins, values } from "./elements.js";
import { ask, FieldProblem, makeForm, sendConfirmed, textField } from "./forms.js";

/** Each state, with its name in the filter of a list and what it means. */
const STATES = {
  deposit: [
    ["created", "being prepared", "The link for your payment is being prepared."],
    ["pending", "waiting for your payment", "Waiting for your payment."],
    ["confirming", "being confirmed", "Your payment has arrived and is being confirmed."],
    ["review", "waiting for our staff", "Your payment came late or with another amount. Our staff will decide."],
    ["credited", "credited", "The coins are on your balance."],
    ["expired", "expired", "This deposit has expired. Please do not pay it any more."],
    ["failed", "failed", "This deposit has failed. Nothing was added to your balance."],
  ],
  withdrawal: [
    ["requested", "waiting for approval", "Waiting for approval."],
    ["approved", "approved", "Approved. It will be sent soon."],
    ["sending", "being sent", "It is being sent."],
    ["sent", "sent", "Sent. The payment is being confirmed."],
    ["completed", "paid", "Paid."],
    ["rejected", "rejected", "Rejected. The coins are back on your balance."],
    ["failed", "failed", "This withdrawal has failed. The coins are back on your balance."],
  ],
};

/** "Deposit" or "Withdrawal". */
export const nounOf = ({ type }) => (type === "deposit" ? "Deposit" : "Withdrawal");

/** The options of a filter, for PagedList. */
export const PAYMENT_FILTERS = [
  ["type=all", "all"],
  ...Object.entries(STATES).map(([type, states]) => [`${nounOf({ type })}s`, [
    [`type=${type}`, `all ${type}s`],
    ...states.map(([status, text]) => [`type=${type}&status=${status}`, text]),
  ]]),
];

/** What the state of a payment means, as a sentence. */
export const describeState = ({ type, status }) => STATES[type].find(([name]) => name === status)?.[2] ?? status;

/** Whether a payment is a deposit that is not over. */
export const isOpenDeposit = ({ type, status }) =>
  type === "deposit" && ["created", "pending", "confirming"].includes(status);

/** Whether a payment is a deposit that its player can give up: nothing was paid, as far as is known. */
export const isCancellable = ({ type, status, paidAmount }) =>
  type === "deposit" && ["created", "pending"].includes(status) && !paidAmount;

/** Cancel a deposit; the sentence that says so. */
export async function cancelDeposit({ id }) {
  await sendJson("POST", `/payments/deposits/${id}/cancel`);
  return "The deposit is cancelled. Please do not pay it any more.";
}

/** What has come for a deposit that is not credited, as a sentence; nothing if that is not known, or 0. */
export const describePaid = ({ type, status, paidAmount }) =>
  (type === "deposit" && status !== "credited" && paidAmount
    ? `${format(centsOfCoins(paidAmount))} coins have arrived.` : "");

/** The amount of a payment; of a deposit what was credited, once that is known. */
export const centsOf = ({ amount, credited }) => centsOfCoins(credited ?? amount);

/** The name of a payment: "Deposit of 20.00 coins". */
export const nameOf = (payment) => `${nounOf(payment)} of ${format(centsOf(payment))} coins`;

/**
 * Request a payment of a type; rejects with a FieldProblem. The same content has the same key until the server has accepted it,
 * also after a reload. So it is requested once although an answer was lost.
 */
export async function requestPayment(type, content) {
  const slot = `requested-${type}`;
  const text = JSON.stringify(content);
  const earlier = JSON.parse(sessionStorage.getItem(slot));
  const key = earlier?.text === text ? earlier.key : randomHex(16);
  sessionStorage.setItem(slot, JSON.stringify({ text, key }));
  const answer = await sendConfirmed("POST", `/payments/${type}s`, content, { "Idempotency-Key": key })
    .catch((problem) => {
      throw new FieldProblem(explain(type, problem), OF_ADDRESS.test(problem.message) ? "to" : "amount");
    });
  sessionStorage.removeItem(slot);
  return { type, ...answer[type] };
}

// What a withdrawal is refused with because of its address.
const OF_ADDRESS = /^(Invalid address|Add this address first|This address can be used from .*)$/;

function explain(type, problem) {
  const { message, answer } = problem;
  if (answer?.usableFrom) return `This address can be used from ${formatTime(answer.usableFrom)}`;
  if (answer && OF_ADDRESS.test(message)) return message;
  if (problem instanceof Unanswered) return `${message}. Please try again: it is requested only once.`;
  return answer ? explainRefusal(type, { ...answer, error: message }, type === "deposit" ? type : "withdraw") : message;
}

const AMOUNTS = [10, 25, 50, 100]; // coins, to deposit with a click

/** How long a payment takes, by the method's id; of another one nothing is promised. */
const HOW_LONG = {
  deposit: [[/^demo$/, "Some seconds"], [/^btcpay$/, "Lightning: seconds, blockchain: 10 to 60 minutes"]],
  withdrawal: [
    [/^demo$|-LN/, "Seconds after the approval"], [/-CHAIN$/, "10 to 60 minutes after the approval"],
  ],
};

const howLong = (type, { id }) => HOW_LONG[type].find(([ids]) => ids.test(id))?.[1] ?? "";

const NEXT = {
  deposit: ({ id }) => [
    "You get a link and a QR code to a payment page.",
    id === "demo" ? "You pay nothing: the demonstration confirms the payment by itself." : "You pay there.",
    "As soon as the payment is confirmed, the coins are on your balance. You need not wait on this page.",
  ],
  withdrawal: () => [
    "The coins leave your balance when you request it. A withdrawal can't be cancelled.",
    "It is approved, which may take our staff some time.",
    "Then it is sent. This page shows how far it is.",
  ],
};

/** A tile for each method. */
const tiles = (type, methods, chosen, choose) => html`<fieldset class="tiles">
  <legend>Method</legend>
  ${methods.map((method) => html`<label class="tile">
    <input type="radio" name="method" .defaultChecked=${method === chosen}
      .checked=${live(method === chosen)} @change=${() => choose(method)}>
    <span class="name">${method.name}</span>
    <span class="quiet">${howLong(type, method)}</span>
  </label>`)}
</fieldset>`;

/** Buttons that fill the field `amount` of their form. */
function amounts({ minUsd, maxUsd }) {
  const offered = AMOUNTS.filter((each) => each >= minUsd && each <= maxUsd);
  const take = ({ currentTarget: { form, value } }) => { form.elements.amount.value = value; };
  return html`<div class="row amounts-offered" role="group" aria-label="Amounts">${offered.map((each) => html`
    <button type="button" class="plain" value=${each} @click=${take}><span class="coins">${each}<span
      class="unseen"> coins</span></span></button>`)}</div>`;
}

/** A button that fills in all of the balance, or the largest amount of the method. */
const most = ({ maxUsd }) => html`<button type="button" class="plain" aria-label="Max amount"
  @click=${({ currentTarget: { form } }) => {
    form.elements.amount.value = plain(Math.min(spendableCents(), centsOfCoins(maxUsd)));
  }}>Max</button>`;

/**
 * The form of a `type`, "deposit" or "withdrawal". `requested(payment)` is called when the server has accepted one,
 * `add(method)` when the player wants to add an address. Returns its template, a function of the methods that are
 * offered, and for withdrawals of the address book.
 */
export function makePaymentForm(type, requested, add) {
  const isDeposit = type === "deposit";
  let method = null; // the chosen one
  let isOther = false; // whether the player types another address than those of the book
  let made = null;

  const form = makeForm(type, async (elements) => {
    const content = read(elements, method, isDeposit);
    if (!isDeposit) {
      const lost = await bonusAtRisk();
      if (!(await agreeToWithdraw(content, method, lost))) return undefined;
      if (lost) content.forfeitBonus = true;
    }
    made = await requestPayment(type, content);
    return "";
  }, () => {
    method = null;
    isOther = false;
    return requested(made);
  }, "primary");

  return (methods, book) => {
    method = methods.find(({ id }) => id === method?.id) ?? methods[0];
    if (!method) return html`<p id="${type}-none" class="quiet">${nounOf({ type })}s are not available now.</p>`;
    const choose = (chosen) => {
      method = chosen;
      update();
    };
    const to = () => addressField({
      form: type, hint: method.addressHint, delayMs: book.delayMs, isOther, add: () => add(method),
      entries: book.addresses.filter((entry) => entry.method === method.id),
      choose: (value) => {
        isOther = value === OTHER;
        update();
      },
    });
    return html`${form(html`
      ${tiles(type, methods, method, choose)}
      ${isDeposit ? amounts(method) : nothing}
      ${textField({ form: type, name: "amount", label: "Amount", unit: "in coins", mode: "decimal",
        help: `From ${rangeOf(method)} coins. One coin is one US dollar.`, beside: isDeposit ? nothing : most(method) })}
      ${isDeposit ? bonusChoice() : html`${to()}${bonusState()}`}`,
    isDeposit ? "Deposit" : "Withdraw")}
    <h4>What happens next</h4>
    <ol class="how">${NEXT[type](method).map((step) => html`<li>${step}</li>`)}</ol>`;
  };
}

/** What is to be sent. */
function read({ amount, to, other, bonus }, { id, minUsd, maxUsd }, isDeposit) {
  const cents = centsOfText(amount.value);
  if (cents === null || cents < centsOfCoins(minUsd) || cents > centsOfCoins(maxUsd)) {
    const range = rangeOf({ minUsd, maxUsd });
    throw new FieldProblem(`Please enter an amount from ${range} coins, with at most two decimals`, "amount");
  }
  const content = { method: id, amount: coinsOfCents(cents) };
  if (isDeposit) return bonus?.checked ? { ...content, bonus: true } : content;
  return { ...content, to: readAddress({ to, other }) };
}

/** The address that was chosen or typed. */
export function readAddress({ to, other }) {
  const address = to?.value || other?.value.trim();
  if (address) return address.trim();
  throw new FieldProblem(to ? "Please enter an address" : "Please add an address first", other ? "other" : "to");
}

/** A withdrawal can't be cancelled: ask before it. */
const agreeToWithdraw = ({ amount, to }, { name }, lost) => ask("agreement", "Withdraw this amount to this address?", html`
  ${values([["Amount", coins(centsOfCoins(amount))], ["Method", name], ["To", to]], "amounts")}
  ${lost ? describeLoss(lost) : nothing}
  <p>A withdrawal can't be cancelled, and nobody can bring back what was sent to a wrong address.</p>`,
lost ? "Withdraw and lose the bonus" : "Withdraw");

export const rangeOf = ({ minUsd, maxUsd }) => [minUsd, maxUsd].map((usd) => format(centsOfCoins(usd))).join(" to ");
