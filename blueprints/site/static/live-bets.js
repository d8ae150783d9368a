// The newest bets of all players whose wheel has stopped.

import { byId, make, picture } from "./dom.js";
import { centsOfCoins, coins, signedCoins } from "./money.js";
import { formatClock } from "./times.js";

const MOST = 10;

let bets = [];

/** `live-bets`: the newest ten, sent on connecting. */
export function replaceLiveBets(newest) {
  bets = newest;
  draw();
}

/** `live-bets:new`: one new bet, which may arrive twice. */
export function addLiveBet(bet) {
  bets = [bet, ...bets.filter(({ id }) => id !== bet.id)].slice(0, MOST);
  draw();
}

function draw() {
  byId("bets").replaceChildren(...bets.map(row));
  byId("no-bets").hidden = bets.length > 0;
}

function row({ pfp, user, wager, multiplier, payout, date }) {
  const [wagerCents, payoutCents] = [wager, payout].map(centsOfCoins);
  return make(
    "tr",
    { className: payoutCents > wagerCents ? "won" : "lost" },
    make("td", {}, make("span", { className: "who" }, picture("avatar", pfp, 28), make("span", {}, user))),
    make("td", {}, coins(wagerCents)),
    make("td", { className: "times" }, multiplier ? `${multiplier.toFixed(2)}×` : "–"),
    make("td", {}, coins(payoutCents)),
    make("td", { className: "net" }, signedCoins(payoutCents - wagerCents)),
    make("td", { className: "when" }, formatClock(date)),
  );
}
