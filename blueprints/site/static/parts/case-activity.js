// Who has opened a case last, and the best that was won from it.

import { getJson } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { state } from "../store.js";
import { formatTime } from "../times.js";
import { coins, section } from "./elements.js";
import { whatAndWho } from "./live-bets.js";
import { Resource } from "./resource.js";

const MOST = 5;

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
    .sort((one, other) => other[key] - one[key]).slice(0, MOST);
  const [last, best] = [first(value.last, "date"), first(value.best, "payout")];
  if (!last.length) return html`<p id="case-activity" class="quiet">Nobody has opened this case yet. Be the first.</p>`;
  return html`<div id="case-activity" class="activity">
    ${section("best-drops", "Best drops", list(best))}${section("opened-last", "Opened last", list(last))}</div>`;
}

const list = (bets) => html`<ul class="lines">${repeat(bets, ({ id }) => id, line)}</ul>`;

const line = (bet) => html`<li>
  ${whatAndWho(bet, `${bet.user} · ${formatTime(bet.date)}`)}${coins(centsOfCoins(bet.payout))}
</li>`;
