// Depositing, withdrawing, and what the player has deposited and withdrawn.

import { getJson, getOwn, sendJson } from "../api.js";
import { socket } from "../connection.js";
import { centsOfCoins, coinsOfCents, format, formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { describeDelay, isUsable } from "../parts/addresses.js";
import { loadTerms } from "../parts/bonus.js";
import { coins, named, namedButton, section } from "../parts/elements.js";
import {
  Actions, ask, field, FieldProblem, makeForm, options, readAmount, sendConfirmed, textField,
} from "../parts/forms.js";
import { ownResource, PagedList, Resource } from "../parts/lists.js";
import {
  cancelDeposit, centsOf, describePaid, describeState, isCancellable, isOpenDeposit, makePaymentForm, nameOf, nounOf,
  PAYMENT_FILTERS,
} from "../parts/payments.js";
import { current, setQuery } from "../router.js";
import { getToken } from "../session.js";
import { update } from "../store.js";

const POLL_MS = 5_000;

const sweepstakeForm = makeForm("sweepstake", async ({ deposit }) => {
  const cents = readAmount(deposit.value, "The deposit");
  const { value } = await getJson(`/sweepstake/calc-deposit?amount=${coinsOfCents(cents)}`);
  return `A deposit of ${format(cents)} coins gives ${format(centsOfCoins(value))} of sweepstake balance.`;
});

/** The calculator of the sweepstake balance that a deposit gives. */
const sweepstake = () => sweepstakeForm(
  textField({ form: "sweepstake", name: "deposit", label: "Deposit", unit: "in coins", mode: "decimal" }),
  "Calculate");

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
const cashier = ownResource("/payments/methods", "/limits", "/payments/addresses");
const depositForm = makePaymentForm("deposit", requested);
const withdrawalForm = makePaymentForm("withdrawal", requested, openNewAddress);

const addressForm = makeForm("address", addAddress, () => cashier.load());
const addressActions = new Actions("address-deleted", () => cashier.load());
const ADDRESS_FIELDS = { "Invalid name": "name", "Unknown payment method": "method" };

// The payment that the player looks at, and the QR code of its checkout.
const looked = new Resource(async (signal, { type, id, status: earlier }) => {
  const payment = (await getOwn(`/payments/${type}s/${id}`, { signal }))[type];
  if (payment.status !== earlier) payments.load();
  return { type, ...payment };
});
const code = new Resource(async (signal, id) => ({ id, ...(await getOwn(`/qr-codes/deposits/${id}`, { signal })) }));

const actions = new Actions("payment-said", () => Promise.all([look(), payments.load()]));

const isPayable = ({ status, checkoutUrl }) => status === "pending" && checkoutUrl;

export function enter() {
  payments.load();
  loadTerms();
  look();
  return cashier.load();
}

/** Load the newest state of the payment that is shown. */
async function look() {
  if (!looked.value) return;
  await looked.load(looked.value);
  const { value } = looked;
  if (value && isPayable(value) && code.value?.id !== value.id) code.load(value.id);
}

const isVisible = () => current.route.path === "/account/cashier" && getToken() !== null;

// What the events of the socket change. An event may be lost, so a deposit is looked at while it is open.
socket.on("connect", () => { if (isVisible()) enter(); });
socket.on("payments:changed", ({ id }) => {
  if (!isVisible()) return;
  payments.load();
  if (id === looked.value?.id) look();
});
socket.on("payments:address-added", () => { if (isVisible()) cashier.load(); });
setInterval(() => {
  if (looked.value && isOpenDeposit(looked.value) && isVisible() && !document.hidden) look();
}, POLL_MS);

function requested(payment) {
  show(payment);
  setQuery({ page: null, show: null });
}

/** Show a payment, and move the focus to its state. */
async function show(payment) {
  looked.value = payment;
  look(); // Its first event may have come before the answer.
  await update();
  document.getElementById("payment-state").focus();
}

export const page = () => cashier.view("cashier-note", "Your payments", ([methods, { deposit: limits }, book]) => html`
  <div id="cashier-parts" class="parts">
    ${looked.value ? lookedAt(looked.value) : nothing}
    ${actions.view()}
    <div class="halves desks">
      ${section("deposit", "Deposit", html`${depositForm(methods.deposits)}
        <div class="row own-limits">
          <p id="deposit-limits-set" class="quiet">${describeLimits(limits)}</p>
          <a class="plain" href="/account/limits">Limit deposits</a>
        </div>`)}
      ${section("withdrawal", "Withdraw", withdrawalForm(methods.withdrawals, book))}
    </div>
    ${section("addresses", "Addresses to withdraw to", addresses(methods.withdrawals, book))}
    ${section("sweepstake", "Sweepstake balance of a deposit", sweepstake())}
    ${section("payments", "Deposits and withdrawals so far", payments.view())}
  </div>`);

function lookedAt(payment) {
  const { id, checkoutUrl, expiresAt, txhash } = payment;
  return html`
    <section id="payment" class="now" aria-labelledby="payment-name">
      <h3 id="payment-name">${nameOf(payment)}</h3>
      <p id="payment-state" role="status" tabindex="-1">${describeState(payment)}</p>
      ${describePaid(payment) ? html`<p id="payment-paid" class="quiet">${describePaid(payment)}</p>` : nothing}
      ${txhash ? html`<p id="payment-txhash" class="quiet">Transaction ${txhash}</p>` : nothing}
      ${isPayable(payment) ? html`<div id="checkout">
        <a id="checkout-link" class="primary" href=${checkoutUrl} target="_blank" rel="noopener">Open the payment page</a>
        <p class="quiet">It opens in a new tab. Or scan this code with your phone.
          ${expiresAt ? `Please pay before ${formatTime(expiresAt)}.` : ""}</p>
        ${code.value?.id === id ? html`<img id="checkout-qr" src=${code.value.qrCode} width="200" height="200"
          alt="The address of the payment page as a QR code">` : nothing}
      </div>` : nothing}
      ${isCancellable(payment) ? html`<div class="row">${cancelButton(payment)}</div>` : nothing}
    </section>`;
}

const cancelButton = (payment) => actions.button("Cancel", () => cancelDeposit(payment), nameOf(payment));

/** The address book, and the form that adds to it. */
const addresses = (methods, book) => html`
  <p class="quiet">${book.delayMs
    ? `A new address can be used after ${describeDelay(book)}. So nobody who gets into your account can empty it at
      once: you are told of each new address.`
    : "You can withdraw to any address. Those that you add here need not be typed again."}</p>
  ${addressActions.view()}
  <ul id="addresses" class="lines">${book.addresses.map((entry) => addressLine(entry, methods))}</ul>
  ${methods.length ? html`<details id="new-address">
    <summary>Add an address</summary>
    ${addressForm(html`
      ${field({ id: "address-method", label: "Method", input: html`<select id="address-method" name="method">
        ${options(methods.map(({ id, name }) => [id, name]))}</select>` })}
      ${textField({ form: "address", name: "name", label: "Name", most: 32, help: "Your own word for it, such as “My wallet”" })}
      ${textField({ form: "address", name: "address", label: "Address", most: 256,
        help: "Check it twice: nobody can bring back what was sent to a wrong address." })}`, "Add")}
  </details>` : nothing}`;

function addressLine(entry, methods) {
  const { method, name, address, usableFrom } = entry;
  const methodName = methods.find(({ id }) => id === method)?.name ?? method;
  const state = isUsable(entry) ? "Can be used." : `Can be used from ${formatTime(usableFrom)}.`;
  return html`<li>
    ${named(`${name} (${methodName})`, address, state)}
    ${addressActions.button("Delete", () => deleteAddress(entry), name)}
  </li>`;
}

async function addAddress({ method, name, address }) {
  const content = { method: method.value, name: name.value.trim(), address: address.value.trim() };
  if (!content.name) throw new FieldProblem("Please enter a name", "name");
  if (!content.address) throw new FieldProblem("Please enter an address", "address");
  const added = await sendConfirmed("POST", "/payments/addresses", content).catch((problem) => {
    throw new FieldProblem(problem.message, ADDRESS_FIELDS[problem.message] ?? "address");
  });
  const { usableFrom } = added.address;
  const state = isUsable(added.address) ? "can be used" : `can be used from ${formatTime(usableFrom)}`;
  return `“${added.address.name}” ${state}.`;
}

async function deleteAddress({ id, name, address }) {
  const isAgreed = await ask("address-question", `Delete “${name}”?`, html`
    <p>${address}</p>
    <p>Withdrawals that you have requested still go to it. If you add it again, it is a new address.</p>`, "Delete");
  if (!isAgreed) return undefined;
  await sendJson("DELETE", `/payments/addresses/${id}`);
  return `“${name}” is deleted.`;
}

/** Open the form for a new address of a method. */
function openNewAddress({ id }) {
  const details = document.getElementById("new-address");
  details.open = true;
  const { method, name } = details.querySelector("form").elements;
  method.value = id;
  name.focus();
}

function line(payment) {
  const { id, method, to, txhash, createdAt } = payment;
  const state = `${formatTime(createdAt)} · ${describeState(payment)}`;
  return html`<li>
    ${named(`${nounOf(payment)} (${method})`, state, to && `To ${to}`, txhash && `Transaction ${txhash}`)}
    ${coins(centsOf(payment))}
    ${isOpenDeposit(payment) ? namedButton("Show", nameOf(payment), () => show(payment)) : nothing}
    ${isCancellable(payment) && id !== looked.value?.id ? cancelButton(payment) : nothing}
  </li>`;
}

function describeLimits(limits) {
  const set = Object.entries(limits).filter(([, value]) => value !== null);
  if (!set.length) return "You have not limited your deposits.";
  const texts = set.map(([period, value]) => `${format(centsOfCoins(value))} coins a ${period}`);
  return `You have limited your deposits to ${texts.join(", ")}.`;
}
