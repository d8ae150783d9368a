// The page of a shared bet: recomputes it, without being asked, from what the server reveals, and compares the result
// with what the page says.

import { getJson, getText } from "./api.js";
import { verifyInLog } from "./fairness/in-log.js";
import { RECORDS, verifyProof } from "./fairness/records.js";
import { canVerify, InvalidValue, thresholdOf } from "./fairness/rolls.js";
import { centsOfCoins, centsOfPrice } from "./format.js";
import { render } from "./lit.js";
import { checks as checkList } from "./parts/elements.js";

const shown = JSON.parse(document.querySelector("main").dataset.shown);
const isSpin = shown.game === "upgrader";

/** What else than the seeds decides the bet. */
const termsOf = async ({ betAmount, price, houseEdge }) => (isSpin
  ? { edge: houseEdge, wagerCents: centsOfCoins(betAmount), priceCents: centsOfPrice(price) }
  : { snapshot: { hash: shown.snapshot, text: await getText(`/snapshots/${shown.snapshot}`) } });

/** The checks of the bet's entry in the public log. */
async function checkLog(told) {
  try {
    return (await verifyInLog(shown.id, told)).checks;
  } catch (problem) {
    if (!(problem instanceof InvalidValue)) throw problem;
    return [{ text: `The proof of the public log is readable: ${problem.message}`, passed: false }];
  }
}

async function verify() {
  const { pf, snapshot, log, ...bet } = await getJson(`/bets/${shown.id}`);
  const terms = await termsOf(bet);
  const told = { ...shown, ...terms };
  const { checks } = await verifyProof({ ...pf, snapshot }, told);
  if (isSpin) {
    const fits = terms.wagerCents === shown.wagerCents && thresholdOf(terms) === shown.threshold;
    checks.push({ text: "Wager, price and house edge give the chance that is shown", passed: fits });
  }
  const link = document.getElementById("verify");
  link.href = RECORDS[shown.game].verifyAddress(pf, told);
  link.hidden = false;
  return log ? [...checks, ...(await checkLog(told))] : checks;
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
