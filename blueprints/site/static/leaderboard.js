// The players who have wagered most this week or this month.

import { getJson, makeSignals } from "./api.js";
import { byId, make, picture } from "./dom.js";
import { centsOfCoins, coins } from "./money.js";

const MOST = 20;

const nextSignal = makeSignals();

/** Load the leaderboard of the chosen period and draw it. */
export async function showLeaderboard() {
  const signal = nextSignal();
  try {
    const leaders = await getJson(`/leaderboard?period=${byId("period").value}`, { signal });
    byId("leaders").replaceChildren(...leaders.slice(0, MOST).map(line));
    byId("leaders-note").textContent = leaders.length ? "" : "There are no wagers in this period yet.";
  } catch (problem) {
    if (!signal.aborted) byId("leaders-note").textContent = `The leaderboard could not be loaded: ${problem.message}`;
  }
}

function line({ username, avatar, wager }) {
  return make(
    "li",
    {},
    picture("avatar", avatar, 36),
    make("span", { className: "name" }, username),
    make("span", { className: "unseen" }, "wagered "),
    coins(centsOfCoins(wager)),
  );
}
