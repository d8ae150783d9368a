// Times for display, in the time zone of the browser.

export const formatTime = (ms) => new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
export const formatClock = (ms) => new Date(ms).toLocaleTimeString([], { timeStyle: "short" });
