// The player's seats in battles, as this browser has taken them: the client seed that was sent, and the receipt that
// the server sends when the battle is in the public log, with the time of its arrival. A receipt that came before the
// beacon's round proves that the house could not know the result.
//
//   battle-seats/<player>/<id>   { at, clientSeed, requestId, receipt, receivedAt }, the last two once it has arrived

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

/** The event `log:receipt` of a battle. The first one counts: it may be sent again. */
export function keepBattleReceipt({ battle, proof }) {
  if (keptSeat(battle)?.receipt) return;
  keepSeat(battle, { receipt: proof, receivedAt: Date.now() });
  dispatchEvent(new CustomEvent("battle-receipt", { detail: battle }));
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
