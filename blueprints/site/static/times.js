// How long the page waits for an answer to a bet, and times for display in the time zone of the browser.

// The server answers within ten seconds, or refuses the bet.
export const ANSWER_MS = 15_000;

export const formatTime = (ms) => new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
export const formatClock = (ms) => new Date(ms).toLocaleTimeString([], { timeStyle: "short" });
