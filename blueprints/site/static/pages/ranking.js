// The players who have wagered most this week or this month.

import { getJson, getOwn } from "../api.js";
import { html, nothing } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { coins } from "../parts/amount.js";
import { options } from "../parts/field.js";
import { picture } from "../parts/picture.js";
import { Resource, status } from "../parts/resource.js";
import { query, setQuery } from "../router.js";
import { getToken } from "../session.js";
import { state } from "../store.js";

const MOST = 20;
const SUMMARIES = { weekly: "week", monthly: "month" };

const period = () => (query().get("period") === "monthly" ? "monthly" : "weekly");

const ranking = new Resource(async (signal) => {
  const chosen = period();
  const leaders = await getJson(`/leaderboard?period=${chosen}`, { signal });
  // Without what the player has wagered no row is marked.
  const summary = getToken() && (await getOwn("/limits/summary", { signal }).catch(() => null));
  return { leaders, wagered: summary?.[SUMMARIES[chosen]].wagered ?? 0 };
});

export const enter = () => ranking.load();

/**
 * The row of the player. Names on the leaderboard are masked, so it is found by the masked name, the picture and the
 * wager. The leaderboard may be a moment old, and its wager the lower one.
 */
function ownRow({ leaders, wagered }) {
  if (!state.player) return null;
  const { username, avatar } = state.player;
  const masked = `${username.slice(0, username.length > 3 ? 3 : 1)}***`;
  return leaders.find((each) => each.username === masked && each.avatar === avatar && each.wager <= wagered);
}

export function page() {
  const { leaders = [] } = ranking.value ?? {};
  const own = ranking.value && ownRow(ranking.value);
  const isEmpty = ranking.value && !leaders.length;
  const choose = ({ target }) => setQuery({ period: target.value === "weekly" ? null : target.value });
  return html`
    <h2 id="page-title" tabindex="-1">Ranking</h2>
    <div class="row filters">
      <label for="period">Who has wagered most</label>
      <select id="period" @change=${choose}>
        ${options([["weekly", "this week"], ["monthly", "this month"]], period())}
      </select>
    </div>
    <ol id="leaders" class="lines ranked">${leaders.slice(0, MOST).map((each) => line(each, each === own))}</ol>
    ${status("leaders-note",
      isEmpty ? "There are no wagers in this period yet." : ranking.note("The leaderboard"))}`;
}

const line = ({ username, avatar, wager }, isOwn) => html`
  <li class=${isOwn ? "own" : ""}>
    ${picture("avatar", avatar, 36)}
    <span class="name">${username}${isOwn ? html`<span class="quiet"> you</span>` : nothing}</span>
    <span class="unseen">wagered </span>${coins(centsOfCoins(wager))}
  </li>`;
