// This page computes in whole cents. On the wire an amount is a number of coins, and an item's price a text, "$12.34".
// The page shows one unit everywhere: coins (parts/elements.js). Times are milliseconds.

const AMOUNT = /^(?=.*\d)(\d{0,10})(?:[.,](\d{0,2}))?$/;
const grouped = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Cents of what a player typed, with a decimal point or comma: "12.3", "0,50"; null when it is not an amount. */
export function centsOfText(text) {
  const match = AMOUNT.exec(text.trim());
  return match && Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

/** Cents of an item's price: "$12.34". */
export const centsOfPrice = (price) => centsOfText(price.replace("$", ""));

export const centsOfCoins = (coins) => Math.round(coins * 100);
export const coinsOfCents = (cents) => cents / 100;

/** For display: two decimals, thousands grouped. */
export const format = (cents) => grouped.format(cents / 100);

/** An amount for an input field or an address: two decimals, no grouping. */
export const plain = (cents) => (cents / 100).toFixed(2);

/** A profit or a loss for display, with its sign. */
export const formatSigned = (cents) => (cents > 0 ? "+" : cents < 0 ? "−" : "") + format(Math.abs(cents));

/** For display, in the time zone of the browser. */
export const formatTime = (ms) => new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
export const formatClock = (ms) => new Date(ms).toLocaleTimeString([], { timeStyle: "short" });

/** When the periods of limits and sums begin, as a sentence. */
export const whenPeriodsBegin = () =>
  `A day begins at ${formatClock(new Date().setUTCHours(0, 0, 0, 0))}, a week on Monday and a month on the 1st: ` +
  "midnight in UTC, shown in your time.";
