// The newest bets of all players whose wheel or reel has stopped.

import { socket } from "../connection.js";
import { addressOfCase } from "../game/case-content.js";
import { html, nothing, repeat } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { state, update } from "../store.js";
import { formatClock } from "../times.js";
import { coins, named, picture, signedCoins } from "./elements.js";

const MOST = 50;
const HIGH = { wager: 50, multiplier: 10 };

export function followLiveBets() {
  // The newest ten, sent on connecting, and each new one, which may arrive twice.
  socket.on("live-bets", (liveBets) => update({ liveBets }));
  socket.on("live-bets:new", (bet) => {
    update({ liveBets: [bet, ...state.liveBets.filter(({ id }) => id !== bet.id)].slice(0, MOST) });
  });
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
export const whatAndWho = (bet, about) => html`${picture("item", bet.image, 40)}
  ${named(html`<a href="/b/${bet.id}" target="_blank">${bet.item}</a>`,
    html`${isHigh(bet) ? html`<strong class="mark">High roll</strong> ` : nothing}${about}`)}`;

/** The game of a bet, as a link to its case. */
function gameOf({ game, case: id, caseName }) {
  if (game === "upgrader") return html`<a href="/">Upgrader</a>`;
  return id ? html`<a href=${addressOfCase(game, id)}>${caseName}</a>` : "Case";
}
