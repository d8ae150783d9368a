// The page of a shared bet: recomputes it, without being asked, from what the server reveals, and compares the result
// with what the page says.

import { canVerify, verifyAddress } from "./fairness/seeds.js";
import { checkLogFile, Malformed } from "./fairness/log-proof.js";
import { thresholdOf, verifySpin } from "./fairness/rolls.js";
import { verifyOpening } from "./fairness/tickets.js";

const shown = JSON.parse(document.querySelector("main").dataset.shown);

async function load(path) {
  const response = await fetch(path);
  if (!response.ok) throw new TypeError(`${path}: ${response.status}`);
  return response;
}

const cents = (text) => Math.round(Number(text) * 100);

/** The checks of a spin, and the values for /verify. */
async function recomputeSpin({ pf, betAmount, price, houseEdge }) {
  const terms = { edge: houseEdge, wagerCents: cents(betAmount), priceCents: cents(price.slice(1)) };
  const { checks } = await verifySpin(pf, shown);
  const fits = terms.wagerCents === shown.wagerCents && thresholdOf(terms) === shown.threshold;
  return {
    checks: [...checks, { text: "Wager, price and house edge give the chance that is shown", passed: fits }],
    values: { betAmount: betAmount.toFixed(2), price: price.slice(1), houseEdge },
  };
}

/** The same of an opening. */
async function recomputeOpening({ game, pf, snapshot }) {
  const text = await (await load(`/snapshots/${shown.snapshot}`)).text();
  const proof = { ...pf, snapshot };
  const { checks } = await verifyOpening(proof, { ...shown, snapshot: { hash: shown.snapshot, text } });
  return { checks, values: { algorithm: `${game}-1`, snapshot, content: text } };
}

/** The checks of the bet's entry in the public log. */
async function checkLog({ pf }) {
  const [file, keys] = await Promise.all(
    [`/bets/${shown.id}/tlog-proof`, "/log/key"].map(async (path) => (await load(path)).text()),
  );
  try {
    const { commitment, nonce, clientSeed } = shown;
    return (await checkLogFile(file, keys, { commitment, nonce, clientSeed })).checks;
  } catch (problem) {
    if (!(problem instanceof Malformed)) throw problem;
    return [{ text: `The proof of the public log is readable: ${problem.message}`, passed: false }];
  }
}

async function verify() {
  const bet = await (await load(`/bets/${shown.id}`)).json();
  const { checks, values } = await (shown.game === "upgrader" ? recomputeSpin : recomputeOpening)(bet);
  const link = document.getElementById("verify");
  link.href = verifyAddress(bet.pf, values);
  link.hidden = false;
  return bet.log ? [...checks, ...(await checkLog(bet))] : checks;
}

function say(verdict, text) {
  const status = document.getElementById("verdict");
  status.dataset.verdict = verdict;
  status.textContent = text;
}

function draw({ text, passed }) {
  const line = document.createElement("li");
  line.className = passed === null ? "" : passed ? "passed" : "failed";
  line.textContent = `${passed === null ? "?" : passed ? "✓" : "✗"} ${text}`;
  return line;
}

if (!canVerify()) {
  say("unknown", "Not verified: browsers can compute hashes on https pages only.");
} else {
  say("unknown", "Recomputing…");
  try {
    const checks = await verify();
    document.getElementById("checks").replaceChildren(...checks.map(draw));
    if (checks.every(({ passed }) => passed !== false)) {
      say("good", "This bet is right: your browser has recomputed it from its seeds.");
    } else {
      say("bad", "This bet is NOT right: what the page says does not follow from its seeds.");
    }
  } catch {
    say("unknown", "Not verified: the server did not answer as expected. Reload the page to try again.");
  }
}
