// The offer to withdraw everything at once, to a player who has just begun a break or an exclusion.

import { getOwn } from "../api.js";
import { centsOfCoins, coinsOfCents, format, formatTime } from "../format.js";
import { html } from "../lit.js";
import { open } from "../router.js";
import { describeDelay, isUsable, shorten } from "./addresses.js";
import { coins } from "./elements.js";
import { field, openDialog, sendConfirmed, textField } from "./forms.js";
import { readAddress, requestPayment } from "./payments.js";

const LATER = "You can withdraw it later in the cashier.";

/**
 * Offer to withdraw all of what POST /limits/exclusion has answered as `withdrawable`. Resolves with what became of it,
 * as a sentence. It never rejects: the break has begun in any case.
 */
export async function offerWithdrawal(withdrawable) {
  const cents = centsOfCoins(withdrawable);
  if (!cents) return "";
  const rest = `You have ${format(cents)} coins.`;
  try {
    const [{ withdrawals: methods }, book, { balance }] = await Promise.all(
      ["/payments/methods", "/payments/addresses", "/auth/me"].map((path) => getOwn(path)));
    if (!methods.length) return `${rest} ${LATER}`;
    const fitting = methods.filter(({ minUsd }) => cents >= centsOfCoins(minUsd));
    if (!fitting.length) return `${rest} That is less than the smallest withdrawal.`;
    const targets = targetsOf(fitting, book);
    if (!targets.length) return await offerCashier(cents, book);
    const payment = await openDialog(dialogOf({ cents, targets, isInVault: cents > centsOfCoins(balance) }));
    return payment ? `Your withdrawal of ${format(centsOfCoins(payment.amount))} coins is requested.` : LATER;
  } catch ({ message }) {
    return `${rest} ${LATER} (${message}.)`;
  }
}

/** Where the coins can go now: the usable addresses of the book, and any other one where that is allowed. */
const targetsOf = (methods, { addresses, delayMs }) => methods.flatMap((method) => [
  ...addresses.filter((entry) => entry.method === method.id && isUsable(entry))
    .map(({ name, address }) => ({ method, address, text: `${name}: ${shorten(address)}` })),
  ...(delayMs ? [] : [{ method, address: "", text: `Another address (${method.name})` }]),
]);

async function offerCashier(cents, book) {
  const waiting = book.addresses.toSorted((one, other) => one.usableFrom - other.usableFrom)[0];
  const isAgreed = await openDialog({
    id: "withdraw-all",
    title: "Withdraw your coins?",
    content: html`
      <p>You can withdraw all of your ${coins(cents)}, to an address that you added at least ${describeDelay(book)}
        before. A break does not keep you from it.</p>
      <p>${waiting ? `Your address “${waiting.name}” can be used from ${formatTime(waiting.usableFrom)}.`
        : "You have not added an address yet."}</p>`,
    accept: "Open the cashier",
  });
  if (isAgreed) open("/account/cashier");
  return LATER;
}

function dialogOf({ cents, targets, isInVault }) {
  let isLocked = isInVault;
  // The text field is there for another address only.
  const choose = ({ target }) => {
    target.form.querySelector("#withdraw-all-typed").hidden = Boolean(targets[target.value].address);
  };
  const most = Math.min(cents, ...targets.map(({ method }) => centsOfCoins(method.maxUsd)));
  const select = html`<select id="withdraw-all-target" name="target" @change=${choose}>
    ${targets.map(({ text }, number) => html`<option value=${number}>${text}</option>`)}</select>`;
  return {
    id: "withdraw-all",
    title: "Withdraw all of your coins?",
    content: html`
      <p>You can withdraw ${coins(cents)} now${isInVault ? ", with those of your vault" : ""}.
        ${most < cents ? `At once it can be ${format(most)}: the rest stays on your balance.` : ""}</p>
      ${field({ id: "withdraw-all-target", label: "To", input: select })}
      <div id="withdraw-all-typed" ?hidden=${Boolean(targets[0].address)}>${textField({ form: "withdraw-all", name: "to",
        label: "Address", most: 256 })}</div>
      <p>A withdrawal can't be cancelled, and nobody can bring back what was sent to a wrong address.</p>`,
    accept: `Withdraw ${format(most)} coins`,
    send: async ({ elements }) => {
      const { method, address } = targets[elements.target.value];
      const to = address || readAddress(elements);
      if (isLocked) await sendConfirmed("POST", "/profile/vault/unlock");
      isLocked = false;
      return requestPayment("withdrawal", { method: method.id, amount: coinsOfCents(most), to });
    },
  };
}
