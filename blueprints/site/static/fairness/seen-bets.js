// What this browser has shown of the newest bets, by their commitments: so that each can be verified again after a
// reload, and in another tab, against the seeds that the server then names. No verdict is stored.

const KEY = "seen-bets";
const MOST = 24;

const all = () => JSON.parse(localStorage.getItem(KEY) ?? "[]");

/** Remember a bet as the player was shown it, once its proof has arrived. */
export function rememberSeen({ snapshot, ...seen }) {
  if (seenOf(seen.commitment)) return;
  // The text of a snapshot may be long, and is found again by its hash.
  const stored = [...all(), { ...seen, snapshot: snapshot?.hash }].slice(-MOST);
  localStorage.setItem(KEY, JSON.stringify(stored));
}

/** What was shown of the bet with this commitment; undefined when this browser has shown nothing of it. */
export const seenOf = (commitment) => all().find((seen) => seen.commitment === commitment);

export function onSeenInOtherTab(seen) {
  addEventListener("storage", ({ key }) => { if (key === KEY) seen(); });
}
