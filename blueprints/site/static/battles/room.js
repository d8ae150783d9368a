// The room of a battle: follows the battle through the socket, and says at which place of the drawing it is. Everybody
// who watches a battle when it ends sees it from its beginning; who comes later, at the place that the server's clock
// gives. A replay begins anew.

import { request } from "../api.js";
import { keepBattleReceipt, keptSeat } from "../fairness/battle-seats.js";
import { format } from "../format.js";
import { holdBack, isHeldBack, shownBalanceCents } from "../game/balance.js";
import { burstFrom } from "../game/motion.js";
import { play, tick } from "../game/sounds.js";
import { getToken } from "../session.js";
import { state, update } from "../store.js";
import { loadReceipt, loadRules } from "./actions.js";
import { localTime, noteServerTime, roundTime, serverNow } from "./clock.js";
import { loadContents } from "./contents.js";
import { drawStrip, lengthOf, paceOf, placeAt, stripsOf, valuesAfter } from "./timeline.js";
import { isDuel, listed, readBattle, seatName, teamName } from "./terms.js";
import { watchBattle } from "./watching.js";

const FAST_KEY = "fast-battles";
const TURN_SECONDS = 5; // until the rules of the site are loaded
const ARRIVAL_MS = 1_000; // after the time of its round, a beacon has usually arrived and ended the battle
const LATE_MS = 3_000; // after the time of its round, a beacon is called late
const CLOCK_MS = 500;
const TIMER_MS = 20; // A timer may end a moment too early.

/** What the page shows; `place` is as placeAt returns it, and null while nothing is drawn. */
export const room = {
  id: null,
  battle: null,
  problem: "",
  rules: null,
  contents: new Map(), // the items of the cases, by the hashes of their snapshots
  place: null,
  began: 0, // when the drawing began, by the clock of this browser
  strips: [],
  motions: [],
  draw: null,
  drawMotion: null,
  said: "", // the newest event in words
};

let watching = null;
let timer = null;
let clock = null;

export const isFast = () => localStorage.getItem(FAST_KEY) !== null;

const pace = () => paceOf(state.rules?.proofDelay ?? TURN_SECONDS, isFast());

/** Follow a battle. The one of before is left. */
export async function enterRoom(id) {
  leaveRoom();
  Object.assign(room, { id, battle: null, problem: "", place: null, drawMotion: null, said: "" });
  const loading = load(id);
  watching = watchBattle(id, {
    answered: ({ battle }) => { if (battle) loading.then(() => take(battle)); },
    changed: (battle) => loading.then(() => take(battle)),
  });
  await loading;
}

async function load(id) {
  try {
    const [response, rules] = await Promise.all([
      request(`/battles/${encodeURIComponent(id)}`), room.rules ?? loadRules(),
    ]);
    noteServerTime(response);
    room.rules = rules;
    await take(await response.json());
  } catch ({ message }) {
    if (room.id === id) room.problem = message;
    await update();
  }
}

export function leaveRoom() {
  watching?.stop();
  watching = null;
  clearTimeout(timer);
  clearInterval(clock);
  holdBack();
  Object.assign(room, { id: null, battle: null });
}

/** Show a battle as the server has sent it, unless it is shown already, or a newer version. */
export async function take(sent) {
  const battle = { ...readBattle(sent), sent };
  const before = room.battle;
  if (battle.id !== room.id || (before && before.version >= battle.version)) return;
  Object.assign(room, { battle, problem: "" });
  if (before) room.said = changeBetween(before, battle) || room.said;
  // What was said of an action is over, too.
  if (before && before.state !== battle.state) dispatchEvent(new Event("clear-messages"));
  followClock();
  loadContents(battle).then((contents) => { room.contents = contents; update(); });
  hold();
  if (battle.state === "settled") await begin(before ? Date.now() : localTime(endedAt(battle)));
  if (typeof battle.entry === "number") completeReceipt(battle);
  await update();
}

/** While the player waits for the outcome, the balance does not tell it: its event may come before the battle's. */
function hold() {
  const { state: now, payoutsCents } = room.battle;
  const own = ownSeat();
  if (!own || !["locked", "settled"].includes(now)) return holdBack();
  if (isHeldBack()) return;
  holdBack(now === "locked" ? { mostCents: shownBalanceCents() ?? Infinity } : { hiddenCents: payoutsCents[own.seat] });
}

/** About when a battle was settled, by the server's clock. */
const endedAt = ({ round }) => roundTime(room.rules.beacon, round) + ARRIVAL_MS;

/** What has changed, for those who listen. */
function changeBetween(before, { state: now, seats }) {
  if (now === "cancelled") return "The battle is cancelled.";
  if (now === "void") return "The battle is void.";
  if (now === "settled") return "The round has come. The cases are opened.";
  if (now === "locked") return "All seats are taken. The battle waits for its round.";
  const changes = seats.map((seat, place) => [seatName(before.seats[place]), seatName(seat), place + 1]);
  const [was, is, number] = changes.find(([one, other]) => one !== other) ?? [];
  return is ? `${is} takes seat ${number}.` : was ? `${was} leaves seat ${number}.` : "";
}

/** The seat of the signed-in player; undefined without one. */
export function ownSeat({ id, seats } = room.battle) {
  if (!getToken()) return undefined;
  const { known } = keptSeat(id) ?? {};
  return seats.find(({ player, clientSeed }) =>
    player && (player.username === state.player?.username || clientSeed === known?.clientSeed));
}

// The clock of a locked battle

/** Draw the page twice a second while it counts the time to the round. */
function followClock() {
  clearInterval(clock);
  if (room.battle.state === "locked") clock = setInterval(() => update(), CLOCK_MS);
}

/** How long until the round of the battle, in milliseconds; below 0 afterwards. */
export const untilRound = () => roundTime(room.rules.beacon, room.battle.round) - serverNow();

export const isLate = () => untilRound() < -LATE_MS;

// The drawing

async function begin(began) {
  const { battle } = room;
  const contents = await loadContents(battle);
  if (room.battle !== battle) return;
  room.strips = stripsOf(battle, (hash) => contents.get(hash));
  room.draw = drawStrip(battle);
  const isOver = Date.now() - began >= lengthOf(battle, pace());
  // At rest, for those who come when all is over.
  const atRest = room.draw && { from: room.draw.to, to: room.draw.to, seconds: 0, began: 0 };
  Object.assign(room, { began, place: null, drawMotion: isOver ? atRest : null });
  advance({ isQuiet: isOver });
}

/** Go to the place of this moment, and come back when something changes. */
function advance({ isQuiet = false } = {}) {
  clearTimeout(timer);
  const { battle, place: before, began } = room;
  const elapsedMs = Date.now() - began;
  const place = placeAt(battle, elapsedMs, pace());
  room.place = place;
  if (place.step !== before?.step) turn(place, isQuiet);
  if (!isQuiet) tell(place, before);
  if (place.isOver) finish(isQuiet);
  else timer = setTimeout(advance, Math.max(place.nextMs - elapsedMs, 0) + TIMER_MS);
  update();
}

/** Let the reels of a step turn: all of them in step. */
function turn({ step, isOver, isDraw }, isQuiet) {
  const { turnMs, restMs } = pace();
  const began = room.began + step * (turnMs + restMs);
  const motionOf = ({ from, to }) => ({ from, to, seconds: turnMs / 1_000, began });
  if (isOver) return;
  if (isDraw) room.drawMotion = motionOf(room.draw);
  else room.motions = room.strips[step].map(motionOf);
  if (!isQuiet) tick((began + turnMs - Date.now()) / 1_000);
}

function tell({ step, shown, isDraw, isTurning, isOver }, before) {
  const { battle } = room;
  if (shown > (before?.shown ?? 0)) {
    play("drawn");
    room.said = wordsOf(shown - 1);
  }
  if (isDraw && isTurning && step !== before?.step) room.said = drawWords(battle);
  if (isOver) room.said = resultWords(battle);
}

/** What the seats have drawn in a case: "Case 2 of 3, Night Shift: alice 12.00, Bot 2 0.50." */
function wordsOf(place) {
  const { cases, seats, drawn } = room.battle;
  const drawnNow = seats.map((seat, number) => `${seatName(seat)} ${format(drawn[number][place].priceCents)}`);
  return `Case ${place + 1} of ${cases.length}, ${cases[place].name}: ${drawnNow.join(", ")}.`;
}

const drawWords = (battle) => (battle.tie
  ? `${listed(battle.tie.map((team) => teamName(battle, team)))} tie. A draw decides.` : "The winner is drawn.");

/** Who has won how much, in a sentence. */
export function resultWords(battle) {
  const { mode, winners, payoutsCents, seats } = battle;
  const cents = payoutsCents.reduce((sum, payout) => sum + payout, 0);
  if (mode === "shared") return `All seats share ${format(cents)} coins.`;
  const names = isDuel(battle.teams) ? listed(winners.map((team) => teamName(battle, team)))
    : listed(seats.filter(({ team }) => winners.includes(team)).map(seatName));
  return `${names} ${isDuel(battle.teams) ? "wins" : "win"} ${format(cents)} coins.`;
}

/** Whether the player had a seat that has paid no more than it cost. */
export function hasLost() {
  const own = ownSeat();
  return Boolean(own) && room.battle.payoutsCents?.[own.seat] <= room.battle.costCents;
}

async function finish(isQuiet) {
  holdBack();
  if (isQuiet) return;
  play(hasLost() ? "lost" : "won");
  await update();
  const own = ownSeat();
  if (own && !hasLost()) burstFrom(document.querySelector(`[data-seat="${own.seat}"] .stage`), 140);
}

export function replay() {
  room.said = "";
  begin(Date.now());
}

export function skipToEnd() {
  room.began = Date.now() - lengthOf(room.battle, pace());
  advance();
}

/** Show the rest of the drawing faster or slower, from the same place on. Only the animation changes. */
export function switchFast() {
  const before = pace();
  if (isFast()) localStorage.removeItem(FAST_KEY);
  else localStorage.setItem(FAST_KEY, "on");
  const now = pace();
  if (room.place && !room.place.isOver && before.turnMs > 0) {
    const elapsedMs = Date.now() - room.began;
    room.began = Date.now() - (elapsedMs * now.turnMs) / before.turnMs;
    turn(room.place, true);
    advance();
  }
  update();
}

/** What counts of each team at this place, in cents; all of it once it is over. */
export const valuesNow = () => valuesAfter(room.battle, Math.min(room.place?.shown ?? 0, room.battle.cases.length));

// The receipt of the player's seat

/** Ask for a receipt that was sent while this browser was not connected. It proves less than one that came in time. */
async function completeReceipt({ id }) {
  if (!ownSeat() || keptSeat(id)?.receipt) return;
  await new Promise((over) => { setTimeout(over, 2 * LATE_MS); }); // It may be on its way.
  if (keptSeat(id)?.receipt || room.id !== id) return;
  try {
    keepBattleReceipt(await loadReceipt(id), { isFetched: true });
  } catch {
    // There is none before the lock is in the log, and none of a battle that is void.
  }
  update();
}

addEventListener("battle-receipt", () => update());

/**
 * What this browser's receipt proves of the player's seat: "before" the round, "late", "fetched" afterwards, or "none"
 * has arrived. Null without a seat or a round.
 */
export function receiptState() {
  const { battle, rules } = room;
  if (battle.round === undefined || !ownSeat()) return null;
  const kept = keptSeat(battle.id);
  if (!kept?.receipt) return "none";
  if (kept.isFetched) return "fetched";
  // By the clock of this browser: the server's would prove nothing.
  return kept.receivedAt < roundTime(rules.beacon, battle.round) ? "before" : "late";
}
