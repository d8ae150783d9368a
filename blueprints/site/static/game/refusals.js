// Why the server refused a bet or a payment, in plain words.

import { centsOfCoins, format, formatTime } from "../format.js";

const ADJECTIVES = { day: "daily", week: "weekly", month: "monthly" };

const REASONS = {
  "Your limit is reached": ({ limit, period, resetsAt }, act) =>
    `This ${act} would exceed your ${ADJECTIVES[period]} ${limit} limit. The limit starts anew on ` +
    `${formatTime(resetsAt)}.`,
  "You have excluded yourself permanently": (_, act) =>
    `You have excluded yourself permanently, so you can't ${act} any more.`,
  "Please wait before the next bet": () => "That was too soon after your last bet. Please wait a moment.",
  "Session time limit reached": () =>
    "You have reached the time limit of a session. You can bet again after 30 minutes without a bet.",
  "Account suspended": (_, act) => `Your account is suspended, so you can't ${act}. Please contact support.`,
  "Wager your deposits first": ({ missing }) =>
    `You can withdraw when you have wagered ${format(centsOfCoins(missing))} coins more.`,
  "Your bonus would be lost": ({ amount }) =>
    `You would lose your bonus of ${format(centsOfCoins(amount))} coins. Please try again to agree to that.`,
  "There is no bonus for this deposit": () => "There is no bonus for you now. Please deposit without it.",
};

const BREAK = "You are taking a break until ";

// What the player can change for the next bet: its amount, item, price, case or seed, or what the account allows.
const CHANGES = [
  "Invalid amount", "Invalid client seed", "Item not found", "Item price has changed",
  "Item price must be higher than the wager", "Wager is too small for this item",
  "Wager is above the limit", "Case not found", "Case is not available", "Case price has changed",
  "Case has changed", "Your level is too low", "Free case is not available",
  "Reward not found", "There is nothing to claim", "This reward is for another case",
  "Insufficient balance", "Your limit is reached", "Session time limit reached",
  "You have excluded yourself permanently",
];

/** The refusal of a bet whose commitment is not the announced one. */
export const MISMATCH = "Commitment does not match";

/**
 * Whether a refusal names something to change. After any other one, such as "Something went wrong", the same bet has to
 * be sent again with the same client seed: with a new one, a server could refuse bets until one loses.
 */
export const namesAChange = ({ error }) => CHANGES.includes(error) || error.startsWith(BREAK);

/** The text for the server's answer to a bet or a payment, which is called `noun`; to `act` is what was refused. */
export function explainRefusal(noun, answer, act = "bet") {
  const { error } = answer;
  if (error in REASONS) return REASONS[error](answer, act);
  if (error.startsWith(BREAK)) return `You are taking a break until ${formatTime(error.slice(BREAK.length))}.`;
  return `The ${noun} was refused: ${error}.`;
}
