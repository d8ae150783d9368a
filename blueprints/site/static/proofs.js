// The proofs of this player's spins: each one recomputed here, with every value it was made of.

import { getJson } from "./api.js";
import { make } from "./dom.js";
import { canVerify, percentOf, verify } from "./fairness.js";

const MOST = 8;
const VERDICTS = {
  good: "Verified: your seed and the committed one give this roll.",
  known:
    "The seeds give this roll, but the server knew your client seed before it committed to its own," +
    " so it could have chosen the outcome.",
  unseen:
    "The seeds give this roll, but this page did not see you choose your client seed after the server's commitment," +
    " so the server may have known it.",
  bad: "NOT verified: this proof does not fit what was shown.",
  unknown: "Not checked: the browser only allows this over https.",
};

/** Add a proof on top of the list, unless it is there: one may come twice. `shown` is the spin as the player saw it. */
export async function addProof(list, proof, shown) {
  const result = canVerify() ? await verify(proof, shown) : null;
  if (list.querySelector(`[data-nonce="${proof.nonce}"]`)) return;
  const verdict = verdictOn(result, shown);
  const details = make("details", { open: true }, make("summary", {}, "All values"), values(proof, result));
  if (result) details.append(checks(result.checks));
  // Only the newest lies open.
  list.querySelector("details[open]")?.removeAttribute("open");
  const entry = make("li", { className: `proof ${verdict}` }, heading(proof, shown, verdict), details);
  entry.dataset.nonce = proof.nonce;
  list.prepend(entry);
  while (list.children.length > MOST) list.lastElementChild.remove();
}

/** A spin that this page did not see: closed, away, or another tab's. What the server keeps of it. */
export async function storedSpin(nonce, token) {
  const bet = await getJson(`/upgrader/bets/${nonce}`, { token });
  return {
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

function heading(proof, shown, verdict) {
  const number = `Spin ${proof.nonce}${shown.stored ? ", played while this page was away" : ""}. `;
  return make("p", { className: "verdict" }, make("strong", {}, number), VERDICTS[verdict]);
}

function values(proof, result) {
  const lines = [
    ["Commitment", proof.serverSeedCommitment],
    ["Server seed", proof.serverSeed],
    ["Client seed", proof.clientSeed],
    ["Nonce", proof.nonce],
  ];
  if (result) lines.push(["HMAC", result.digest], ["Roll", `${result.roll} = ${result.percent.toFixed(5)} %`]);
  const rows = lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]);
  return make("dl", { className: "values" }, ...rows);
}

function checks(list) {
  const lines = list.map(({ text, passed }) =>
    make("li", { className: passed ? "passed" : "failed" }, `${passed ? "✓" : "✗"} ${text}`),
  );
  return make("ul", { className: "checks" }, ...lines);
}
