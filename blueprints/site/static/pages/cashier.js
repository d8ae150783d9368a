// Depositing, withdrawing, and what the player has deposited and withdrawn.

import { getOwn } from "../api.js";
import { socket } from "../connection.js";
import { html, nothing } from "../lit.js";
import { centsOfCoins, format } from "../money.js";
import { coins } from "../parts/amount.js";
import { openDialog } from "../parts/dialog.js";
import { namedButton, values } from "../parts/facts.js";
import { PagedList } from "../parts/paged-list.js";
import { makePaymentForm } from "../parts/payment-form.js";
import { centsOf, describeState, isOpenDeposit, loadPayment, nameOf, PAYMENT_FILTERS } from "../parts/payments.js";
import { Resource, status } from "../parts/resource.js";
import { sweepstake } from "../parts/sweepstake.js";
import { current, setQuery } from "../router.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { formatTime } from "../times.js";

const POLL_MS = 5_000;

// The payment that the player looks at, and the QR code of its checkout; null when there is none.
const looked = { payment: null, qrCode: null };

const payments = new PagedList({
  name: "payments",
  path: "/payments",
  filter: "Show",
  filters: PAYMENT_FILTERS,
  lineOf: line,
  none: "There are no deposits or withdrawals here yet.",
  what: "The payments",
  label: "Pages of deposits and withdrawals",
});
const cashier = new Resource(async (signal) => {
  const paths = ["/payments/methods", "/limits"];
  const [methods, limits] = await Promise.all(paths.map((path) => getOwn(path, { signal })));
  return { methods, limits: limits.deposit };
});
const depositForm = makePaymentForm("deposit", { requested });
const withdrawalForm = makePaymentForm("withdrawal", { agree: agreeToWithdraw, requested });

export function enter() {
  payments.load();
  if (looked.payment) look(looked.payment);
  return cashier.load();
}

// What the events of the socket change. An event may be lost, so a deposit is looked at while it is open.
socket.on("connect", () => { if (isVisible()) enter(); });
socket.on("payments:changed", (payment) => {
  if (!isVisible()) return;
  payments.load();
  if (payment.id === looked.payment?.id) look(payment);
});
setInterval(() => {
  if (looked.payment && isOpenDeposit(looked.payment) && isVisible() && !document.hidden) look(looked.payment);
}, POLL_MS);
addEventListener("session", () => Object.assign(looked, { payment: null, qrCode: null }));

const isVisible = () => current.route.path === "/account/cashier" && getToken() !== null;

function requested(payment) {
  show(payment);
  setQuery({ page: null, show: null });
  look(payment); // Its first event may have come before the answer.
}

/** Show a payment, and move the focus to its state. */
async function show(payment) {
  Object.assign(looked, { payment, qrCode: null });
  loadQrCode();
  await update();
  document.getElementById("payment-state").focus();
}

/** Load the newest state of the payment that is shown. */
async function look({ type, id }) {
  const payment = await loadPayment({ type, id }).catch(() => null);
  if (!payment || looked.payment?.id !== id) return;
  const isNew = payment.status !== looked.payment.status;
  looked.payment = payment;
  loadQrCode();
  update();
  if (isNew) payments.load();
}

async function loadQrCode() {
  const { id, status: state, checkoutUrl } = looked.payment;
  if (looked.qrCode || state !== "pending" || !checkoutUrl) return;
  const { qrCode } = await getOwn(`/qr-codes/deposits/${id}`).catch(() => ({})); // The link is enough.
  if (looked.payment?.id === id) {
    looked.qrCode = qrCode;
    update();
  }
}

export function page() {
  const { methods, limits } = cashier.value ?? {};
  return html`
    ${status("cashier-note", cashier.note("Your payments"))}
    ${methods ? html`<div id="cashier-parts" class="parts">
      ${looked.payment ? lookedAt(looked.payment) : nothing}
      <section aria-labelledby="deposit-title">
        <h3 id="deposit-title">Deposit</h3>
        ${depositForm(methods.deposits)}
        <div class="row own-limits">
          <p id="deposit-limits-set" class="quiet">${describeLimits(limits)}</p>
          <a class="plain" href="/account/limits">Limit deposits</a>
        </div>
      </section>
      <section aria-labelledby="withdrawal-title">
        <h3 id="withdrawal-title">Withdraw</h3>
        ${withdrawalForm(methods.withdrawals)}
      </section>
      <section aria-labelledby="sweepstake-title">
        <h3 id="sweepstake-title">Sweepstake balance of a deposit</h3>
        ${sweepstake()}
      </section>
      <section aria-labelledby="payments-title">
        <h3 id="payments-title">Deposits and withdrawals so far</h3>
        ${payments.view()}
      </section>
    </div>` : nothing}`;
}

function lookedAt(payment) {
  const { checkoutUrl, expiresAt, txhash } = payment;
  const isPayable = payment.status === "pending" && checkoutUrl;
  return html`
    <section id="payment" class="now" aria-labelledby="payment-name">
      <h3 id="payment-name">${nameOf(payment)}</h3>
      <p id="payment-state" role="status" tabindex="-1">${describeState(payment)}</p>
      ${txhash ? html`<p id="payment-txhash" class="quiet">Transaction ${txhash}</p>` : nothing}
      ${isPayable ? html`<div id="checkout">
        <a id="checkout-link" class="plain" href=${checkoutUrl} target="_blank" rel="noopener">Open the payment page</a>
        <p class="quiet">It opens in a new tab. Or scan this code with your phone.
          ${expiresAt ? `Please pay before ${formatTime(expiresAt)}.` : ""}</p>
        ${looked.qrCode ? html`<img id="checkout-qr" src=${looked.qrCode} width="200" height="200"
          alt="The address of the payment page as a QR code">` : nothing}
      </div>` : nothing}
    </section>`;
}

function line(payment) {
  const { type, method, to, txhash, createdAt } = payment;
  const texts = [`${formatTime(createdAt)} · ${describeState(payment)}`];
  if (to) texts.push(`To ${to}`);
  if (txhash) texts.push(`Transaction ${txhash}`);
  return html`<li>
    <div class="name">${type === "deposit" ? "Deposit" : "Withdrawal"} (${method})
      ${texts.map((text) => html`<p class="quiet">${text}</p>`)}</div>
    ${coins(centsOf(payment))}
    ${isOpenDeposit(payment) ? namedButton("Show", nameOf(payment), () => show(payment)) : nothing}
  </li>`;
}

/** Ask before a withdrawal, which can't be cancelled; resolves with whether the player agrees. */
function agreeToWithdraw({ amount, to }, method) {
  return openDialog({
    id: "agreement",
    title: "Withdraw this amount to this address?",
    content: html`
      ${values([["Amount", coins(centsOfCoins(amount))], ["Method", method], ["To", to]], "amounts")}
      <p>A withdrawal can't be cancelled, and nobody can bring back what was sent to a wrong address.</p>`,
    accept: "Withdraw",
  });
}

function describeLimits(limits) {
  const set = Object.entries(limits).filter(([, value]) => value !== null);
  if (!set.length) return "You have not limited your deposits.";
  const texts = set.map(([period, value]) => `${format(centsOfCoins(value))} coins a ${period}`);
  return `You have limited your deposits to ${texts.join(", ")}.`;
}
