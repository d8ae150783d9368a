// Why the server refused a bet, in plain words.

import { formatTime } from "./times.js";

const ADJECTIVES = { day: "daily", week: "weekly", month: "monthly" };

const REASONS = {
  "Your limit is reached": ({ limit, period, resetsAt }) =>
    `This bet would exceed your ${ADJECTIVES[period]} ${limit} limit. The limit starts anew on ${formatTime(resetsAt)}.`,
  "You have excluded yourself permanently": () => "You have excluded yourself permanently, so you can't bet any more.",
  "Please wait before the next bet": () => "That was too soon after your last bet. Please wait a moment.",
  "Session time limit reached": () =>
    "You have reached the time limit of a session. You can bet again after 30 minutes without a bet.",
  "Account suspended": () => "Your account is suspended, so you can't bet. Please contact support.",
};

const BREAK = "You are taking a break until ";

/** The text for the server's answer to a bet, which is called `noun`. */
export function explainRefusal(noun, answer) {
  const { error } = answer;
  if (error in REASONS) return REASONS[error](answer);
  if (error.startsWith(BREAK)) return `You are taking a break until ${formatTime(error.slice(BREAK.length))}.`;
  return `The ${noun} was refused: ${error}.`;
}
