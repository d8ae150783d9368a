// The payment that the player looks at: its state, and how to pay a deposit.

import { getOwn } from "./api.js";
import { byId, setContent } from "./dom.js";
import { describeState, nameOf } from "./payments.js";
import { formatTime } from "./times.js";

/** The payment that is shown; null when there is none. */
export let currentPayment = null;

/** Show a payment, and move the focus to its state. */
export function showPayment(payment) {
  currentPayment = payment;
  updatePayment(payment);
  byId("payment-state").focus();
}

/** Draw the new state of a payment, if it is shown. */
export function updatePayment(payment) {
  if (currentPayment?.id !== payment.id) return;
  currentPayment = payment;
  const { status, checkoutUrl, expiresAt, txhash } = payment;
  byId("payment").hidden = false;
  setContent("payment-name", nameOf(payment));
  setContent("payment-state", describeState(payment));
  setContent("payment-txhash", txhash ? `Transaction ${txhash}` : "");
  byId("checkout").hidden = status !== "pending" || !checkoutUrl;
  if (byId("checkout").hidden) return;
  byId("checkout-link").href = checkoutUrl;
  setContent("checkout-end", expiresAt ? `Please pay before ${formatTime(expiresAt)}.` : "");
  drawQrCode(payment.id);
}

/** Show no payment any more. */
export function hidePayment() {
  currentPayment = null;
  byId("payment").hidden = true;
}

async function drawQrCode(id) {
  const image = byId("checkout-qr");
  if (image.dataset.deposit === id) return;
  image.dataset.deposit = id;
  image.hidden = true;
  const { qrCode } = await getOwn(`/qr-codes/deposits/${id}`).catch(() => ({})); // The link is enough.
  if (!qrCode || image.dataset.deposit !== id) return;
  image.src = qrCode;
  image.hidden = false;
}
