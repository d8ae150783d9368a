// The balance that the page shows. From the click until the wheel or the reel stops, in this tab or in another one of
// the player, it is what the bet has left: the balance of the server tells the outcome.

import { ANSWER_MS } from "../connection.js";
import { attempts, isSettled } from "../fairness/attempts.js";
import { centsOfCoins } from "../format.js";
import { state, update } from "../store.js";

const TIMER_MS = 20; // A timer may end a moment too early.

// What the page holds back while it shows a battle, whose payout would tell its end.
let held = { mostCents: Infinity, hiddenCents: 0 };

// Whether a bet was settled whose balance has not arrived yet: it comes after the answer.
let isDue = false;

export const isBalanceDue = () => isDue;

/** The balance to show; null before it has arrived. */
export function shownBalanceCents() {
  const newest = state.bet?.attempt ?? attempts().at(-1);
  const isTurning = newest && newest.nonce !== state.shownNonce && Date.now() < shownAt(newest);
  // An earlier version of the page has not recorded it.
  if (newest?.leftCents !== undefined && (state.bet || isTurning || isDue)) return newest.leftCents;
  return state.balanceVersion < 0 ? null : Math.min(state.balanceCents - held.hiddenCents, held.mostCents);
}

export const isHeldBack = () => held.mostCents < Infinity || held.hiddenCents > 0;

/** Show so many cents at most, or less than there are. Without amounts, all of the balance is shown again. */
export function holdBack({ mostCents = Infinity, hiddenCents = 0 } = {}) {
  held = { mostCents, hiddenCents };
  update();
}

/** What a bet may cost. While the connection is renewed, it is the balance of before. */
export const spendableCents = () => shownBalanceCents() ?? state.balanceCents;

/** When another tab shows the outcome of an attempt, or gives up waiting for it. */
function shownAt({ pf, decidedAt, display, answer, at }) {
  if (pf) return decidedAt + display.proofDelay * 1_000;
  return answer ? 0 : at + ANSWER_MS;
}

/** The event `balance`. */
export function setBalance({ balance, version }) {
  // Balances may arrive out of order when the server has several processes.
  if (version < state.balanceVersion) return;
  Object.assign(state, { balanceCents: centsOfCoins(balance), balanceVersion: version });
  isDue = false;
  followBets();
}

/** An attempt has its answer. */
export function noteAnswer(attempt) {
  isDue = isSettled(attempt) && state.balanceVersion === attempt.balanceVersion;
}

/** Draw the page now, and when the outcome of the newest bet is shown, which another tab may have sent. */
export function followBets() {
  update();
  const newest = attempts().at(-1);
  const leftMs = newest ? shownAt(newest) - Date.now() : 0;
  if (leftMs > 0) setTimeout(() => update(), leftMs + TIMER_MS);
}

export function resetBalance() {
  isDue = false;
  update({ balanceCents: 0, balanceVersion: -1, shownNonce: null });
}
