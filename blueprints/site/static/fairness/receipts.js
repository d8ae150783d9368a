// The receipts of the player's bets: the server's signed promises that each bet is in the public log ten seconds later.
// attempts.js stores them; here they are held against the log. Loaded when there is a receipt to compare or to show.

import { update } from "../store.js";
import { attempts, commitmentEntry, isSettled, isUncompared, keepAttempt } from "./attempts.js";
import { complain, findId } from "./bet-list.js";
import { brokenPromise } from "./evidence.js";
import { entryOf, verifyInLog } from "./in-log.js";
import { checkLogFile } from "./log-proof.js";
import { readAttempt } from "./records.js";
import { InvalidValue } from "./rolls.js";

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
    const serverSeed = isSettled(attempt) && commitmentEntry(serverSeedCommitment)?.serverSeed;
    if (serverSeed) keepAttempt({ ...attempt, ...(await compare(attempt, serverSeed)) });
    const complaint = brokenPromise(serverSeedCommitment);
    if (complaint) complain(attempt.nonce, complaint);
  }
  update();
}

async function compare(attempt, serverSeed) {
  try {
    return await lookUp(attempt, serverSeed);
  } catch (problem) {
    if (problem instanceof InvalidValue) return { broken: "its proof in the public log is wrong" };
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
