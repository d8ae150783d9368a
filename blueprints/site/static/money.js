// Money is counted in whole cents here too; on the wire it is a number of coins.

const AMOUNT = /^\$?(\d{1,10})(?:\.(\d{1,2}))?$/;
const shown = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Cents of a text such as "12.3" or "$12.34"; null when it is no amount. */
export function centsOfText(text) {
  const match = AMOUNT.exec(text.trim());
  return match && Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}

export const centsOfCoins = (coins) => Math.round(coins * 100);

export const coinsOfCents = (cents) => cents / 100;

/** For reading: two decimals, thousands grouped. */
export const format = (cents) => shown.format(cents / 100);

/** For an input field: two decimals and nothing else. */
export const plain = (cents) => (cents / 100).toFixed(2);
