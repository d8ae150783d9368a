// The player's bets, newest first: each with its proof, recomputed here, and links to verify and to share it.

import { getOwn, Refused } from "./api.js";
import { byId, make, makeValues, picture } from "./dom.js";
import { brokenPromise } from "./evidence.js";
import { canVerify } from "./fairness.js";
import { format, signedCoins } from "./money.js";
import { readBet, RECORDS } from "./records.js";
import { rememberSeen, seenOf } from "./seen-bets.js";
import { getToken } from "./session.js";

const MOST = 8;
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
  const shown = { ...seen, complaint: seen.complaint ?? brokenPromise(seen.commitment) };
  const result = canVerify() ? await RECORDS[game].verify(proof, { ...shown, game }) : null;
  const verdict = verdictOn(result, shown);
  if (!shown.stored) rememberSeen(shown);
  const earlier = lineOf(proof);
  if (earlier && (earlier.dataset.verdict !== "unseen" || verdict === "unseen")) return verdict;
  earlier?.remove();
  const line = entry(proof, { ...shown, game }, { result, verdict });
  place(line, proof);
  // Without its id the bet has no link to share. The list shows the link after a reload.
  if (!shown.id) findId(proof).then((id) => line.querySelector(".more").append(shareLink(proof, id)), () => {});
  return verdict;
}

/** Add the newest bets that the server has stored, and verify those that this browser has seen meanwhile. */
export async function loadBets() {
  const owner = getToken();
  const { data } = await getOwn(`/stats/fairness?limit=${MOST}`);
  // A server seed is empty until its proof is due; such a bet is added when the proof arrives.
  const over = data.items.filter(({ game, pf }) => game in RECORDS && pf.serverSeed);
  for (const { id, game, pf } of over) {
    const line = lineOf(pf);
    if (line && (line.dataset.verdict !== "unseen" || !seenOf(pf.serverSeedCommitment))) continue;
    const stored = await readBet(id);
    if (getToken() !== owner) return;
    await addProof(game, { ...pf, snapshot: stored.snapshot?.hash }, recalled(stored));
  }
}

const lineOf = ({ nonce }) => byId("proofs").querySelector(`[data-nonce="${nonce}"]`);

/** Put a line among those of the newest bets. */
function place(line, { nonce }) {
  const list = byId("proofs");
  list.insertBefore(line, [...list.children].find(({ dataset }) => Number(dataset.nonce) < nonce) ?? null);
  while (list.children.length > MOST) list.lastElementChild.remove();
  byId("no-bets-yet").hidden = true;
}

/** A bet that the server has stored as this browser has shown it, if it has. */
function recalled(stored) {
  const seen = seenOf(stored.commitment);
  if (!seen) return stored;
  const snapshot = seen.snapshot && { hash: seen.snapshot, text: stored.snapshot?.text };
  return { ...stored, ...seen, snapshot, stored: false };
}

/** Empty the list, because another player has signed in or the player has signed out. */
export function clearBets() {
  byId("proofs").replaceChildren();
  byId("no-bets-yet").hidden = false;
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

/** A line of the list. */
function entry(proof, shown, { result, verdict }) {
  const { noun, gives, summary, verifyAddress } = RECORDS[shown.game];
  const { wagerCents, payoutCents } = shown;
  const name = `${noun} ${proof.nonce}`;
  const away = shown.stored ? "Played before this page was loaded, or elsewhere. " : "";
  const parts = [
    make("p", { className: "result" }, make("strong", {}, shown.item), signedCoins(payoutCents - wagerCents)),
    make("p", { className: "quiet" }, `Wager ${format(wagerCents)} · payout ${format(payoutCents)}`),
    make("p", { className: "quiet" }, `${name} · ${summary(shown)}`),
    make("p", { className: "verdict" }, away + VERDICTS[verdict](gives, shown.complaint)),
  ];
  const details = make("details", {}, make("summary", {}, "Seeds"), values(proof, shown.snapshot, result));
  if (result) details.append(drawChecks(result.checks));
  details.addEventListener("toggle", async () => {
    if (details.open) (await import("./receipts.js")).showReceipt(details, proof);
  });
  const verify = make("a", { href: verifyAddress(proof, shown), target: "_blank" }, `Verify ${name.toLowerCase()}`);
  const more = make("div", { className: "more" }, details, verify);
  if (shown.id) more.append(shareLink(proof, shown.id));
  const line = make("li", { className: `spun ${shown.won ? "won" : "lost"}` },
    picture("item", shown.image, 56), make("div", {}, ...parts, more));
  line.dataset.nonce = proof.nonce;
  line.dataset.verdict = verdict;
  return line;
}

const shareLink = ({ nonce }, id) =>
  make("a", { href: `/bets/${id}`, target: "_blank" }, "Share", make("span", { className: "unseen" }, ` bet ${nonce}`));

function values(proof, snapshot, result) {
  const pairs = [
    ["Commitment", proof.serverSeedCommitment],
    ["Server seed", proof.serverSeed],
    ["Client seed", proof.clientSeed],
    ["Nonce", proof.nonce],
  ];
  if (snapshot) pairs.push(["Snapshot of the case", snapshot.hash]);
  if (result) pairs.push(["HMAC", result.digest], result.result);
  return makeValues(pairs);
}

/** Withdraw what was said of a bet, because something has been found out since. */
export function complain(nonce, complaint) {
  const line = lineOf({ nonce });
  if (!line) return;
  line.dataset.verdict = "doubtful";
  line.querySelector(".verdict").textContent = VERDICTS.doubtful(null, complaint);
}

/** A list of checks `{ text, passed }`; null is one that can't be made. */
export function drawChecks(list) {
  const lines = list.map(({ text, passed }) =>
    passed === null ? make("li", {}, `? ${text}`)
    : make("li", { className: passed ? "passed" : "failed" }, `${passed ? "✓" : "✗"} ${text}`),
  );
  return make("ul", { className: "checks" }, ...lines);
}
