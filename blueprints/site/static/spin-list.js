// The player's spins, newest first: each with its proof, recomputed here, and a link to verify it elsewhere.

import { getJson } from "./api.js";
import { byId, make, makeValues, picture } from "./dom.js";
import { canVerify, percentOf, verify, verifyAddress } from "./fairness.js";
import { imageOf } from "./item-names.js";
import { centsOfCoins, centsOfPrice, coins } from "./money.js";

const MOST = 8;

const VERDICTS = {
  good: "Verified: your client seed and the committed server seed give this roll.",
  known:
    "The seeds give this roll, but the server knew your client seed before it committed to its own," +
    " so it could have chosen the outcome.",
  unseen:
    "The seeds give this roll, but this page did not see you choose your client seed after the server's commitment," +
    " so the server may have known it.",
  bad: "NOT verified: this proof does not match what you were shown.",
  unknown: "Not verified: browsers can compute hashes on https pages only.",
};

/**
 * Recompute a spin from its proof and put it on top of the list; returns the verdict, a key of VERDICTS.
 *
 * `shown` is the spin as the player saw it. A proof may come twice: the second one changes nothing.
 */
export async function addProof(proof, shown) {
  const result = canVerify() ? await verify(proof, shown) : null;
  const verdict = verdictOn(result, shown);
  const earlier = byId("proofs").querySelector(`[data-nonce="${proof.nonce}"]`);
  if (earlier?.dataset.verdict) return verdict;
  earlier?.remove();
  byId("proofs").prepend(entry(proof, shown, { result, verdict }));
  while (byId("proofs").children.length > MOST) byId("proofs").lastElementChild.remove();
  byId("no-spins").hidden = true;
  return verdict;
}

let owner = null; // the token of the player whose spins are listed

/** Fill the list with the newest spins that the server has stored, below those that are in it. */
export async function loadSpins(token) {
  owner = token;
  const { data } = await getJson(`/stats/fairness?game=upgrader&limit=${MOST}`, { token });
  // A server seed is empty until its proof is due; such a spin is added when the proof arrives.
  const over = data.items.filter(({ pf }) => pf.serverSeed);
  for (const { pf } of over) {
    const spin = await storedSpin(pf.nonce, token);
    if (token !== owner) return;
    const list = byId("proofs");
    if (list.children.length >= MOST || list.querySelector(`[data-nonce="${pf.nonce}"]`)) continue;
    list.append(entry(pf, spin, {}));
    byId("no-spins").hidden = true;
  }
}

/** Empty the list, because another player has signed in or the player has signed out. */
export function clearSpins() {
  owner = null;
  byId("proofs").replaceChildren();
  byId("no-spins").hidden = false;
}

/** A spin as the server has stored it, for one that this page did not see. */
export async function storedSpin(nonce, token) {
  const bet = await getJson(`/upgrader/bets/${nonce}`, { token });
  return {
    item: bet.item,
    image: await imageOf(bet.item).catch(() => undefined),
    wagerCents: centsOfCoins(bet.betAmount),
    priceCents: centsOfPrice(bet.price),
    edge: bet.houseEdge,
    commitment: bet.pf.serverSeedCommitment,
    clientSeed: bet.pf.clientSeed,
    percent: percentOf(bet.roll),
    threshold: bet.threshold,
    won: bet.status === "won",
    stored: true,
  };
}

function verdictOn(result, shown) {
  if (!result) return "unknown";
  if (!result.checks.every((check) => check.passed)) return "bad";
  if (shown.stored) return "unseen";
  return shown.seedIsSecret ? "good" : "known";
}

/** A line of the list. Without a verdict the spin is an earlier one, which this page has not recomputed. */
function entry(proof, shown, { result, verdict }) {
  const { item, image, wagerCents, priceCents, percent, threshold, won } = shown;
  const chance = percentOf(threshold);
  const parts = [
    make("p", { className: "result" }, make("strong", {}, item), won ? coins(priceCents, "+") : coins(wagerCents, "−")),
    make("p", { className: "quiet" },
      `Spin ${proof.nonce} · rolled ${percent.toFixed(2)} %, wins below ${chance.toFixed(2)} %`),
  ];
  if (verdict) {
    const away = shown.stored ? "Played before this page was loaded, or in another window. " : "";
    parts.push(make("p", { className: "verdict" }, away + VERDICTS[verdict]));
  }
  const details = make("details", {}, make("summary", {}, "Seeds"), seeds(proof, result));
  if (result) details.append(checks(result.checks));
  const link = make("a", { href: verifyAddress(proof, shown), target: "_blank" }, `Verify spin ${proof.nonce}`);
  const line = make("li", { className: `spun ${won ? "won" : "lost"}` },
    picture("item", image, 56), make("div", {}, ...parts, make("div", { className: "more" }, details, link)));
  line.dataset.nonce = proof.nonce;
  if (verdict) line.dataset.verdict = verdict;
  return line;
}

function seeds(proof, result) {
  const values = [
    ["Commitment", proof.serverSeedCommitment],
    ["Server seed", proof.serverSeed],
    ["Client seed", proof.clientSeed],
    ["Nonce", proof.nonce],
  ];
  if (result) values.push(["HMAC", result.digest], ["Roll", `${result.roll} = ${result.percent.toFixed(5)} %`]);
  return makeValues(values);
}

function checks(list) {
  const lines = list.map(({ text, passed }) =>
    make("li", { className: passed ? "passed" : "failed" }, `${passed ? "✓" : "✗"} ${text}`),
  );
  return make("ul", { className: "checks" }, ...lines);
}
