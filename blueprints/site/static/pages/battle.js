// The room of a battle: a column for each seat in the frame of its team, reels in step, sums, and who wins. Spectators
// see the same as players.

import { callBot, joinBattle, leaveBattle } from "../battles/actions.js";
import { arena, drawOfTeams } from "../battles/arena.js";
import { chanceText, tieChance } from "../battles/chances.js";
import { forgetVerdict, proof, verifyShown } from "../battles/proof-view.js";
import {
  enterRoom, hasLost, isFast, isLate, leaveRoom, ownSeat, replay, resultWords, room, skipToEnd, switchFast, take,
  untilRound,
} from "../battles/room.js";
import { counted, listed, modeNames, teamName, whoWins } from "../battles/terms.js";
import { format } from "../format.js";
import { addressOfCase } from "../game/case-content.js";
import { html, live, nothing, ref } from "../lit.js";
import { coins, logins, picture, signedCoins } from "../parts/elements.js";
import { Actions, ask } from "../parts/forms.js";
import { open, setTitle } from "../router.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { loadStyles } from "../styles.js";

await loadStyles("battles.css");

const actions = new Actions("battle-said");
const tie = { of: null, text: "" }; // the chance of a tie of the battle `of`

export async function enter({ id }) {
  forgetVerdict();
  await enterRoom(id);
  if (!room.battle) return;
  setTitle(`Battle for ${format(room.battle.costCents)}`);
  if (room.battle.state === "void") verifyShown({ isQuiet: true });
  showTieChance();
}

export const leave = () => leaveRoom();

async function showTieChance() {
  const { battle } = room;
  if (battle.state !== "open" || battle.mode !== "normal") return;
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
      data-teams=${battle.teams} ?data-over=${room.place?.isOver}
      ?data-lost=${room.place?.isOver && hasLost()}>
      ${headline(battle)}
      ${actions.view()}
      ${drawOfTeams(battle)}
      ${arena(battle, {
        join: (seat) => actions.run(() => act(() => joinBattle(battle, seat), `You have seat ${seat + 1}.`)),
        callBot: (seat) => actions.run(() => act(() => callBot(battle, seat), `A bot takes seat ${seat + 1}.`)),
      })}
    </div>
    <p id="battle-live" class="unseen" role="status">${room.said}</p>
    ${controls(battle)}
    ${proof(battle)}`;
}

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
    ${groups.map(({ id, name, image, snapshot, priceCents, count, isNow, isPast }) => html`
      <li class=${isNow ? "now" : isPast ? "past" : ""} aria-current=${isNow ? "step" : nothing}
        ${ref(isNow ? show : undefined)}>
        ${picture("item", image ?? dearestImage(snapshot), 44)}
        <a href=${addressOfCase("case", id)} target="_blank">${name}</a>
        <span class="quiet">${count > 1 ? `${count} × ` : ""}${format(priceCents)}</span>
      </li>`)}
  </ol>`;
}

/** The picture of the dearest item of a case. */
function dearestImage(snapshot) {
  const items = room.contents.get(snapshot) ?? [];
  return items.toSorted((one, other) => other.priceCents - one.priceCents).find(({ image }) => image)?.image;
}

/** Scroll the strip of cases, and nothing else, to one of them. */
function show(element) {
  const strip = element?.parentElement;
  if (strip) strip.scrollLeft = element.offsetLeft - strip.offsetLeft - (strip.clientWidth - element.clientWidth) / 2;
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
  if (place.isOver) {
    return [resultWords(battle), html`${outcomeOfOwn(battle)} ${battle.tie ? "A draw decided the tie." : ""}`];
  }
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
    return ["Waiting for the network", `The result is fixed by round ${round}, which the network has not published ` +
      `yet (${Math.floor(-seconds)} s late). ${whose}`];
  }
  const when = seconds > 0 ? `in ${Math.ceil(seconds)} s` : "now";
  return [`Round ${round} ${when}`, "All seats are taken. This round of the public network fixes the result."];
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
  return html`Your seat: ${signedCoins(battle.payoutsCents[own.seat] - battle.costCents)}.`;
}

// What can be done

async function act(request, text) {
  await take(await request());
  return text;
}

async function leaveSeat(battle) {
  const isCreator = ownSeat(battle).seat === 0;
  if (isCreator && !(await ask("leave-battle", "Cancel this battle?",
    html`<p>You have created it: when you leave, all seats get their coins back.</p>`, "Cancel the battle"))) {
    return undefined;
  }
  return act(() => leaveBattle(battle), isCreator ? "The battle is cancelled." : "You have left. Your coins are back.");
}

async function createSame(battle) {
  (await import("./new-battle.js")).copyOf(battle);
  open("/new-battle");
}

let isCopied = false;

async function copyLink() {
  isCopied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
  update();
}

function controls(battle) {
  const { place } = room;
  const isRunning = battle.state === "settled" && place && !place.isOver;
  const isEnded = place?.isOver || ["cancelled", "void"].includes(battle.state);
  return html`<div class="row controls">
    ${battle.state === "open" && !getToken() ? logins() : nothing}
    ${battle.state === "open" && ownSeat(battle) ? html`<button id="leave-seat" type="button" class="plain"
      @click=${() => actions.run(() => leaveSeat(battle))}>${
        ownSeat(battle).seat === 0 ? "Cancel the battle" : "Leave"}</button>` : nothing}
    ${isRunning ? html`<button id="skip-battle" type="button" class="plain"
      @click=${skipToEnd}>Show the result</button>` : nothing}
    ${place?.isOver ? html`<button id="replay" type="button" class="plain" @click=${replay}>Replay</button>` : nothing}
    ${isEnded && getToken() ? html`<button id="create-same" type="button" class="plain"
      @click=${() => createSame(battle)}>Create the same</button>` : nothing}
    <label class="switch"><input id="fast" type="checkbox" role="switch" .checked=${live(isFast())}
      @change=${switchFast}> Fast <span class="quiet">animation only</span></label>
    <button id="copy-link" type="button" class="plain" @click=${copyLink}>${
      isCopied ? "Link copied" : "Copy link"}</button>
    <a href="/battles" class="plain">All battles</a>
  </div>`;
}
