// The server's clock and that of the beacon, by which all spectators see a battle at the same place.

const SECOND = 1_000;

let aheadMs = 0; // of the clock of this browser

/** Note the time of a response, which has whole seconds. A clock that differs by less is taken as right. */
export function noteServerTime(response) {
  const sentMs = Date.parse(response.headers.get("Date"));
  if (Number.isNaN(sentMs)) return;
  const differs = sentMs + SECOND / 2 - Date.now();
  aheadMs = Math.abs(differs) < 2 * SECOND ? 0 : differs;
}

/** A time of the server as one of this browser's clock, and the other way. */
export const localTime = (serverMs) => serverMs - aheadMs;
export const serverNow = () => Date.now() + aheadMs;

/** When a round of a network is published: `beacon` is drand's description of the network. In Unix milliseconds. */
export const roundTime = ({ genesis_time: genesis, period }, round) => (genesis + period * (round - 1)) * SECOND;
