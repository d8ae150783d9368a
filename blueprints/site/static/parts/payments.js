// Deposits and withdrawals: requesting one once, and what its state means.

import { getOwn, Unanswered } from "./api.js";
import { byId } from "./dom.js";
import { randomHex } from "./fairness.js";
import { centsOfCoins, format } from "./money.js";
import { explainRefusal } from "./refusals.js";
import { sendConfirmed } from "./two-factor-prompt.js";

/** What the state of a payment means, as a sentence. The filter of the list has one for each state. */
export const describeState = ({ type, status }) =>
  byId("payments-filter").querySelector(`[value="type=${type}&status=${status}"]`)?.dataset.says ?? status;

/** Whether a payment is a deposit that is not over. */
export const isOpenDeposit = ({ type, status }) =>
  type === "deposit" && ["created", "pending", "confirming"].includes(status);

/** The amount of a payment; of a deposit what was credited, once that is known. */
export const centsOf = ({ amount, credited }) => centsOfCoins(credited ?? amount);

/** The name of a payment: "Deposit of 20.00 coins". */
export const nameOf = (payment) =>
  `${payment.type === "deposit" ? "Deposit" : "Withdrawal"} of ${format(centsOf(payment))} coins`;

/** Load a payment. */
export async function loadPayment({ type, id }) {
  return { type, ...(await getOwn(`/payments/${type}s/${id}`))[type] };
}

/**
 * Request a payment. The same content has the same key until the server has accepted it, also after a reload. So it is
 * requested once although an answer was lost.
 */
export async function requestPayment(type, content) {
  const slot = `requested-${type}`;
  const text = JSON.stringify(content);
  const earlier = JSON.parse(sessionStorage.getItem(slot));
  const key = earlier?.text === text ? earlier.key : randomHex(16);
  sessionStorage.setItem(slot, JSON.stringify({ text, key }));
  const answer = await sendConfirmed("POST", `/payments/${type}s`, content, { "Idempotency-Key": key });
  sessionStorage.removeItem(slot);
  return { type, ...answer[type] };
}

/** Why a payment was not requested, as a sentence. */
export function explainProblem(type, problem) {
  const { message, answer } = problem;
  if (problem instanceof Unanswered) return `${message}. Please try again: it is requested only once.`;
  if (!answer) return `${message}.`;
  return explainRefusal(type, { ...answer, error: message }, type === "deposit" ? "deposit" : "withdraw");
}
