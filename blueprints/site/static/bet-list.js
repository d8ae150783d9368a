// The player's bets, newest first: each with its proof, recomputed here, and links to verify and to share it.

import { getOwn } from "./api.js";
import { byId, make, makeValues, picture } from "./dom.js";
import { canVerify } from "./fairness.js";
import { readBet, RECORDS } from "./records.js";
import { getToken } from "./session.js";

const MOST = 8;

const VERDICTS = {
  good: (gives) => `Verified: your client seed and the committed server seed give ${gives}.`,
  known: (gives) =>
    `The seeds give ${gives}, but the server knew your client seed before it committed to its own,` +
    " so it could have chosen the outcome.",
  unseen: (gives) =>
    `The seeds give ${gives}, but this page did not see you choose your client seed after the server's commitment,` +
    " so the server may have known it.",
  bad: () => "NOT verified: this proof does not match what you were shown.",
  unknown: () => "Not verified: browsers can compute hashes on https pages only.",
};

/**
 * Recompute a bet from its proof and put it on top of the list; returns the verdict, a key of VERDICTS.
 *
 * `shown` is the bet as the player saw it. A proof may come twice: the second one changes nothing.
 */
export async function addProof(game, proof, shown) {
  const result = canVerify() ? await RECORDS[game].verify(proof, { ...shown, game }) : null;
  const verdict = verdictOn(result, shown);
  const earlier = byId("proofs").querySelector(`[data-nonce="${proof.nonce}"]`);
  if (earlier?.dataset.verdict) return verdict;
  earlier?.remove();
  const line = entry(proof, { ...shown, game }, { result, verdict });
  byId("proofs").prepend(line);
  while (byId("proofs").children.length > MOST) byId("proofs").lastElementChild.remove();
  byId("no-bets-yet").hidden = true;
  // Without its id the bet has no link to share. The list shows the link after a reload.
  if (!shown.id) findId(proof).then((id) => line.querySelector(".more").append(shareLink(proof, id)), () => {});
  return verdict;
}

/** Fill the list with the newest bets that the server has stored, below those that are in it. */
export async function loadBets() {
  const owner = getToken();
  const { data } = await getOwn(`/stats/fairness?limit=${MOST}`);
  // A server seed is empty until its proof is due; such a bet is added when the proof arrives.
  const over = data.items.filter(({ game, pf }) => game in RECORDS && pf.serverSeed);
  for (const { id, pf } of over) {
    const shown = await readBet(id);
    if (getToken() !== owner) return;
    const list = byId("proofs");
    if (list.children.length >= MOST || list.querySelector(`[data-nonce="${pf.nonce}"]`)) continue;
    list.append(entry(pf, shown, {}));
    byId("no-bets-yet").hidden = true;
  }
}

/** Empty the list, because another player has signed in or the player has signed out. */
export function clearBets() {
  byId("proofs").replaceChildren();
  byId("no-bets-yet").hidden = false;
}

/** A bet as the server has stored it, for a proof of one that this page did not see. */
export async function storedBet(proof) {
  return readBet(await findId(proof));
}

async function findId({ serverSeedCommitment, serverSeed }) {
  // The search finds a server seed a moment after its proof is sent; until then the bet is among the newest.
  for (const query of [`limit=${MOST}`, `search=${serverSeed}`]) {
    const { data } = await getOwn(`/stats/fairness?${query}`);
    const found = data.items.find(({ pf }) => pf.serverSeedCommitment === serverSeedCommitment);
    if (found) return found.id;
  }
  throw new Error("The server does not list it.");
}

function verdictOn(result, shown) {
  if (!result) return "unknown";
  if (!result.checks.every((check) => check.passed)) return "bad";
  if (shown.stored) return "unseen";
  return shown.seedIsSecret ? "good" : "known";
}

/** A line of the list. Without a verdict the bet is an earlier one, which this page has not recomputed. */
function entry(proof, shown, { result, verdict }) {
  const { noun, gives, amount, summary, verifyAddress } = RECORDS[shown.game];
  const name = `${noun} ${proof.nonce}`;
  const parts = [
    make("p", { className: "result" }, make("strong", {}, shown.item), amount(shown)),
    make("p", { className: "quiet" }, `${name} · ${summary(shown)}`),
  ];
  if (verdict) {
    const away = shown.stored ? "Played before this page was loaded, or in another window. " : "";
    parts.push(make("p", { className: "verdict" }, away + VERDICTS[verdict](gives)));
  }
  const details = make("details", {}, make("summary", {}, "Seeds"), values(proof, shown.snapshot, result));
  if (result) details.append(checks(result.checks));
  const verify = make("a", { href: verifyAddress(proof, shown), target: "_blank" }, `Verify ${name.toLowerCase()}`);
  const more = make("div", { className: "more" }, details, verify);
  if (shown.id) more.append(shareLink(proof, shown.id));
  const line = make("li", { className: `spun ${shown.won ? "won" : "lost"}` },
    picture("item", shown.image, 56), make("div", {}, ...parts, more));
  line.dataset.nonce = proof.nonce;
  if (verdict) line.dataset.verdict = verdict;
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

function checks(list) {
  const lines = list.map(({ text, passed }) =>
    make("li", { className: passed ? "passed" : "failed" }, `${passed ? "✓" : "✗"} ${text}`),
  );
  return make("ul", { className: "checks" }, ...lines);
}
