// Every bet that this browser has sent, with its seeds and its terms, and the commitment that it was sent under.
//
// A server that refused the bets that win, and settled those that lose, would otherwise look fair. So nothing is
// forgotten before the server seed is revealed and every bet under its commitment is recomputed (evidence.js).
//
// Each commitment and each attempt is an entry of localStorage, so that the tabs of a player do not overwrite each
// other's:
//
//   commitment   { commitment, nonce, at }, and once they are known: replacedBy, missing, serverSeed, told, and wins:
//                the request ids of the attempts that would have won and did not, null if they can't be recomputed
//   attempt      { player, game, event, request, nonce, terms, display, costCents, seedIsSecret, at, balanceVersion,
//                leftCents: the balance less the cost }, and once they have arrived: pf, decidedAt, answer, proof, and
//                receipt with promisedAt and next, the commitment that was announced with it; once the receipt is
//                compared (receipts.js): logged, the index, or broken; and failedAt, since when it can't be compared

import { playerId } from "../session.js";
import { canVerify } from "./rolls.js";

const PREFIX = "attempts";
const MOST_ATTEMPTS = 500; // of one player; a full record is never tidied by itself
const MOST_TIDY = 20; // commitments about which there is no more to find out

const keyOf = (player, commitment, requestId = "") => `${PREFIX}/${player}/${commitment}/${requestId}`;

/** Store a value; returns whether the browser has stored it. */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // The storage is full, or turned off.
  }
}

const keysOf = (prefix) => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** The player's entries, oldest first: all, or those of one commitment. */
const entries = (commitment) =>
  keysOf(commitment ? keyOf(playerId(), commitment) : `${PREFIX}/${playerId()}/`).map(parse)
    .sort((one, other) => one.at - other.at);

// Entries are read whenever the page is drawn, and parsed when they have changed.
const parsed = new Map();

function parse(key) {
  const text = localStorage.getItem(key);
  if (parsed.get(key)?.text !== text) parsed.set(key, { text, entry: JSON.parse(text) });
  return parsed.get(key).entry;
}

/** The player's attempts, oldest first: all, or those under one commitment. */
export const attempts = (commitment = null) => entries(commitment).filter(({ request }) => request);

/** Whether an attempt is a bet that the server has settled: one under each commitment at most. */
export const isSettled = ({ answer }) => answer?.status === true;

/** The attempt with this seed under a commitment, preferably the settled one; undefined when there is none. */
export function attemptWith({ commitment, clientSeed }) {
  const sent = attempts(commitment).filter(({ request }) => request.clientSeed === clientSeed);
  return sent.find(isSettled) ?? sent[0];
}

/** Store an attempt, or what has become of it; returns whether the browser has stored it. */
export const keepAttempt = (attempt) =>
  store(keyOf(attempt.player, attempt.request.serverSeedCommitment, attempt.request.requestId), attempt);

/** Why no further attempt can be stored, in words; null when one can. */
export const recordObjection = () =>
  attempts().length < MOST_ATTEMPTS ? null : "The record of refused bets is full. Save it below, then remove it.";

/** The commitments that the player has been shown and that are not tidied, oldest first. */
export const commitments = () => entries(null).filter(({ request }) => !request);

/** What is recorded of a commitment; undefined when the player has not been shown it. */
export const commitmentEntry = (commitment) => commitments().find((entry) => entry.commitment === commitment);

export const keepCommitment = (entry) => store(keyOf(playerId(), entry.commitment), entry);

/** Record the commitment that is announced now, and which ones it has replaced without a bet. */
export function noteAnnounced({ serverSeedCommitment: commitment, nonce }) {
  const earlier = commitments();
  const known = commitmentEntry(commitment);
  if (!known) keepCommitment({ commitment, nonce, at: Date.now() });
  else if (known.replacedBy) keepCommitment({ ...known, replacedBy: undefined }); // It is announced again.
  for (const entry of earlier) {
    const isReplaced = entry.commitment !== commitment && entry.nonce >= nonce;
    if (isReplaced && !entry.replacedBy && !entry.serverSeed) keepCommitment({ ...entry, replacedBy: commitment });
  }
  const tidy = earlier.filter(isTidy);
  for (const sent of tidy.flatMap((entry) => attempts(entry.commitment))) dropPictures(sent);
  for (const entry of tidy.slice(0, -MOST_TIDY)) forgetCommitment(entry.commitment);
}

/** The pictures of a large case are more than half of an attempt, and only a bet in progress needs them. */
function dropPictures(attempt) {
  if (attempt.display.images?.length) keepAttempt({ ...attempt, display: { ...attempt.display, images: [] } });
}

/** Whether there is nothing to report, or a commitment was replaced before a bet was sent. */
const isTidy = ({ commitment, serverSeed, wins, replacedBy }) =>
  serverSeed
    ? wins?.length === 0 && !attempts(commitment).some((sent) => isUncompared(sent) || sent.broken)
    : replacedBy && attempts(commitment).length === 0;

/** Whether the receipt of an attempt has not been compared with the public log. */
export const isUncompared = ({ receipt, logged, broken }) =>
  canVerify() && receipt && logged === undefined && !broken;

export function forgetCommitment(commitment) {
  for (const key of keysOf(keyOf(playerId(), commitment))) localStorage.removeItem(key);
}
