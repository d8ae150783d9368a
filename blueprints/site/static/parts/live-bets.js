// What all players do: the newest bets whose wheel or reel has stopped, those of a case, and how many are connected.

import { getJson } from "../api.js";
import { socket } from "../connection.js";
import { centsOfCoins, formatClock, formatTime } from "../format.js";
import { addressOfCase } from "../game/case-content.js";
import { html, nothing, repeat } from "../lit.js";
import { state, update } from "../store.js";
import { coins, named, picture, section, signedCoins } from "./elements.js";
import { Resource } from "./lists.js";

const MOST = 50;
const MOST_OF_CASE = 5;
const ONLINE_MS = 30_000; // how often their number is loaded
const HIGH = { wager: 50, multiplier: 10 };

export function followLiveBets() {
  // The newest ten, sent on connecting, and each new one, which may arrive twice.
  socket.on("live-bets", (liveBets) => {
    update({ liveBets });
    loadEarlier();
  });
  socket.on("live-bets:new", (bet) => {
    update({ liveBets: [bet, ...state.liveBets.filter(({ id }) => id !== bet.id)].slice(0, MOST) });
  });
}

/** Add the bets before the newest ten. Without them the list is only shorter. */
async function loadEarlier() {
  const { data } = await getJson(`/stats/live-bets?limit=${MOST}`).catch(() => ({ data: { bets: [] } }));
  const known = new Set(state.liveBets.map(({ id }) => id));
  update({ liveBets: [...state.liveBets, ...data.bets.filter(({ id }) => !known.has(id))].slice(0, MOST) });
}

export const isHigh = ({ wager, multiplier }) => wager >= HIGH.wager || multiplier >= HIGH.multiplier;

/** A table of bets; `none` is shown when there are none. */
export const liveBets = (bets, none = "There are no bets yet.") => html`
  <table>
    <thead>
      <tr>
        <th scope="col">Bet</th><th scope="col">Wager</th>
        <th scope="col" class="times"><span aria-hidden="true">×</span><span class="unseen">Multiplier</span></th>
        <th scope="col" class="payout">Payout</th><th scope="col">Net</th><th scope="col" class="when">Time</th>
      </tr>
    </thead>
    <tbody id="bets">${repeat(bets, ({ id }) => id, row)}</tbody>
  </table>
  ${bets.length ? nothing : html`<p class="quiet">${none}</p>`}`;

function row(bet) {
  const { user, wager, multiplier, payout, date } = bet;
  const [wagerCents, payoutCents] = [wager, payout].map(centsOfCoins);
  return html`<tr class="${payoutCents > wagerCents ? "won" : "lost"} ${isHigh(bet) ? "high" : ""}">
    <td><div class="who">${whatAndWho(bet, html`<span>${user}</span> · ${gameOf(bet)}`)}</div></td>
    <td>${coins(wagerCents)}</td>
    <td class="times">${multiplier ? `${multiplier.toFixed(2)}×` : "–"}</td>
    <td class="payout">${coins(payoutCents)}</td>
    <td class="net">${signedCoins(payoutCents - wagerCents)}</td>
    <td class="when">${formatClock(date)}</td>
  </tr>`;
}

/** The picture of a bet's item, its name as a link to the page of the bet, and below it what is said `about` it. */
const whatAndWho = (bet, about) => html`${picture("item", bet.image, 40)}
  ${named(html`<a href="/b/${bet.id}" target="_blank">${bet.item}</a>`,
    html`${isHigh(bet) ? html`<strong class="mark">High roll</strong> ` : nothing}${about}`)}`;

/** The game of a bet, as a link to its case. */
function gameOf({ game, case: id, caseName }) {
  if (game === "upgrader") return html`<a href="/">Upgrader</a>`;
  if (game === "battle") return html`<a href="/battles">Battle</a>`;
  return id ? html`<a href=${addressOfCase(game, id)}>${caseName}</a>` : "Case";
}

const activity = new Resource(async (signal, game, id) => {
  const { data } = await getJson(`/stats/case-activity?${new URLSearchParams({ case: id, game })}`, { signal });
  return { ...data, game, id };
});

export const loadActivity = ({ game, id }) => activity.load(game, id);

/** Both lists of a case. What was opened since they were loaded is among the live bets. */
export function caseActivity({ game, id }) {
  const { value } = activity;
  if (value?.id !== id || value.game !== game) return nothing;
  const since = state.liveBets.filter((bet) => bet.game === game && bet.case === id);
  const first = (bets, key) => [...new Map([...since, ...bets].map((bet) => [bet.id, bet])).values()]
    .sort((one, other) => other[key] - one[key]).slice(0, MOST_OF_CASE);
  const [last, best] = [first(value.last, "date"), first(value.best, "payout")];
  if (!last.length) return html`<p id="case-activity" class="quiet">Nobody has opened this case yet. Be the first.</p>`;
  return html`<div id="case-activity" class="activity">
    ${section("best-drops", "Best drops", list(best))}${section("opened-last", "Opened last", list(last))}</div>`;
}

const list = (bets) => html`<ul class="lines">${repeat(bets, ({ id }) => id, line)}</ul>`;

const line = (bet) => html`<li>
  ${whatAndWho(bet, `${bet.user} · ${formatTime(bet.date)}`)}${coins(centsOfCoins(bet.payout))}
</li>`;

async function loadOnline() {
  if (document.hidden) return;
  const { online } = await getJson("/stats/online").catch(() => ({ online: null }));
  // The answer may be some seconds old, from before this page was connected.
  update({ online: online === null ? null : Math.max(online, 1) });
}

/** Keep the number up to date while the page is visible. */
export function followOnline() {
  socket.on("connect", loadOnline); // This page is one of them.
  setInterval(loadOnline, ONLINE_MS);
  document.addEventListener("visibilitychange", loadOnline);
}

export const online = () => (state.online
  ? html`<p id="online" class="online">${state.online}<span> online</span></p>` : nothing);
