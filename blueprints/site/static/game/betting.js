// Bets of all games: one at a time, from the server's commitment to its proof.
//
// What happens in a bet, in this order (`<game>` is upgrader, case or irl):
//
//   upgrader:commitment   from the server: the hash of the seed that it has drawn for the player's next bet
//   upgrader:spin,        to the server: the bet, and a client seed chosen after that hash arrived
//     case:open, irl:open
//   <game>:pf             from the server: the roll or the ticket
//   (acknowledgement)     from the server: the outcome, or why the bet was refused
//   upgrader:commitment   from the server: for the bet after this one
//   balance               from the server
//   log:receipt           from the server: its signed promise that the bet is in the public log ten seconds later
//   <game>:proof          from the server, `proofDelay` seconds later: its seed, with which the bet is recomputed
//
// A bet that failed, or that has no answer, is sent again as it was, also after a reload (attempts.js).

import { getOwn } from "../api.js";
import { ask, socket } from "../connection.js";
import {
  attempts, attemptWith, commitmentEntry, isSettled, isUncompared, keepAttempt, noteAnnounced, recordObjection,
} from "../fairness/attempts.js";
import { keepBattleReceipt } from "../fairness/battle-seats.js";
import { addProof, findId, shownBet } from "../fairness/bet-list.js";
import { drawSeed, randomHex, seedCommitted, seedObjection, sendSeed, showSeed } from "../fairness/client-seed.js";
import { complaintAbout, lookUpSeeds, nameOf, recompute } from "../fairness/evidence.js";
import { readAttempt, RECORDS } from "../fairness/records.js";
import { getToken, playerId } from "../session.js";
import { state, update } from "../store.js";
import { followBets, isBalanceDue, noteAnswer, resetBalance, setBalance, spendableCents } from "./balance.js";
import { MISMATCH, namesAChange } from "./refusals.js";
import { tick } from "./sounds.js";

const REMEMBERED_BETS = 50;
const RESUMED_MS = 60_000; // A bet that may not have been settled is only resumed without a click within this time.
const BALANCE_MS = 2_000; // The balance after an answer, at most. The next connection brings a lost one.
const TIMER_MS = 20;
const INTERRUPTED_KEY = "bet-in-progress";

const NO_ROLL = { status: false, error: "The server did not send what decides the bet" };

// By nonce: a promise of what the player was shown of a bet, fulfilled when its wheel or reel has stopped.
const shownByNonce = new Map();
// Called for a bet that was settled while this page did not see it.
let resume = () => {};
// Promises of settled bets whose wheel or reel is turning.
const turning = new Set();
// When the shortest time between two bets is over.
let cycleEndsAt = 0;

/** Whether an attempt was neither settled nor refused for a reason that the player can change. */
const hasFailed = ({ answer }) => !answer || !(answer.status || namesAChange(answer));

/** The attempt that has to be sent again as it was before any other bet; null when there is none. */
export const openAttempt = () => (getToken() ? (attempts().find(isOpen) ?? null) : null);

/** The attempt that was in progress when this tab was reloaded; null when there was none. */
export function interruptedAttempt() {
  const requestId = sessionStorage.getItem(INTERRUPTED_KEY);
  const attempt = attempts().find(({ request }) => request.requestId === requestId);
  if (!attempt || isSettled(attempt)) return attempt ?? null;
  const isSoon = attempt.pf || Date.now() - attempt.at < RESUMED_MS;
  return isSoon && isOpen(attempt) ? attempt : null;
}

/** Follow the events of the socket. `resumed(attempt)` is called for a bet that was settled while no page saw it. */
export function startBetting(resumed) {
  resume = resumed;
  socket.on("upgrader:commitment", committed);
  socket.on("balance", setBalance);
  socket.on("log:receipt", promised);
  // After a restore of the database versions are lower than before.
  socket.on("connect", () => { state.balanceVersion = -1; });
  for (const game of Object.keys(RECORDS)) {
    socket.on(`${game}:pf`, decided);
    socket.on(`${game}:proof`, (proof) => {
      keepProof(proof);
      proved(game, proof);
    });
  }
  // Another tab of this player has sent a bet, or got its answer.
  addEventListener("storage", followBets);
}

export function resetBetting() {
  shownByNonce.clear();
  resetBalance();
  update({ announced: null, fairness: "" });
}

/** Why no bet can be placed now, in words; null when one can. */
export function bettingObjection() {
  if (!getToken()) return "You are watching as a guest.";
  if (state.bet) return state.bet.game.inProgress;
  if (!state.isLive) return "There is no connection to the server at the moment.";
  if (isUncommitted()) return "Waiting for the commitment of the server.";
  if (Date.now() < cycleEndsAt) return "You can place the next bet in a moment.";
  return openAttempt() ? null : (recordObjection() ?? seedObjection());
}

/** Resolves when the server has committed to the next bet and the shortest time between two bets is over. */
export async function nextBet() {
  if (isUncommitted()) await new Promise((resolve) => { socket.once("upgrader:commitment", resolve); });
  if (isBalanceDue()) {
    await Promise.race([
      new Promise((resolve) => { socket.once("balance", resolve); }),
      new Promise((over) => { setTimeout(over, BALANCE_MS); }),
    ]);
  }
  await afterCycle();
}

// A timer may end a moment too early.
const afterCycle = () => new Promise((over) => { setTimeout(over, cycleEndsAt - Date.now() + TIMER_MS); });

/**
 * Record the next bet before it is sent: `{ game, event, content, terms, display, costCents }`. `content` is what the
 * game adds to the payload, `terms` what else decides the bet, and `display` what the page shows of it. Returns the
 * attempt, or null if the browser can't store it.
 */
export function begin({ content, ...bet }) {
  const { clientSeed, announced: { serverSeedCommitment, nonce } } = state;
  const seedIsSecret = sendSeed();
  if (seedIsSecret === null) return null;
  // The commitment makes the server refuse the bet if it has announced another one. The request id makes
  // sending the bet twice harmless.
  const request = { ...content, clientSeed, serverSeedCommitment, requestId: randomHex(16) };
  const { balanceVersion } = state;
  const leftCents = spendableCents() - bet.costCents;
  const attempt = {
    ...bet, player: playerId(), request, nonce, seedIsSecret, balanceVersion, leftCents, at: Date.now(),
  };
  return keepAttempt(attempt) ? attempt : null;
}

/**
 * Send an attempt, for the first time or again. Resolves with the server's answer when its wheel or reel has stopped;
 * without `waits` once it is settled, so that the next bet may be sent meanwhile (`allStopped`).
 *
 * `game.inProgress` is shown while the bet runs. `game.turn(attempt)` turns the wheel or the reel, which stops
 * `proofDelay` after the bet was decided; then `game.conclude(attempt)` shows the outcome.
 */
export async function play(attempt, game, waits = true) {
  let end;
  const over = new Promise((resolve) => { end = resolve; });
  shownByNonce.set(attempt.nonce, over);
  if (shownByNonce.size > REMEMBERED_BETS) shownByNonce.delete(shownByNonce.keys().next().value);
  sessionStorage.setItem(INTERRUPTED_KEY, attempt.request.requestId);
  update({ bet: { attempt, game }, fairness: "" });
  if (attempt.pf) turn(state.bet);
  if (attempt.proof) proved(attempt.game, attempt.proof);
  if (!isSettled(attempt)) await send(attempt);
  const stopping = stop(state.bet, end);
  if (waits || !isSettled(attempt)) await stopping;
  else follow(stopping);
  return attempt.answer;
}

/** Wait until the wheel or the reel of a bet has stopped, then show its outcome. */
async function stop(bet, end) {
  const { attempt, game } = bet;
  await bet.turning;
  if (sessionStorage.getItem(INTERRUPTED_KEY) === attempt.request.requestId) sessionStorage.removeItem(INTERRUPTED_KEY);
  update({ bet: state.bet === bet ? null : state.bet, shownNonce: attempt.nonce });
  if (isSettled(attempt)) game.conclude(attempt);
  else if (!isOpen(attempt)) drawSeed(); // The server has seen the seed of the refused bet.
  end(isSettled(attempt) ? readAttempt(attempt) : null);
}

/** Let the next bet be sent while this one, which is settled, is turning. */
function follow(stopping) {
  turning.add(stopping);
  stopping.finally(() => turning.delete(stopping));
  update({ bet: null });
}

/** Resolves when no wheel or reel is turning. */
export const allStopped = () => Promise.all(turning);

async function send(attempt) {
  const answer = await ask(attempt.event, attempt.request);
  attempt.answer = answer.status && !attempt.pf ? NO_ROLL : answer;
  keepAttempt(attempt);
  noteAnswer(attempt);
  // The event with the new commitment may be lost.
  if (answer.error === MISMATCH) await getOwn("/upgrader/commitment").then(committed, () => {});
}

/** Whether there is no commitment to the next bet, or a bet has been settled under it. */
const isUncommitted = () => !state.announced || attempts(state.announced.serverSeedCommitment).some(isSettled);

function isOpen({ request, answer }) {
  const { serverSeedCommitment: mine } = request;
  if (!hasFailed({ answer })) return false;
  if (answer?.error === MISMATCH && state.announced && state.announced.serverSeedCommitment !== mine) return false;
  const { replacedBy, serverSeed } = commitmentEntry(mine) ?? {};
  return !replacedBy && !serverSeed;
}

function committed(announced) {
  const isNew = announced.serverSeedCommitment !== state.announced?.serverSeedCommitment;
  noteAnnounced(announced);
  update({ announced });
  if (isNew) seedCommitted();
  const open = openAttempt();
  if (open) showSeed(open.request.clientSeed);
  lookUpEarlierSeeds();
}

async function lookUpEarlierSeeds() {
  await lookUpSeeds();
  update();
  if (attempts().some(isUncompared)) (await import("../fairness/receipts.js")).compareReceipts();
}

/** Keep the receipt of a bet or of a battle. The commitment to the next bet has arrived before that of a bet. */
function promised({ nonce, receipt, battle, proof }) {
  if (battle) {
    if (keepBattleReceipt({ battle, proof })) import("../battles/proof.js").then((loaded) => loaded.warnOfReceipt(battle));
    return;
  }
  const attempt = [state.bet?.attempt, ...attempts().filter(isSettled)].find((each) => each?.nonce === nonce);
  if (!attempt || attempt.receipt) return;
  const next = state.announced?.nonce === nonce + 1 ? state.announced.serverSeedCommitment : undefined;
  keepAttempt(Object.assign(attempt, { receipt, next, promisedAt: Date.now() }));
}

/** The roll or the ticket has arrived, before the outcome. */
function decided(pf) {
  const { attempt } = state.bet ?? {};
  // A repeated request is answered with the same roll once more.
  if (!attempt || attempt.pf || pf.nonce !== attempt.nonce) return;
  attempt.pf = pf;
  attempt.decidedAt = Date.now();
  cycleEndsAt = attempt.decidedAt + (state.rules?.minCycle ?? 0) * 1_000;
  afterCycle().then(() => update());
  keepAttempt(attempt);
  turn(state.bet);
}

function turn(bet) {
  const { attempt, game } = bet;
  game.turn(attempt);
  const leftMs = attempt.decidedAt + attempt.display.proofDelay * 1_000 - Date.now();
  tick(leftMs / 1_000);
  bet.turning = new Promise((stopped) => { setTimeout(stopped, leftMs); });
  update();
}

/** Store a proof that arrives while the wheel turns: after a reload it would not come again. */
function keepProof(proof) {
  const { attempt } = state.bet ?? {};
  if (attempt?.request.serverSeedCommitment !== proof.serverSeedCommitment) return;
  attempt.proof = proof;
  keepAttempt(attempt);
}

async function proved(game, proof) {
  const name = nameOf({ game, nonce: proof.nonce });
  try {
    const shown = await shownOf(proof);
    const own = await recompute({ ...proof, won: shown.won });
    if (state.announced) await lookUpEarlierSeeds();
    const complaint = complaintAbout(proof, own);
    const verdict = await addProof(game, proof, { ...shown, complaint });
    if (verdict === "good") update({ fairness: `✓ ${name} verified` });
    if (verdict === "bad" || verdict === "doubtful") update({ fairness: `✗ ${name} not verified` });
  } catch (problem) {
    update({ fairness: `${name} could not be verified: ${problem.message}` });
  }
}

/** What the player was shown of a bet: by this page, by one that was closed before the proof, or by neither. */
async function shownOf(proof) {
  const sent = attemptWith({ commitment: proof.serverSeedCommitment, clientSeed: proof.clientSeed });
  // The proof says that it was settled, so it has an answer.
  if (sent && !state.bet && hasFailed(sent)) resume(sent);
  const settled = sent && isSettled(sent) ? readAttempt(sent) : null;
  return (await shownByNonce.get(proof.nonce)) ?? settled ?? shownBet(await findId(proof));
}
