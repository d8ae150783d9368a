// The players who have wagered most this week or this month.

import { getJson, getOwn, makeSignals } from "./api.js";
import { byId, make, picture } from "./dom.js";
import { centsOfCoins, coins } from "./money.js";

const MOST = 20;
const SUMMARIES = { weekly: "week", monthly: "month" };

const nextSignal = makeSignals();

/** Load the leaderboard of the chosen period and draw it. `player` is `/auth/me`, and null for a guest. */
export async function showLeaderboard(player) {
  const signal = nextSignal();
  const period = byId("period").value;
  try {
    const leaders = await getJson(`/leaderboard?period=${period}`, { signal });
    const own = player && ownRow(leaders, player, await wageredBy(period, signal));
    if (signal.aborted) return;
    byId("leaders").replaceChildren(...leaders.slice(0, MOST).map((each) => line(each, each === own)));
    byId("leaders-note").textContent = leaders.length ? "" : "There are no wagers in this period yet.";
  } catch (problem) {
    if (!signal.aborted) byId("leaders-note").textContent = `The leaderboard could not be loaded: ${problem.message}`;
  }
}

/** What the player has wagered in a period. Without it no row is marked. */
async function wageredBy(period, signal) {
  const summary = await getOwn("/limits/summary", { signal }).catch(() => null);
  return summary?.[SUMMARIES[period]].wagered ?? 0;
}

/**
 * The row of a player. Names on the leaderboard are masked, so it is found by the masked name, the picture and the
 * wager. The leaderboard may be a moment old, and its wager the lower one.
 */
function ownRow(leaders, { username, avatar }, wagered) {
  const masked = `${username.slice(0, username.length > 3 ? 3 : 1)}***`;
  return leaders.find((each) => each.username === masked && each.avatar === avatar && each.wager <= wagered);
}

function line({ username, avatar, wager }, isOwn) {
  return make(
    "li",
    { className: isOwn ? "own" : "" },
    picture("avatar", avatar, 36),
    make("span", { className: "name" }, username, ...(isOwn ? [make("span", { className: "quiet" }, " you")] : [])),
    make("span", { className: "unseen" }, "wagered "),
    coins(centsOfCoins(wager)),
  );
}
