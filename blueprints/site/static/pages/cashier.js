// The tab "Cashier": depositing, withdrawing, and what the player has deposited and withdrawn.

import { getOwn, makeSignals } from "./api.js";
import { currentPayment, hidePayment, showPayment, updatePayment } from "./current-payment.js";
import { byId, make, namedButton, openDialog } from "./dom.js";
import { centsOfCoins, coins, format } from "./money.js";
import { makePagedList } from "./paged-list.js";
import { makePaymentForm } from "./payment-form.js";
import { centsOf, describeState, isOpenDeposit, loadPayment, nameOf } from "./payments.js";
import { getToken } from "./session.js";
import { formatTime } from "./times.js";

const POLL_MS = 5_000;

const nextSignal = makeSignals();
const showList = makePagedList("payments", {
  path: "/payments",
  lineOf,
  none: "There are no deposits or withdrawals here yet.",
});
const forms = {
  deposits: makePaymentForm("deposit", { agree: () => true, requested }),
  withdrawals: makePaymentForm("withdrawal", { agree: agreeToWithdraw, requested }),
};
// What draws payments comes one after the other, so that their newest states are drawn last.
let drawing = Promise.resolve();

/** Load and draw everything. */
export async function showCashier() {
  const signal = nextSignal();
  if (!getToken()) return hide("Sign in to deposit and withdraw.");
  drawNext(() => showList());
  if (currentPayment) update(currentPayment);
  try {
    const paths = ["/payments/methods", "/limits"];
    const [methods, limits] = await Promise.all(paths.map((path) => getOwn(path, { signal })));
    for (const [type, form] of Object.entries(forms)) form.draw(methods[type]);
    byId("deposit-limits-set").textContent = describeLimits(limits.deposit);
    byId("cashier-note").textContent = "";
    byId("cashier-parts").hidden = false;
  } catch (problem) {
    if (!signal.aborted) hide(`Your payments could not be loaded: ${problem.message}`);
  }
}

/** Forget what was shown to the player who was signed in. */
export function resetCashier() {
  hidePayment();
  for (const form of Object.values(forms)) form.reset();
  showList(1);
  return showCashier();
}

/** Show what the events of a socket change. An event may be lost, so a deposit is looked at while it is open. */
export function followPayments(socket) {
  socket.on("connect", () => { if (isVisible()) showCashier(); });
  socket.on("payments:changed", (payment) => {
    update(payment);
    if (!findLine(payment)) drawNext(() => showList());
  });
  setInterval(() => {
    if (currentPayment && isOpenDeposit(currentPayment) && !document.hidden) update(currentPayment);
  }, POLL_MS);
}

function requested(payment) {
  showPayment(payment);
  drawNext(() => showList(1));
  update(payment); // Its first event may have come before the answer.
}

/** Load a payment and draw its state. */
function update({ type, id }) {
  drawNext(async () => {
    const payment = await loadPayment({ type, id });
    updatePayment(payment);
    const line = lineOf(payment);
    // An unchanged line may have the focus.
    if (findLine(payment)?.textContent !== line.textContent) findLine(payment)?.replaceWith(line);
  });
}

/** Draw payments after those that are being drawn. A tab that is not open is drawn when it is opened. */
function drawNext(draw) {
  if (isVisible()) drawing = drawing.then(draw).catch(() => {});
}

const findLine = ({ id }) => [...byId("payments").children].find(({ dataset }) => dataset.id === id);

function lineOf(payment) {
  const { id, type, method, to, txhash, createdAt } = payment;
  const texts = [`${formatTime(createdAt)} · ${describeState(payment)}`];
  if (to) texts.push(`To ${to}`);
  if (txhash) texts.push(`Transaction ${txhash}`);
  const about = texts.map((text) => make("p", { className: "quiet" }, text));
  const title = `${type === "deposit" ? "Deposit" : "Withdrawal"} (${method})`;
  const line = make("li", {}, make("div", { className: "name" }, title, ...about), coins(centsOf(payment)));
  line.dataset.id = id;
  if (isOpenDeposit(payment)) line.append(namedButton("Show", nameOf(payment), () => showPayment(payment)));
  return line;
}

/** Ask before a withdrawal, which can't be cancelled; resolves with whether the player agrees. */
async function agreeToWithdraw({ amount, to }, method) {
  byId("sum-amount").replaceChildren(coins(centsOfCoins(amount)));
  byId("sum-method").textContent = method;
  byId("sum-to").textContent = to;
  return (await openDialog("withdrawal")) === "accept";
}

function describeLimits(limits) {
  const set = Object.entries(limits).filter(([, value]) => value !== null);
  if (!set.length) return "You have not limited your deposits.";
  const texts = set.map(([period, value]) => `${format(centsOfCoins(value))} coins a ${period}`);
  return `You have limited your deposits to ${texts.join(", ")}.`;
}

const isVisible = () => !byId("cashier-panel").hidden && getToken() !== null;

function hide(note) {
  byId("cashier-parts").hidden = true;
  byId("cashier-note").textContent = note;
}
