// The receipts of the player's bets: the server's signed promises that each bet is in the public log ten seconds later.
// attempts.js stores them; here they are held against the log. Loaded when there is a receipt to compare or to show.

import { attempts, commitments, isUncompared, keepAttempt } from "./attempts.js";
import { complain, findId } from "./bet-list.js";
import { make, saveLink } from "./dom.js";
import { brokenPromise } from "./evidence.js";
import { checkLogFile, Malformed } from "./log-proof.js";
import { entryOf, verifyInLog } from "./public-log.js";
import { readAttempt } from "./records.js";
import { showReports } from "./reports.js";

const PROMISE_MS = 10_000;
const NOT_FOUND = 404;

let comparing = null;

/** Compare all receipts that have not been compared, of bets whose server seeds are revealed. */
export function compareReceipts() {
  comparing ??= compareAll().finally(() => { comparing = null; });
  return comparing;
}

async function compareAll() {
  for (const attempt of attempts().filter(isUncompared)) {
    const { serverSeedCommitment } = attempt.request;
    const own = commitments().find(({ commitment }) => commitment === serverSeedCommitment);
    const isRevealed = own?.serverSeed && attempt.answer?.status;
    if (isRevealed) keepAttempt({ ...attempt, ...(await compare(attempt, own.serverSeed)) });
    const complaint = brokenPromise(serverSeedCommitment);
    if (complaint) complain(attempt.nonce, complaint);
  }
  showReports();
}

/** Compare a receipt with the log; what has been found. */
async function compare(attempt, serverSeed) {
  try {
    return await lookUp(attempt, serverSeed);
  } catch (problem) {
    if (problem instanceof Malformed) return { broken: "its proof in the public log is wrong" };
    if (problem.status !== NOT_FOUND) return { failedAt: attempt.failedAt ?? Date.now() };
    const left = attempt.promisedAt + PROMISE_MS - Date.now();
    if (left < 0) return { broken: "it is not in the public log" };
    setTimeout(compareReceipts, left + 1_000);
    return {};
  }
}

async function lookUp(attempt, serverSeed) {
  const { game, receipt, request: { serverSeedCommitment } } = attempt;
  const shown = { game, ...readAttempt(attempt) };
  const { index, text, keys, checks } = await verifyInLog(await findId({ serverSeedCommitment, serverSeed }), shown);
  if (checks.some(({ passed }) => passed === false)) return { broken: "its proof in the public log is wrong" };
  const promise = await checkLogFile(receipt, keys, entryOf(shown)).catch(() => ({ checks: [{ passed: false }] }));
  // A receipt of an earlier key can't be checked with the present ones.
  const isValid = promise.checks.every(({ passed }) => passed !== false);
  if (isValid && promise.text !== text) return { broken: "the public log has another entry" };
  return { logged: index, isValid };
}

/** Show the receipt of a bet in its details. */
export async function showReceipt(details, { serverSeedCommitment, clientSeed }) {
  await compareReceipts();
  const kept = attempts(serverSeedCommitment).find(({ request }) => request.clientSeed === clientSeed);
  const content = kept?.receipt ? parts(kept) : ["This browser has no receipt of this bet."];
  details.querySelector(".receipt")?.remove();
  details.append(make("p", { className: "receipt" }, ...content));
}

function parts({ nonce, receipt, logged, broken, isValid }) {
  const found =
    broken ? make("strong", { className: "failed" }, `The promise is broken: ${broken}.`)
    : logged === undefined ? "It has not been compared with the log yet."
    : isValid ? `The bet is entry ${logged} of the log, as promised.`
    : `The bet is entry ${logged} of the log, but the receipt is not signed with its key, or is about another bet.`;
  const save = saveLink("Save the receipt", `bet-${nonce}.receipt`, () => receipt);
  return ["The receipt of this bet is kept. ", found, " ", save];
}
