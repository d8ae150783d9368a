// The players who have wagered most this week or this month.

import { getJson, getOwn } from "../api.js";
import { centsOfCoins } from "../format.js";
import { html, nothing } from "../lit.js";
import { coins, picture, skeletons, status } from "../parts/elements.js";
import { Choice, Resource } from "../parts/lists.js";
import { getToken } from "../session.js";

const MOST = 20;

const PERIOD = new Choice("period", "Who has wagered most", [["weekly", "this week"], ["monthly", "this month"]], {
  isLabelled: true,
});

const ranking = new Resource(async (signal) => {
  const [leaders, own] = await Promise.all([
    getJson(`/leaderboard?period=${PERIOD.value}`, { signal }),
    getToken() ? getOwn(`/leaderboard/me?period=${PERIOD.value}`, { signal }).catch(() => null) : null,
  ]);
  return { leaders: leaders.slice(0, MOST), own };
});

export const enter = () => ranking.load();

export function page() {
  const { leaders = [], own } = ranking.value ?? {};
  const isEmpty = ranking.value && !leaders.length;
  return html`
    <div class="row filters">${PERIOD.view()}</div>
    <ol id="leaders" class="lines ranked">${ranking.isFirst ? skeletons(MOST)
      : leaders.map((each, place) => line(each, isOwn(each, place, own)))}</ol>
    ${status("leaders-note", isEmpty ? html`There are no wagers in this period yet. <a href="/">Play a bet</a> to be the
      first.` : ranking.note("The leaderboard"))}
    ${own ? standing(own) : nothing}`;
}

/** Whether a row is the player's. The leaderboard may be a moment older than the player's rank. */
const isOwn = ({ username }, place, own) => own?.rank === place + 1 && own.username === username;

const line = ({ username, avatar, wager }, own) => html`
  <li class=${own ? "own" : ""}>
    ${picture("avatar", avatar, 36)}
    <span class="name">${username}${own ? html`<span class="quiet"> you</span>` : nothing}</span>
    <span class="unseen">wagered </span>${coins(centsOfCoins(wager))}
  </li>`;

/** The player's rank, and what is missing to the next one. */
const standing = ({ rank, wager, next }) => html`
  <p id="standing" class="own-rank">
    ${rank ? html`You are number <strong>${rank}</strong> with ${coins(centsOfCoins(wager))}.`
      : wager ? html`You have wagered ${coins(centsOfCoins(wager))} and are below the first 10,000.`
      : "You have not wagered in this period."}
    ${next ? html`<span class="quiet">${coins(centsOfCoins(next.distance))} more to pass ${next.username}.</span>`
      : rank === 1 ? html`<span class="quiet">Nobody is before you.</span>` : nothing}
  </p>`;
