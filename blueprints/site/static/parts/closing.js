// Closing the account: what is in the way, what is given up, and the dialog that asks for it.

import { getOwn } from "../api.js";
import { centsOfCoins, format } from "../format.js";
import { html } from "../lit.js";
import { signOut } from "../session.js";
import { named } from "./elements.js";
import { Actions, ask, sendConfirmed } from "./forms.js";

const closing = new Actions("closing-said");

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const coins = (value) => `${format(centsOfCoins(value))} coins`;

// What each number of the answer means, in words. Those that are 0 are left out.
const GIVEN_UP = {
  balance: (value) => `${coins(value)} on your balance`,
  vault: (value) => `${coins(value)} in your vault, before its time has come`,
  sweepstake: (value) => `${coins(value)} of your sweepstake balance`,
  commission: (value) => `${coins(value)} that your promo code has earned`,
  prizes: (number) => `${count(number, "prize", "prizes")} that you keep`,
  battles: (number) => `your seats in ${count(number, "battle that waits", "battles that wait")} for players`,
  deposits: (number) => `${count(number, "deposit", "deposits")} that you have not paid`,
};
const MUST_END = {
  battles: (number) => count(number, "battle that has begun", "battles that have begun"),
  withdrawals: (number) => count(number, "withdrawal that is not paid yet", "withdrawals that are not paid yet"),
  deposits: (number) => count(number, "deposit that is being paid or checked", "deposits that are being paid or checked"),
  prizes: (number) => count(number, "prize that is to be shipped", "prizes that are to be shipped"),
};

const lines = (words, numbers) => Object.entries(words).flatMap(([name, say]) => (numbers[name] ? [say(numbers[name])] : []));

const list = (id, texts) => html`<ul id=${id}>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

const WHAT_HAPPENS = html`<ul>
  <li>You are signed out everywhere, and can't sign in any more. Only support can open the account again.</li>
  <li>Your name leaves the ranking and the live bets, and nobody else can take it.</li>
  <li>A break or an exclusion goes on: signing in again does not end it.</li>
  <li>Your personal data is erased later, when the law no longer demands to keep it. Your bets stay in the public
    log, without your name.</li>
</ul>`;

export const closeAccount = () => html`<div>
  ${closing.view()}
  <div class="row">
    ${named("Close account", "Ends your account. You are shown first what you would give up.")}
    ${closing.button("Close account …", start)}
  </div>
</div>`;

async function start() {
  const { givenUp, mustEnd } = (await getOwn("/profile/close")).data;
  const [left, open] = [lines(GIVEN_UP, givenUp), lines(MUST_END, mustEnd)];
  if (open.length) return wait(open);
  const isAgreed = left.length ? await askToGiveUp(left) : await askToClose();
  if (!isAgreed) return undefined;
  await sendConfirmed("POST", "/profile/close", { forfeit: left.length > 0 });
  signOut("Your account is closed.");
  return undefined;
}

async function wait(open) {
  await ask("closing", "Your account can't be closed yet", html`
    <p>These must end first:</p>
    ${list("closing-must-end", open)}
    <p>Please come back then.</p>`, "Understood");
}

const askToClose = () => ask("closing", "Close your account?", html`
  ${WHAT_HAPPENS}
  ${agreement("I want to close my account.")}`, "Close my account");

const askToGiveUp = (left) => ask("closing", "Close your account and give up what is in it?", html`
  <p>This is in your account, and you would lose it:</p>
  ${list("closing-given-up", left)}
  <p><a href="/account/cashier">Withdraw it first</a>. Afterwards nobody gives it back.</p>
  ${WHAT_HAPPENS}
  ${agreement("I give all of this up.")}`, "Give it up and close");

const agreement = (text) => html`<p><label><input type="checkbox" required> ${text}</label></p>`;
