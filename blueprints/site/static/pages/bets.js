// All bets of the player, each with what is needed to verify and to share it.

import { getJson, getOwn, orMissing } from "../api.js";
import { addressOfBattle } from "../battles/terms.js";
import { shownBet } from "../fairness/bet-list.js";
import { RECORDS } from "../fairness/records.js";
import { centsOfCoins, format, formatTime } from "../format.js";
import { imageOf } from "../game/items.js";
import { html, nothing } from "../lit.js";
import { picture, signedCoins, values } from "../parts/elements.js";
import { PagedList } from "../parts/lists.js";
import { query } from "../router.js";

const bets = new PagedList({
  name: "bet-history",
  key: "items",
  read,
  filter: "Game",
  filters: [
    ["game=all", "all"], ["game=upgrader", "upgrader"], ["game=case", "cases"], ["game=irl", "real-life cases"],
    ["game=battle", "battles"],
  ],
  orders: [
    ["most-recent", "newest first"], ["least-recent", "oldest first"],
    ["most-earned", "highest payout first"], ["least-earned", "lowest payout first"],
  ],
  search: () => (isByPayout() ? "" : "Search by seed or number"),
  lineOf: line,
  none: html`There are no such bets. <a href="/">Upgrade an item</a> or <a href="/cases">open a case</a>.`,
  what: "Your bets",
  label: "Pages of bets",
});

/** Whether the bets are in the order of their payouts, which only the list of games has. It can't search for seeds. */
const isByPayout = () => query().get("sort")?.endsWith("-earned");

/** A page of the bets, with what each was about. */
async function read(asked, signal) {
  if (isByPayout()) asked.set("search", asked.get("game").replace("all", ""));
  const { data } = await getOwn(`/stats/${isByPayout() ? "games" : "fairness"}?${asked}`, { signal });
  return { ...data, items: await Promise.all((data.games ?? data.items).map(withBet)) };
}

/** An entry with its bet, unless its proof is not due. */
const withBet = async (entry) =>
  ({ ...entry, bet: await orMissing(entry.game in RECORDS ? shownBet(entry.id) : seatOf(entry.id)) });

/** A seat in a battle, whose page has its proof. */
async function seatOf(id) {
  const bet = await getJson(`/bets/${id}`);
  return { ...bet, image: await imageOf(bet.item).catch(() => undefined) };
}

export const enter = () => bets.load();

export const page = () => bets.view();

function line({ id, game, bet, ...entry }) {
  // The two lists have different names for the same.
  const { wager = entry.betAmount, earning = entry.payout, date = entry.completedAt } = entry;
  const [wagerCents, payoutCents] = [wager, earning].map(centsOfCoins);
  if (!(game in RECORDS)) return seatLine({ id, bet, date, wagerCents, payoutCents });
  const { noun, verifyAddress } = RECORDS[game];
  const name = bet ? `${noun} ${bet.nonce}` : noun;
  return html`<li data-bet=${id} class=${payoutCents > wagerCents ? "won" : "lost"}>
    ${picture("item", bet?.image, 48)}
    <div class="name">${bet?.item ?? noun}
      <p class="quiet">${[name, bet?.name, formatTime(date)].filter(Boolean).join(" · ")}</p>
      <p class="quiet">Wager ${format(wagerCents)} · payout ${format(payoutCents)}</p>
      ${bet ? html`<p class="more">
        <a href=${verifyAddress(bet.pf, bet)} target="_blank">Verify<span class="unseen"> ${name}</span></a>
        <a href="/b/${id}" target="_blank">Share<span class="unseen"> ${name}</span></a>
      </p>` : html`<p class="quiet">Its seed is revealed in a few seconds.</p>`}
    </div>
    <span class="net">${signedCoins(payoutCents - wagerCents)}</span>
  </li>`;
}

/** A seat in a battle. The server names no private one. */
const seatLine = ({ id, bet, date, wagerCents, payoutCents }) => html`<li data-bet=${id}
  class=${payoutCents > wagerCents ? "won" : "lost"}>
  ${picture("item", bet?.image, 48)}
  <div class="name">${bet?.item ?? "Battle"}
    <p class="quiet">${["Battle", bet && `round ${bet.pf.round}`, formatTime(date)].filter(Boolean).join(" · ")}</p>
    <p class="quiet">Seat ${format(wagerCents)} · payout ${format(payoutCents)}</p>
    ${bet ? html`<div class="more">
      ${bet.battle ? html`<a href=${addressOfBattle(bet.battle)}>See the battle</a>` : nothing}
      <a href="/b/${id}" target="_blank">Share<span class="unseen"> this seat</span></a>
      <details><summary>Seeds</summary>${values([
        ["Server seed", bet.pf.serverSeed], ["Client seed", bet.pf.clientSeed],
        ["Public seed: the randomness of the round", bet.pf.publicSeed], ["Round", bet.pf.round],
      ])}</details>
    </div>` : nothing}
  </div>
  <span class="net">${signedCoins(payoutCents - wagerCents)}</span>
</li>`;
