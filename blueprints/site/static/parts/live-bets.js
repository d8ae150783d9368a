// The newest bets of all players whose wheel has stopped.

import { socket } from "../connection.js";
import { html, nothing, repeat } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { state, update } from "../store.js";
import { formatClock } from "../times.js";
import { coins, signedCoins } from "./amount.js";
import { picture } from "./picture.js";

const MOST = 10;

export function followLiveBets() {
  // The newest ten, sent on connecting, and each new one, which may arrive twice.
  socket.on("live-bets", (liveBets) => update({ liveBets }));
  socket.on("live-bets:new", (bet) => {
    update({ liveBets: [bet, ...state.liveBets.filter(({ id }) => id !== bet.id)].slice(0, MOST) });
  });
}

export const liveBets = () => html`
  <table>
    <thead>
      <tr>
        <th scope="col">Player</th>
        <th scope="col">Wager</th>
        <th scope="col" class="times"><span aria-hidden="true">×</span><span class="unseen">Multiplier</span></th>
        <th scope="col">Payout</th>
        <th scope="col">Net</th>
        <th scope="col" class="when">Time</th>
      </tr>
    </thead>
    <tbody id="bets">${repeat(state.liveBets, ({ id }) => id, row)}</tbody>
  </table>
  ${state.liveBets.length ? nothing : html`
    <p class="quiet">There are no bets yet. <a href="/">Play the first one.</a></p>`}`;

function row({ pfp, user, wager, multiplier, payout, date }) {
  const [wagerCents, payoutCents] = [wager, payout].map(centsOfCoins);
  return html`<tr class=${payoutCents > wagerCents ? "won" : "lost"}>
    <td><span class="who">${picture("avatar", pfp, 28)}<span>${user}</span></span></td>
    <td>${coins(wagerCents)}</td>
    <td class="times">${multiplier ? `${multiplier.toFixed(2)}×` : "–"}</td>
    <td>${coins(payoutCents)}</td>
    <td class="net">${signedCoins(payoutCents - wagerCents)}</td>
    <td class="when">${formatClock(date)}</td>
  </tr>`;
}
