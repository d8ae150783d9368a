// The player's seats in battles, as this browser has taken them: the client seed that was sent, and the receipt that
// the server sends when the battle is in the public log, with the time of its arrival. A receipt that came before the
// beacon's round proves that the house could not know the result.
//
//   battle-seats/<player>/<id>   { at, known }: what the lock of the battle in the log must say; once it has arrived,
//                                receipt and receivedAt; and isFetched if it was asked for afterwards

import { playerId } from "../session.js";
import { store } from "./attempts.js";

const PREFIX = "battle-seats";
const MOST = 200;

const keyOf = (id) => `${PREFIX}/${playerId()}/${id}`;

/** What is kept of the player's seat in a battle; null when this browser knows of none. */
export const keptSeat = (id) => JSON.parse(localStorage.getItem(keyOf(id)));

/** Add to what is kept of a seat. Returns whether the browser has stored it. */
export function keepSeat(id, patch) {
  tidy();
  return store(keyOf(id), { at: Date.now(), ...keptSeat(id), ...patch });
}

/** Keep what `log:receipt` brings of a battle. Only the first one counts. Returns whether it is new. */
export function keepBattleReceipt({ battle, proof }, more = {}) {
  if (keptSeat(battle)?.receipt) return false;
  keepSeat(battle, { receipt: proof, receivedAt: Date.now(), ...more });
  dispatchEvent(new CustomEvent("battle-receipt", { detail: battle }));
  return true;
}

/** Forget the oldest seats of all players in this browser. */
function tidy() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}/`));
  if (keys.length < MOST) return;
  const age = (key) => JSON.parse(localStorage.getItem(key)).at;
  for (const key of keys.sort((one, other) => age(one) - age(other)).slice(0, keys.length - MOST + 1)) {
    localStorage.removeItem(key);
  }
}
