// The room of a battle: a column for each seat in the frame of its team, reels in step, sums, and who wins. Spectators
// see the same as players.

import { callBot, joinBattle, leaveBattle } from "../battles/actions.js";
import { chanceText, tieChance } from "../battles/chances.js";
import { drawReel, seatReel } from "../battles/reels.js";
import {
  enterRoom, isFast, isLate, leaveRoom, ownSeat, receiptState, replay, resultWords, room, skipToEnd, switchFast, take,
  untilRound, valuesNow,
} from "../battles/room.js";
import {
  BOT, counted, isDuel, listed, modeNames, seatName, teamName, teamSizes, whoWins,
} from "../battles/terms.js";
import { drawOf, leading, shares } from "../battles/timeline.js";
import { keptSeat } from "../fairness/battle-seats.js";
import { canVerify } from "../fairness/rolls.js";
import { format, formatTime } from "../format.js";
import { addressOfCase } from "../game/case-content.js";
import { html, live, nothing, repeat } from "../lit.js";
import { coins, logins, namedButton, picture, saveLink, signedCoins, values } from "../parts/elements.js";
import { Actions, ask } from "../parts/forms.js";
import { setTitle } from "../router.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { loadStyles } from "../styles.js";

await loadStyles("battles.css");

const actions = new Actions("battle-said");
const tie = { of: null, text: "" }; // the chance of a tie of the battle `of`
const verdict = { of: null, checks: null, problem: "", isBusy: false };

const BOT_PICTURE = "/assets/battles/bot.svg";

export async function enter({ id }) {
  Object.assign(verdict, { of: id, checks: null, problem: "", isBusy: false });
  await enterRoom(id);
  if (room.battle) setTitle(`Battle for ${format(room.battle.costCents)}`);
  showTieChance();
}

export const leave = () => leaveRoom();

async function showTieChance() {
  const { battle } = room;
  if (!battle || battle.state !== "open") return;
  const text = await tieChance(battle).then(chanceText, () => "unknown");
  Object.assign(tie, { of: battle.id, text });
  update();
}

export function page() {
  const { battle, problem } = room;
  if (problem && !battle) {
    return html`<p role="alert">${problem}.</p><p><a href="/battles">See all battles</a></p>`;
  }
  if (!battle) return html`<p class="quiet">Loading…</p>`;
  return html`
    ${summary(battle)}
    ${casesOf(battle)}
    <div id="battle" class="battle" data-state=${battle.state} data-seats=${battle.seats.length}
      data-teams=${battle.teams} ?data-over=${room.place?.isOver}>
      ${headline(battle)}
      ${drawOfTeams(battle)}
      <div class="arena">${teamSizes(battle.teams).map((_, team) => frame(battle, team))}</div>
    </div>
    <p id="battle-live" class="unseen" role="status">${room.said}</p>
    ${actions.view()}
    ${controls(battle)}
    ${fairness(battle)}`;
}

const demoNotice = () => (room.rules?.demo ? html`<p id="demo-network" class="hint">This server draws its rounds from a
  network of its own, for demonstration: the house holds the key of this network, so it could know results early.</p>`
  : nothing);

// What is played

const summary = (battle) => html`
  <div class="facts">
    <p class="marks">${marks(battle)}</p>
    <p>Each seat ${coins(battle.costCents)}</p>
    ${battle.state === "open" && tie.of === battle.id ? html`
      <p id="tie-chance" class="quiet">Chance of a tie: ${tie.text}</p>` : nothing}
    <p class="quiet rule">${whoWins(battle)}</p>
  </div>`;

const marks = (battle) => [...modeNames(battle), battle.teams, ...(battle.private ? ["Private"] : []),
  ...(battle.playersOnly ? ["Players only"] : [])].map((name) => html`<span class="badge">${name}</span> `);

function casesOf({ cases, state: now }) {
  const { place } = room;
  let first = 0;
  const groups = counted(cases).map((group) => {
    const begin = first;
    first += group.count;
    const isNow = now === "settled" && place && !place.isOver && !place.isDraw
      && begin <= place.step && place.step < first;
    return { ...group, isNow, isPast: place?.isOver || (place && place.step >= first) };
  });
  return html`<ol id="battle-cases" class="case-strip" tabindex="0" role="list" aria-label="Cases of this battle">
    ${groups.map(({ id, name, image, priceCents, count, isNow, isPast }) => html`
      <li class=${isNow ? "now" : isPast ? "past" : ""} aria-current=${isNow ? "step" : nothing}>
        ${picture("item", image, 44)}
        <a href=${addressOfCase("case", id)} target="_blank">${name}</a>
        <span class="quiet">${count > 1 ? `${count} × ` : ""}${format(priceCents)}</span>
      </li>`)}
  </ol>`;
}

// What happens now

function headline(battle) {
  const [title, text] = said(battle);
  return html`<div class="headline">
    <p id="battle-title" class="title">${title}</p>
    <p id="battle-text" class="quiet">${text}</p>
  </div>`;
}

/** What happens now, in a few words, and what is to be known of it. */
function said(battle) {
  const { place } = room;
  if (battle.state === "open") return waitingForPlayers(battle);
  if (battle.state === "locked") return waitingForRound(battle);
  if (battle.state === "cancelled") return ["Cancelled", "All seats got their coins back. Nothing was drawn."];
  if (battle.state === "void") return ["Void", html`${whyVoid(battle)} All seats got their coins back.`];
  if (!place) return ["The cases are opened…", ""];
  if (place.isOver) return [resultWords(battle), outcomeOfOwn(battle)];
  if (place.isDraw) {
    return battle.tie ? [`A tie of ${listed(battle.tie.map((team) => teamName(battle, team)))}`,
      "Each has the same chance in this draw."] : ["The draw", "The chances are as shown."];
  }
  const now = Math.min(place.step, battle.cases.length - 1);
  return [`Case ${now + 1} of ${battle.cases.length}`, battle.cases[now].name];
}

function waitingForPlayers({ seats, ...battle }) {
  const free = seats.filter(({ bot, player }) => !bot && !player).length;
  return [`Waiting for ${free === 1 ? "one more player" : `${free} more players`}`,
    battle.private ? "This battle is only not listed: share its address. Its entry in the log is public."
      : "It begins when all seats are taken. Until then you can leave."];
}

function waitingForRound({ round }) {
  const seconds = untilRound() / 1_000;
  const whose = ownSeat() ? "Your coins are held." : "The coins are held.";
  if (isLate()) {
    return ["Waiting for the network", `The result is fixed by round ${round}, which the network has not published yet ` +
      `(${Math.floor(-seconds)} s late). ${whose}`];
  }
  const when = seconds > 0 ? `in ${Math.ceil(seconds)} s` : "now";
  return [`Round ${round} ${when}`, `All seats are taken. The result is fixed by round ${round} of the public network.`];
}

const VOID = {
  late: "The entry that fixes this battle was not in the public log in time.",
  beacon: "The network did not publish the round within 24 hours.",
  restore: "The server was restored from a backup that did not have this battle in the public log.",
};

const whyVoid = ({ reason }) => VOID[reason] ?? `${reason}.`;

function outcomeOfOwn(battle) {
  const own = ownSeat(battle);
  if (!own) return `A seat cost ${format(battle.costCents)} coins.`;
  return html`Your seat: ${signedCoins(battle.payoutsCents[own.seat] - battle.costCents)}`;
}

// The draw among teams

function drawOfTeams(battle) {
  const { place, draw, drawMotion } = room;
  if (battle.state !== "settled" || !draw || !drawMotion || !place || !(place.isDraw || (place.isOver && battle.tie))) {
    return nothing;
  }
  const teams = drawOf(battle);
  const label = place.isTurning ? "The draw is turning" : `The draw stopped at ${teamName(battle, battle.winners[0])}`;
  return html`<div id="battle-draw" class="draw">
    ${drawReel(draw, drawMotion, {
      isTurning: place.isTurning,
      label,
      nameOf: (team) => teamName(battle, team),
      pictureOf: (team) => seatPicture(battle.seats.find((seat) => seat.team === team), 56),
    })}
    <p class="shares">${teams.map(({ team, chance }) => html`<span class="share-of" data-team=${team}
      .style=${`flex-grow: ${Math.max(chance, 0.001)}`}><span class="unseen">${teamName(battle, team)} </span>${
        (chance * 100).toFixed(chance < 0.1 ? 1 : 0)} %</span>`)}</p>
  </div>`;
}

// Teams and seats

function frame(battle, team) {
  const { place } = room;
  const seats = battle.seats.filter((seat) => seat.team === team);
  const shown = battle.state === "settled" ? valuesNow() : null;
  const isOver = Boolean(place?.isOver);
  const isWinner = battle.state === "settled" && isOver && battle.winners.includes(team);
  const leads = shown && !isOver && leading(battle, shown).includes(team);
  return html`<section class="team" data-team=${team} data-size=${seats.length} ?data-won=${isWinner}
    ?data-lost=${isOver && !isWinner} ?data-leads=${leads} aria-label=${teamName(battle, team)}>
    ${isDuel(battle.teams) ? nothing : html`<p class="team-name">Team ${team + 1}
      ${shown ? html`<strong>${coins(shown[team])}</strong>` : nothing}</p>`}
    <div class="columns">${seats.map((seat) => column(battle, seat, shown))}</div>
  </section>`;
}

function column(battle, seat, shown) {
  const isOwn = ownSeat(battle) === seat;
  const name = seatName(seat);
  const number = seat.seat;
  return html`<div class="column" data-seat=${number} ?data-own=${isOwn} ?data-free=${!name}>
    <p class="who">${name ? seatPicture(seat, 36) : html`<span class="empty-picture" aria-hidden="true"></span>`}
      <span class="name">${name || `Seat ${number + 1}`}${isOwn ? html` <span class="badge">You</span>` : nothing}</span></p>
    <div class="stage">${stage(battle, seat, name)}</div>
    ${shown ? sums(battle, seat, shown) : nothing}
    ${drawnItems(battle, number)}
  </div>`;
}

/** The picture of who sits on a seat. */
const seatPicture = ({ bot, player }, side) => (bot ? html`<img class="face" alt="" width=${side} height=${side}
  src=${BOT_PICTURE}>` : html`<span class="face">${picture("avatar", player?.avatar ?? player?.picture, side)}</span>`);

function stage(battle, seat, name) {
  const { place, strips, motions } = room;
  const number = seat.seat;
  if (battle.state === "settled" && place && !place.isOver && !place.isDraw) {
    const strip = strips[place.step][number];
    const drawn = battle.drawn[number][place.step].item;
    const label = place.isTurning ? `The reel of ${name} is turning` : `The reel of ${name} stopped at ${drawn}`;
    return seatReel(strip, motions[number], { isTurning: place.isTurning, label });
  }
  if (battle.state === "settled" && place?.isOver) return outcome(battle, seat);
  if (battle.state === "settled" && place?.isDraw) return html`<p class="ready quiet">The draw decides</p>`;
  if (battle.state === "open" && !name) return freeSeat(battle, number);
  if (battle.state === "open") return html`<p class="ready"><strong aria-hidden="true">✓</strong> Ready</p>`;
  if (battle.state === "locked") return html`<p class="ready pulse"><strong aria-hidden="true">✓</strong> Locked in</p>`;
  return html`<p class="ready quiet">${battle.state === "void" ? wouldHaveWon(battle, seat) : "Coins returned"}</p>`;
}

function outcome({ payoutsCents, winners }, { seat, team }) {
  if (!winners.includes(team)) return html`<p class="ready quiet">No payout</p>`;
  return html`<p class="ready payout"><span>Wins</span><strong>${coins(payoutsCents[seat])}</strong></p>`;
}

/** Of a void battle whose seed and round are known, who would have won. */
function wouldHaveWon({ payoutsCents }, { seat }) {
  if (!payoutsCents) return "Coins returned";
  return payoutsCents[seat] ? html`Would have won ${coins(payoutsCents[seat])}` : "Would have won nothing";
}

function freeSeat(battle, number) {
  if (!getToken()) return html`<p class="ready quiet">Free seat</p>`;
  const own = ownSeat(battle);
  const canCall = own?.seat === 0 && !battle.playersOnly;
  return html`<div class="ready">
    ${own ? html`<span class="quiet">Free seat</span>` : html`<button type="button" class="join"
      aria-label="Join on seat ${number + 1} for ${format(battle.costCents)} coins"
      @click=${() => actions.run(() => join(battle, number))}>Join</button>`}
    ${canCall ? namedButton(`Call a ${BOT.toLowerCase()}`, `to seat ${number + 1}`, () =>
      actions.run(() => act(() => callBot(battle, number), `A bot takes seat ${number + 1}.`))) : nothing}
  </div>`;
}

/** The running sum of a seat, and what counts of it. */
function sums(battle, { seat, team }, shown) {
  const count = Math.min(room.place?.shown ?? 0, battle.cases.length);
  const cents = battle.drawn[seat].slice(0, count).reduce((sum, { priceCents }) => sum + priceCents, 0);
  const chance = battle.mode === "jackpot" && count ? shares(shown, battle.crazy)[team] : null;
  const last = battle.terminal && isDuel(battle.teams) ? html`<span class="quiet">last case ${format(shown[team])}</span>`
    : nothing;
  return html`<p class="sum"><strong>${coins(cents)}</strong>${last}${chance === null ? nothing
    : html`<span class="quiet">${(chance * 100).toFixed(1)} %</span>`}</p>`;
}

function drawnItems(battle, seat) {
  const count = battle.state === "settled" ? Math.min(room.place?.shown ?? 0, battle.cases.length) : 0;
  const drawn = battle.drawn && count ? battle.drawn[seat].slice(0, count) : [];
  return html`<ol class="drawn" reversed>${repeat(drawn.map((each, place) => ({ ...each, place })).reverse(),
    ({ place }) => place, ({ item, priceCents, place }) => {
      const cell = room.strips[place]?.[seat];
      const shown = cell?.cells[cell.stop];
      return html`<li data-rarity=${shown?.rarity ?? "common"} title=${item}>
        ${picture("item", shown?.image, 40)}<span class="item">${item}</span>
        <span class="price">${format(priceCents)}</span></li>`;
    })}</ol>`;
}

// What can be done

async function act(request, text) {
  await take(await request());
  return text;
}

const join = (battle, number) => act(() => joinBattle(battle, number), `You have seat ${number + 1}.`);

async function leaveSeat(battle) {
  const isCreator = ownSeat(battle).seat === 0;
  if (isCreator && !(await ask("leave-battle", "Cancel this battle?",
    html`<p>You have created it: when you leave, all seats get their coins back.</p>`, "Cancel the battle"))) {
    return undefined;
  }
  return act(() => leaveBattle(battle), isCreator ? "The battle is cancelled." : "You have left. Your coins are back.");
}

let isCopied = false;

async function copyLink() {
  isCopied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
  update();
}

function controls(battle) {
  const { place } = room;
  const isRunning = battle.state === "settled" && place && !place.isOver;
  return html`<div class="row controls">
    ${battle.state === "open" && !getToken() ? logins() : nothing}
    ${battle.state === "open" && ownSeat(battle) ? html`<button id="leave-seat" type="button" class="plain"
      @click=${() => actions.run(() => leaveSeat(battle))}>${
        ownSeat(battle).seat === 0 ? "Cancel the battle" : "Leave"}</button>` : nothing}
    ${isRunning ? html`<button id="skip-battle" type="button" class="plain" @click=${skipToEnd}>Show the result</button>`
      : nothing}
    ${place?.isOver ? html`<button id="replay" type="button" class="plain" @click=${replay}>Replay</button>` : nothing}
    <label class="switch"><input id="fast" type="checkbox" role="switch" .checked=${live(isFast())}
      @change=${switchFast}> Fast <span class="quiet">animation only</span></label>
    <button id="copy-link" type="button" class="plain" @click=${copyLink}>${isCopied ? "Link copied" : "Copy link"}</button>
    <a href="/battles" class="plain">All battles</a>
  </div>`;
}

// The proof

const RECEIPTS = {
  before: "The receipt of your seat came before the round: nobody could know the result when it was fixed.",
  late: "The receipt of your seat came after the time of the round. It does not prove that the result was unknown when " +
    "your seat was fixed.",
  fetched: "This browser was not connected when the receipt of your seat was sent, and has fetched it afterwards. That " +
    "the battle was fixed before the round rests on those who watch the log.",
  none: "This browser has no receipt of your seat.",
};

async function verify(battle) {
  Object.assign(verdict, { of: battle.id, checks: null, problem: "", isBusy: true });
  await update();
  try {
    const { verifyBattle } = await import("../fairness/battles.js");
    verdict.checks = await verifyBattle(battle.sent);
  } catch ({ message }) {
    verdict.problem = `The battle could not be verified: ${message}`;
  }
  verdict.isBusy = false;
  await update();
  document.getElementById("battle-verdict")?.focus();
}

function fairness(battle) {
  const { serverSeedCommitment, serverSeed, round, entry, signature, randomness } = battle;
  const known = [
    ["The server's commitment: the SHA-256 of its seed", serverSeedCommitment], ["Server seed", serverSeed],
    ...battle.seats.map((seat) => [`Client seed of ${seatName(seat) || `seat ${seat.seat + 1}`}`, seat.clientSeed]),
    ["Round of the network", round], ["Entry in the public log", entry], ["Signature of the round", signature],
    ["Randomness: the SHA-256 of the signature", randomness],
  ].filter(([, value]) => value !== undefined && value !== null);
  const receipt = receiptState();
  const isEnded = ["settled", "void"].includes(battle.state);
  return html`<section class="proof" aria-labelledby="proof-title">
    <h3 id="proof-title">Provably fair</h3>
    <p class="quiet">The server has committed to a secret seed. When the last seat is taken, seats and cases are fixed in
      the public log, and with them the round of a public network that decides. Nobody knows this round before its time.</p>
    ${demoNotice()}
    ${receipt ? html`<p id="battle-receipt" class=${receipt === "before" ? "passed" : receipt === "late" ? "failed" : "quiet"}>${
      RECEIPTS[receipt]} ${keptSeat(battle.id)?.receipt ? saveLink("Save the receipt", `battle-${battle.id}.tlog-proof`,
        () => keptSeat(battle.id).receipt) : nothing}</p>` : nothing}
    ${isEnded ? html`<p class="row"><button id="verify-battle" type="button" class="plain" aria-disabled=${verdict.isBusy}
      @click=${() => (verdict.isBusy ? undefined : verify(battle))}>Verify in the browser</button>
      <span class="quiet">${canVerify() ? "" : "Browsers can compute hashes on https pages only."}</span></p>` : nothing}
    ${verification(battle)}
    <details><summary>Seeds, round and log</summary>${values(known)}
      <p class="more">${entry === undefined ? nothing : html`<a href="/public-log">Public log</a>`}
        <span class="quiet">Created ${formatTime(battle.createdAt)}</span></p></details>
  </section>`;
}

function verification({ id }) {
  const { of, checks, problem, isBusy } = verdict;
  if (of !== id || !(checks || problem || isBusy)) return nothing;
  if (isBusy) return html`<p class="quiet" role="status">Recomputing…</p>`;
  if (problem) return html`<p id="battle-verdict" class="problem" role="alert" tabindex="-1">${problem}</p>`;
  const isRight = checks.every((check) => check.isRight !== false);
  const isWhole = checks.every((check) => check.isRight);
  return html`<div id="battle-verdict" class="found" role="status" tabindex="-1">
    <strong class=${isRight ? "passed" : "failed"}>${isRight ? (isWhole ? "✓ Verified: your browser has recomputed this battle."
      : "✓ What could be checked is right.") : "✗ NOT verified."}</strong>
    <ul class="checks">${checks.map(({ name, isRight: passed, detail }) => html`
      <li class=${passed === null ? "" : passed ? "passed" : "failed"}>${passed === null ? "?" : passed ? "✓" : "✗"} ${name}${
        detail ? html` <span class="quiet">${detail}</span>` : nothing}</li>`)}</ul>
  </div>`;
}
