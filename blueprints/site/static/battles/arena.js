// The columns of a battle, one for each seat in the frame of its team: who sits there, the reel, the sum, and the items
// that were drawn.

import { format } from "../format.js";
import { html, nothing, repeat } from "../lit.js";
import { coins, namedButton, picture } from "../parts/elements.js";
import { getToken } from "../session.js";
import { computedOutcome } from "./proof-view.js";
import { drawReel, seatReel } from "./reels.js";
import { ownSeat, room, valuesNow } from "./room.js";
import { isDuel, seatName, teamName, teamSizes } from "./terms.js";
import { drawOf, leading, shares } from "./timeline.js";

const BOT_PICTURE = "/assets/battles/bot.svg";

/** All columns. `join(seat)` and `callBot(seat)` are called by the buttons of free seats. */
export const arena = (battle, actions) => html`
  <div class="arena">${teamSizes(battle.teams).map((_, team) => frame(battle, team, actions))}</div>`;

function frame(battle, team, actions) {
  const isOver = Boolean(room.place?.isOver);
  const isWinner = isOver && battle.winners.includes(team);
  const values = battle.state === "settled" ? valuesNow() : null;
  const leads = values && !isOver && leading(battle, values).includes(team);
  return html`<section class="team" data-team=${team} data-size=${teamSizes(battle.teams)[team]} ?data-won=${isWinner}
    ?data-lost=${isOver && !isWinner} ?data-leads=${leads} aria-label=${teamName(battle, team)}>
    ${isDuel(battle.teams) ? nothing : html`<p class="team-name">Team ${team + 1}
      <span class="team-sum">${values ? counting(battle, team, values) : nothing}</span></p>`}
    <div class="columns">${battle.seats.filter((seat) => seat.team === team).map((seat) =>
      column(battle, seat, values, actions))}</div>
  </section>`;
}

/** What counts of a team, and its chance in a jackpot. */
function counting({ mode, crazy }, team, values) {
  const chance = mode === "jackpot" && room.place?.shown ? shares(values, crazy)[team] : null;
  return html`<strong>${coins(values[team])}</strong>${chance === null ? nothing
    : html` <span class="quiet">${(chance * 100).toFixed(1)} %</span>`}`;
}

function column(battle, seat, values, actions) {
  const isOwn = ownSeat(battle) === seat;
  const name = seatName(seat);
  return html`<div class="column" data-seat=${seat.seat} ?data-own=${isOwn} ?data-free=${!name}>
    <p class="who">${name ? seatPicture(seat, 36) : html`<span class="empty-picture" aria-hidden="true"></span>`}
      <span class="name">${name || `Seat ${seat.seat + 1}`}</span>
      ${isOwn ? html`<span class="badge">You</span>` : nothing}</p>
    <div class="stage">${stage(battle, seat, name, actions)}</div>
    ${values ? sum(battle, seat, values) : nothing}
    ${drawnItems(battle, seat.seat)}
  </div>`;
}

/** The picture of who sits on a seat. */
const seatPicture = ({ bot, player }, side) => (bot
  ? html`<img class="face" alt="" width=${side} height=${side} src=${BOT_PICTURE}>`
  : html`<span class="face">${picture("avatar", player?.avatar, side)}</span>`);

function stage(battle, seat, name, actions) {
  if (battle.state === "open") return name ? ready("Ready") : freeSeat(battle, seat.seat, actions);
  if (battle.state === "locked") return ready("Locked in", "pulse");
  if (battle.state === "settled") return room.place ? drawing(battle, seat, name) : ready("…");
  const computed = battle.state === "void" ? computedOutcome(battle) : null;
  return html`<p class="ready quiet">Coins returned ${
    computed ? wouldHaveWon(computed.payouts[seat.seat]) : nothing}</p>`;
}

const ready = (text, more = "") =>
  html`<p class="ready ${more}"><strong aria-hidden="true">✓</strong> ${text}</p>`;

function freeSeat(battle, seat, { join, callBot }) {
  const own = ownSeat(battle);
  const number = seat + 1;
  return html`<div class="ready">
    ${!getToken() || own ? html`<span class="quiet">Free seat</span>` : html`<button type="button" class="join"
      @click=${() => join(seat)}>Join <span class="unseen">on seat ${number} for</span> ${
        coins(battle.costCents)}</button>`}
    ${own?.seat === 0 && !battle.playersOnly
      ? namedButton("Call a bot", `to seat ${number}`, () => callBot(seat)) : nothing}
  </div>`;
}

function drawing(battle, seat, name) {
  const { place, strips, motions } = room;
  if (place.isOver) return outcome(battle, seat);
  if (place.isDraw) return html`<p class="ready quiet">The draw decides</p>`;
  const label = place.isTurning ? `The reel of ${name} is turning`
    : `The reel of ${name} stopped at ${battle.drawn[seat.seat][place.step].item}`;
  return seatReel(strips[place.step][seat.seat], motions[seat.seat], { isTurning: place.isTurning, label });
}

function outcome({ payoutsCents, winners }, { seat, team }) {
  if (!winners.includes(team)) return html`<p class="ready quiet">No payout</p>`;
  return html`<p class="ready payout"><span>Wins</span><strong>${coins(payoutsCents[seat])}</strong></p>`;
}

/** What a seat of a void battle would have got. */
const wouldHaveWon = (cents) =>
  html`<span class="would">${cents ? html`Would have won ${coins(cents)}` : "Would have won nothing"}</span>`;

/** The running sum of a seat, and what else counts. */
function sum(battle, { seat, team }, values) {
  const shown = Math.min(room.place?.shown ?? 0, battle.cases.length);
  const cents = battle.drawn[seat].slice(0, shown).reduce((total, { priceCents }) => total + priceCents, 0);
  const isAlone = isDuel(battle.teams);
  const chance = battle.mode === "jackpot" && shown && isAlone ? shares(values, battle.crazy)[team] : null;
  return html`<p class="sum"><strong>${coins(cents)}</strong>
    ${battle.terminal && isAlone ? html`<span class="quiet">last case ${format(values[team])}</span>` : nothing}
    ${chance === null ? nothing : html`<span class="quiet">${(chance * 100).toFixed(1)} %</span>`}</p>`;
}

/** What a seat has drawn, the newest first. */
function drawnItems({ drawn }, seat) {
  const shown = drawn ? drawn[seat].slice(0, room.place?.shown ?? 0) : [];
  const items = shown.map((each, place) => ({ ...each, place })).reverse();
  return html`<ol class="drawn" reversed>${repeat(items, ({ place }) => place, ({ item, priceCents, place }) => {
    const strip = room.strips[place]?.[seat];
    const cell = strip?.cells[strip.stop];
    return html`<li data-rarity=${cell?.rarity ?? "common"} title=${item}>
      ${picture("item", cell?.image, 40)}<span class="item">${item}</span>
      <span class="price">${format(priceCents)}</span></li>`;
  })}</ol>`;
}

/** The draw among teams while it turns; that of a tie stays afterwards. */
export function drawOfTeams(battle) {
  const { place, draw, drawMotion } = room;
  const isShown = place?.isDraw || (place?.isOver && battle.tie);
  if (battle.state !== "settled" || !isShown || !drawMotion) return nothing;
  const label = place.isTurning ? "The draw is turning" : `The draw stopped at ${teamName(battle, battle.winners[0])}`;
  return html`<div id="battle-draw" class="draw">
    ${drawReel(draw, drawMotion, {
      isTurning: place.isTurning,
      label,
      nameOf: (team) => teamName(battle, team),
      pictureOf: (team) => seatPicture(battle.seats.find((seat) => seat.team === team), 56),
    })}
    <p class="shares">${drawOf(battle).map(({ team, chance }) => html`<span class="share-of" data-team=${team}
      .style=${`flex-grow: ${Math.max(chance, 0.001)}`}><span class="unseen">${teamName(battle, team)} </span>${
        (chance * 100).toFixed(chance < 0.1 ? 1 : 0)} %</span>`)}</p>
  </div>`;
}
