// What the attempts under a commitment show once its server seed is known, and what else a player should know about
// commitments. attempts.js stores them.

import { getOwn } from "../api.js";
import { namesAChange } from "../game/refusals.js";
import { state } from "../store.js";
import { attempts, commitmentEntry, commitments, isSettled, keepCommitment } from "./attempts.js";
import { RECORDS } from "./records.js";
import { canVerify, digestOf, sha256 } from "./rolls.js";

// A bet's proof arrives by itself, seconds after the bet. Later it is looked up.
const PROOF_MS = 30_000;

const MANY = 100; // attempts under one commitment
const LATE_MS = 600_000; // A proof of the log that can't be fetched for so long is reported.

const TIMES = ["", "once", "twice"];

export const nameOf = ({ game, nonce }) => `${RECORDS[game].noun} ${nonce}`;

/**
 * Recompute the attempts under a commitment with its server seed, as `bet` has revealed it: `serverSeed`,
 * `serverSeedCommitment`, `clientSeed`, `nonce`, and whether it `won`. Returns what is known of the commitment then.
 */
export async function recompute(bet) {
  const commitment = canVerify() ? await sha256(bet.serverSeed) : bet.serverSeedCommitment;
  const known = commitmentEntry(commitment);
  if (known?.serverSeed) return known;
  const others = attempts(commitment).filter((attempt) => !isSettled(attempt) && !isPaid(attempt, bet));
  const wins = canVerify() || others.length === 0 ? [] : null;
  for (const attempt of wins ? others : []) {
    const { game, nonce, request: { clientSeed, requestId } } = attempt;
    const digest = await digestOf({ game, serverSeed: bet.serverSeed, clientSeed, nonce });
    if (RECORDS[game].wins(attempt, digest)) wins.push(requestId);
  }
  const entry = { commitment, nonce: bet.nonce, at: Date.now(), ...known, serverSeed: bet.serverSeed, wins };
  keepCommitment(entry);
  return entry;
}

/** Whether an attempt that may have been settled without an answer is the bet that was settled and paid. */
const isPaid = ({ answer, request }, { clientSeed, won }) =>
  won && request.clientSeed === clientSeed && !(answer && namesAChange(answer));

/**
 * Look up the seeds of earlier commitments whose proofs have not come, for example because the bet was played in
 * another browser.
 */
export async function lookUpSeeds() {
  const { announced: { nonce }, bet } = state;
  const playing = bet?.attempt.request.serverSeedCommitment;
  for (const entry of commitments()) {
    const isOver = entry.nonce < nonce && entry.commitment !== playing && !entry.replacedBy && !entry.serverSeed;
    if (isOver && !isProofDue(entry)) await lookUp(entry, nonce).catch(() => {}); // The next call tries again.
  }
}

const isProofDue = ({ commitment }) =>
  attempts(commitment).some((attempt) => isSettled(attempt) && Date.now() - attempt.at < PROOF_MS);

async function lookUp(entry, nonce) {
  // One bet has each nonce, so the place of a bet in the list follows from its nonce.
  const { data } = await getOwn(`/stats/fairness?limit=1&page=${nonce - entry.nonce}`);
  const bet = data.items.find(({ pf }) => pf.nonce === entry.nonce);
  if (!bet) return keepCommitment({ ...entry, missing: true });
  const { pf, status } = bet;
  const { serverSeed, serverSeedCommitment: replacedBy } = pf;
  if (replacedBy !== entry.commitment) return keepCommitment({ ...entry, replacedBy });
  const isOther = serverSeed && canVerify() && (await sha256(serverSeed)) !== entry.commitment;
  if (!serverSeed || isOther) return keepCommitment({ ...entry, missing: isOther || isLate(entry) });
  await recompute({ ...pf, won: status === "won" });
}

const isLate = ({ commitment }) => attempts(commitment).some(({ at }) => Date.now() - at > PROOF_MS);

/**
 * Why a bet can't be called verified, although its own seeds may be right; null when nothing speaks against it. `own`
 * is what `recompute` has found out about its commitment.
 *
 * Bets that were sent under another commitment, which is replaced or whose seed is not revealed, count against the
 * first bet that is proved after them.
 */
export function complaintAbout({ nonce }, own) {
  const refused = reportOn(own);
  if (refused) return refused;
  const isUntold = ({ told = nonce, ...entry }) => entry.nonce <= nonce && told === nonce;
  const lost = commitments().filter((entry) => isUntold(entry) && isLostWithBets(entry));
  for (const entry of lost) keepCommitment({ ...entry, told: nonce });
  return lost.length ? reportOn(lost[0]) : null;
}

const isLostWithBets = ({ commitment, serverSeed, replacedBy, missing }) =>
  !serverSeed && (replacedBy || missing) && attempts(commitment).length > 0;

/** What a player should know about a commitment, without a full stop; null when there is nothing. */
export function reportOn({ commitment, nonce, serverSeed, wins, replacedBy, missing }) {
  const sent = attempts(commitment);
  const broken = brokenPromise(commitment, !serverSeed && (replacedBy || missing));
  if (broken) return broken;
  if (serverSeed && !wins) return `Refused bets with the number ${nonce} can be recomputed on https pages only`;
  if (serverSeed) return reportWins(sent.filter(({ request }) => wins.includes(request.requestId)));
  if (replacedBy && !sent.length) return `The server replaced its commitment to bet ${nonce} before a bet was sent`;
  const unknown = "so bets that it refused or did not answer can't be recomputed";
  if (replacedBy) return `The server replaced its commitment to bet ${nonce} after a bet was sent, ${unknown}`;
  if (missing) return `The server has not revealed the seed of its commitment to bet ${nonce}, ${unknown}`;
  if (sent.length < MANY) return null;
  return `The server has not settled ${sent.length} bets under its commitment to bet ${nonce}`;
}

/** What is wrong with the receipt of a commitment's bet, which may be lost; null when nothing is. */
export function brokenPromise(commitment, isLost = false) {
  const promised = attempts(commitment).find(({ receipt, logged }) => receipt && logged === undefined);
  if (!promised) return null;
  const name = nameOf(promised).toLowerCase();
  const { broken = isLost && "it is not in the public log", failedAt } = promised;
  if (broken) return `The server has broken its promise about ${name}: ${broken}`;
  return Date.now() - failedAt > LATE_MS ? `The server has not proved that ${name} is in the public log` : null;
}

function reportWins(attempts) {
  const [first] = attempts;
  if (!first) return null;
  const what = attempts.some(({ answer }) => answer) ? "refused" : "left unanswered";
  const times = TIMES[attempts.length] ?? `${attempts.length} times`;
  return `${nameOf(first)} was ${what} ${times} with these seeds, and would have ${RECORDS[first.game].winning}`;
}

/** Everything about a commitment as a file for `/verify`, as text. */
export function evidenceOf({ commitment, nonce, serverSeed = null, replacedBy = null }) {
  const sent = attempts(commitment).map((attempt) => ({
    algorithm: `${attempt.game}-1`,
    event: attempt.event,
    ...attempt.request,
    ...attempt.terms,
    sentAt: attempt.at,
    answer: attempt.answer ?? null,
    receipt: attempt.receipt ?? null,
  }));
  return JSON.stringify({ serverSeedCommitment: commitment, nonce, serverSeed, replacedBy, attempts: sent }, null, 2);
}
