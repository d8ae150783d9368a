// The page of a shared bet: recomputes it, without being asked, from what the server reveals, and compares the result
// with what the page says.

import { getJson, getText } from "./api.js";
import { verifyInLog } from "./fairness/in-log.js";
import { Malformed } from "./fairness/log-proof.js";
import { thresholdOf, verifySpin } from "./fairness/rolls.js";
import { canVerify, verifyAddress } from "./fairness/seeds.js";
import { verifyOpening } from "./fairness/tickets.js";
import { render } from "./lit.js";
import { centsOfCoins, centsOfPrice } from "./money.js";
import { checks as checkList } from "./parts/elements.js";

const shown = JSON.parse(document.querySelector("main").dataset.shown);

/** The checks of a spin, what else its entry in the log says, and the values for /verify. */
async function recomputeSpin({ pf, betAmount, price, houseEdge }) {
  const terms = { edge: houseEdge, wagerCents: centsOfCoins(betAmount), priceCents: centsOfPrice(price) };
  const { checks } = await verifySpin(pf, shown);
  const fits = terms.wagerCents === shown.wagerCents && thresholdOf(terms) === shown.threshold;
  return {
    checks: [...checks, { text: "Wager, price and house edge give the chance that is shown", passed: fits }],
    terms,
    values: { betAmount: betAmount.toFixed(2), price: price.slice(1), houseEdge },
  };
}

/** The same of an opening. */
async function recomputeOpening({ game, pf, snapshot }) {
  const text = await getText(`/snapshots/${shown.snapshot}`);
  const terms = { snapshot: { hash: shown.snapshot, text } };
  const { checks } = await verifyOpening({ ...pf, snapshot }, { ...shown, ...terms });
  return { checks, terms, values: { algorithm: `${game}-1`, snapshot, content: text } };
}

/** The checks of the bet's entry in the public log. */
async function checkLog(terms) {
  try {
    return (await verifyInLog(shown.id, { ...shown, ...terms })).checks;
  } catch (problem) {
    if (!(problem instanceof Malformed)) throw problem;
    return [{ text: `The proof of the public log is readable: ${problem.message}`, passed: false }];
  }
}

async function verify() {
  const bet = await getJson(`/bets/${shown.id}`);
  const { checks, terms, values } = await (shown.game === "upgrader" ? recomputeSpin : recomputeOpening)(bet);
  const link = document.getElementById("verify");
  link.href = verifyAddress(bet.pf, values);
  link.hidden = false;
  return bet.log ? [...checks, ...(await checkLog(terms))] : checks;
}

function say(verdict, text) {
  const status = document.getElementById("verdict");
  status.dataset.verdict = verdict;
  status.textContent = text;
}

if (!canVerify()) {
  say("unknown", "Not verified: browsers can compute hashes on https pages only.");
} else {
  say("unknown", "Recomputing…");
  try {
    const checks = await verify();
    render(checkList(checks), document.getElementById("checks"));
    if (checks.every(({ passed }) => passed !== false)) {
      say("good", "This bet is right: your browser has recomputed it from its seeds.");
    } else {
      say("bad", "This bet is NOT right: what the page says does not follow from its seeds.");
    }
  } catch {
    say("unknown", "Not verified: the server did not answer as expected. Reload the page to try again.");
  }
}
