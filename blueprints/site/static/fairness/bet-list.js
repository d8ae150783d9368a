// The player's newest bets: each with its proof, recomputed here, and links to verify and to share it. They are `bets`
// of the store, newest first: `{ nonce, proof, shown, result, verdict, id }`. Above them are reports on the server's
// commitments: refused bets that would have won, commitments that were replaced or whose seeds were not revealed, and
// broken promises, each with its evidence as a file.

import { getOwn, Refused } from "../api.js";
import { format } from "../format.js";
import { html, nothing, repeat } from "../lit.js";
import { checks, namedButton, picture, saveLink, shareButton, signedCoins, values } from "../parts/elements.js";
import { getToken } from "../session.js";
import { state, update } from "../store.js";
import { attempts, attemptWith, commitments, forgetCommitment, isSettled } from "./attempts.js";
import { brokenPromise, evidenceOf, nameOf, reportOn } from "./evidence.js";
import { readAttempt, readBet, RECORDS, verifyProof } from "./records.js";
import { canVerify } from "./rolls.js";

const MOST = 8;
const SEEN_KEY = "seen-bets";
const MOST_SEEN = 24;
const NOT_FOUND = 404;

const VERDICTS = {
  good: (gives) => `Verified: your client seed and the committed server seed give ${gives}.`,
  known: (gives) =>
    `The seeds give ${gives}, but the server knew your client seed before it committed to its own,` +
    " so it could have chosen the outcome.",
  unseen: (gives) => `The seeds give ${gives}, but this browser did not see who chose them.`,
  bad: () => "NOT verified: this proof does not match what you were shown.",
  doubtful: (_gives, complaint) => `${complaint}.`,
  unknown: () => "Not verified: browsers can compute hashes on https pages only.",
};

/**
 * Recompute a bet from its proof and put it into the list; returns the verdict, a key of VERDICTS.
 *
 * `seen` is the bet as the player saw it, with a `complaint` when something else speaks against the server. A proof
 * may come twice: the second one changes nothing.
 */
export async function addProof(game, proof, seen) {
  const shown = { ...seen, game, complaint: seen.complaint ?? brokenPromise(seen.commitment) };
  const result = canVerify() ? await verifyProof(proof, shown) : null;
  const verdict = verdictOn(result, shown);
  if (!shown.stored) rememberSeen(shown);
  if (verdict === "unseen" ? betOf(proof) : isJudged(betOf(proof))) return verdict;
  const bet = { nonce: proof.nonce, proof, shown, result, verdict, id: shown.id };
  const others = state.bets.filter(({ nonce }) => nonce !== proof.nonce);
  update({ bets: [bet, ...others].sort((one, other) => other.nonce - one.nonce).slice(0, MOST) });
  // Without its id the bet has no link to share. The list shows the link after a reload.
  if (!bet.id) findId(proof).then((id) => { bet.id = id; update(); }, () => {});
  return verdict;
}

/** Add the newest bets that the server has stored, and verify those that this browser has seen meanwhile. */
export async function loadBets() {
  const owner = getToken();
  const { data } = await getOwn(`/stats/fairness?limit=${MOST}`);
  // A server seed is empty until its proof is due; such a bet is added when the proof arrives.
  const over = data.items.filter(({ game, pf }) => game in RECORDS && pf.serverSeed);
  for (const { id, game, pf } of over) {
    const bet = betOf(pf);
    if (isJudged(bet) || (bet && !seenOf(pf.serverSeedCommitment))) continue;
    const stored = await readBet(id);
    if (getToken() !== owner) return;
    await addProof(game, { ...pf, snapshot: stored.snapshot?.hash }, recalled(stored));
  }
}

const betOf = ({ nonce }) => state.bets.find((bet) => bet.nonce === nonce);

const isJudged = (bet) => bet && bet.verdict !== "unseen";

/** A bet that the server has stored as this browser has shown it, if it has. */
function recalled(stored) {
  // The outcome may have come before a reload of the page, and the proof after it.
  const sent = attemptWith(stored);
  const seen = seenOf(stored.commitment) ?? (sent && isSettled(sent) ? readAttempt(sent) : null);
  if (!seen) return stored;
  const snapshot = seen.snapshot && { hash: seen.snapshot.hash ?? seen.snapshot, text: stored.snapshot?.text };
  return { ...stored, ...seen, snapshot, stored: false };
}

/** A bet as the server has stored it, or as this browser has shown it. */
export const shownBet = async (id) => recalled(await readBet(id));

/** The id of a bet that the server has revealed. Rejects with the status 404 if it does not list the bet. */
export async function findId({ serverSeedCommitment, serverSeed }) {
  // The search finds a server seed a moment after its proof is sent; until then the bet is among the newest.
  for (const query of [`limit=${MOST}`, `search=${serverSeed}`]) {
    const { data } = await getOwn(`/stats/fairness?${query}`);
    const found = data.items.find(({ pf }) => pf.serverSeedCommitment === serverSeedCommitment);
    if (found) return found.id;
  }
  throw new Refused(NOT_FOUND, "The server does not list it.");
}

function verdictOn(result, shown) {
  if (!result) return "unknown";
  if (!result.checks.every((check) => check.passed)) return "bad";
  if (shown.complaint) return "doubtful";
  if (shown.stored) return "unseen";
  return shown.seedIsSecret ? "good" : "known";
}

/** Withdraw what was said of a bet, because something has been found out since. */
export function complain(nonce, complaint) {
  const bet = betOf({ nonce });
  if (bet) Object.assign(bet, { verdict: "doubtful", shown: { ...bet.shown, complaint } });
  update();
}

export const betList = () => html`
  ${state.bets.length ? nothing
    : html`<p class="quiet">Each bet appears here with its proof when the wheel or the reel has stopped.
      <a href="/fair">How a bet is decided</a></p>`}
  <ul id="proofs" class="proofs" aria-live="polite">${repeat(state.bets, ({ nonce }) => nonce, line)}</ul>`;

function line(bet) {
  const { nonce, proof, shown, result, verdict, id } = bet;
  const { gives, summary, verifyAddress } = RECORDS[shown.game];
  const { wagerCents, payoutCents } = shown;
  const name = nameOf({ ...shown, nonce });
  const away = shown.stored ? "Played before this page was loaded, or elsewhere. " : "";
  const opened = async ({ target }) => {
    if (!target.open) return;
    await (await import("./receipts.js")).compareReceipts();
    bet.isOpened = true;
    update();
  };
  return html`<li class="spun ${shown.won ? "won" : "lost"}" data-nonce=${nonce} data-verdict=${verdict}>
    ${picture("item", shown.image, 56)}
    <div>
      <p class="result">
        <strong>${id ? html`<a href="/b/${id}" target="_blank">${shown.item}</a>` : shown.item}</strong>
        ${signedCoins(payoutCents - wagerCents)}
      </p>
      <p class="quiet">Wager ${format(wagerCents)} · payout ${format(payoutCents)}</p>
      <p class="quiet">${name} · ${summary(shown)}</p>
      <p class="verdict">${away}${VERDICTS[verdict](gives, shown.complaint)}</p>
      <div class="more">
        <details @toggle=${opened}>
          <summary>Seeds</summary>
          ${values(seeds(proof, shown.snapshot, result))}
          ${result ? checks(result.checks) : nothing}
          ${bet.isOpened ? receipt(proof) : nothing}
        </details>
        <a href=${verifyAddress(proof, shown)} target="_blank">Verify ${name.toLowerCase()}</a>
        ${id ? shareButton(id, name.toLowerCase()) : nothing}
      </div>
    </div>
  </li>`;
}

const seeds = ({ serverSeedCommitment, serverSeed, clientSeed, nonce }, snapshot, result) => [
  ["Commitment", serverSeedCommitment], ["Server seed", serverSeed], ["Client seed", clientSeed], ["Nonce", nonce],
  ...(snapshot ? [["Snapshot of the case", snapshot.hash]] : []),
  ...(result ? [["HMAC", result.digest], result.result] : []),
];

/** The receipt of a bet (receipts.js), and what has become of its promise. */
function receipt({ serverSeedCommitment: commitment, clientSeed }) {
  const kept = attemptWith({ commitment, clientSeed });
  if (!kept?.receipt) return html`<p class="receipt">This browser has no receipt of this bet.</p>`;
  const { nonce, logged, broken, isValid } = kept;
  const found =
    broken ? html`<strong class="failed">The promise is broken: ${broken}.</strong>`
    : logged === undefined ? "It has not been compared with the log yet."
    : isValid ? `The bet is entry ${logged} of the log, as promised.`
    : `The bet is entry ${logged} of the log, but the receipt is not signed with its key, or is about another bet.`;
  return html`<p class="receipt">The receipt of this bet is kept. ${found} ${
    saveLink("Save the receipt", `bet-${nonce}.receipt`, () => kept.receipt)}</p>`;
}

// What this browser has shown of the newest bets, by their commitments: so that each can be verified again after a
// reload, and in another tab, against the seeds that the server then names. No verdict is stored.

const all = () => JSON.parse(localStorage.getItem(SEEN_KEY) ?? "[]");

/** Remember a bet as the player was shown it, once its proof has arrived. */
function rememberSeen({ snapshot, ...seen }) {
  if (seenOf(seen.commitment)) return;
  // The text of a snapshot may be long, and is found again by its hash.
  const stored = [...all(), { ...seen, snapshot: snapshot?.hash }].slice(-MOST_SEEN);
  localStorage.setItem(SEEN_KEY, JSON.stringify(stored));
}

/** What was shown of the bet with this commitment; undefined when this browser has shown nothing of it. */
const seenOf = (commitment) => all().find((seen) => seen.commitment === commitment);

export function onSeenInOtherTab(seen) {
  addEventListener("storage", ({ key }) => { if (key === SEEN_KEY) seen(); });
}

// Reports

export const reports = () => html`<ul id="reports" class="proofs" aria-live="polite">${
  repeat(commitments().filter(reportOn).reverse(), ({ commitment }) => commitment, report)}</ul>`;

function report(entry) {
  const { commitment, nonce } = entry;
  const remove = () => {
    forgetCommitment(commitment);
    update();
  };
  return html`<li class="report">
    <p class="verdict">${reportOn(entry)}.</p>
    <div class="more">
      <details><summary>Seeds</summary>${values(whatWasSent(entry))}</details>
      ${saveLink("Save the evidence", `bet-${nonce}-evidence.json`, () => evidenceOf(entry))}
      ${namedButton("Remove", `the report on bet ${nonce}`, remove)}
    </div>
  </li>`;
}

function whatWasSent({ commitment, serverSeed, wins, replacedBy }) {
  const pairs = [["Commitment", commitment], ["Server seed", serverSeed ?? "not revealed"]];
  if (replacedBy) pairs.push(["Replaced by", replacedBy]);
  for (const attempt of attempts(commitment)) {
    const { requestId, clientSeed } = attempt.request;
    const answer = attempt.answer?.error ?? (attempt.answer ? "settled" : "no answer");
    const won = wins?.includes(requestId) ? ", would have won" : "";
    pairs.push([`${nameOf(attempt)}: ${attempt.display.what}`, `Client seed ${clientSeed}: ${answer}${won}`]);
  }
  return pairs;
}
