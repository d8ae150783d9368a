// Times for display, in the time zone of the browser.

/** A date and a time. */
export const formatTime = (ms) => new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** A time of the day. */
export const formatClock = (ms) => new Date(ms).toLocaleTimeString([], { timeStyle: "short" });
