// The page /verify: recomputes the bet of its form, the bets of an evidence file, and checks battles and files of the
// public log.

import { checkBattleFile } from "./fairness/battle-verdict.js";
import { checkLogFile } from "./fairness/log-proof.js";
import { canVerify, InvalidValue, sha256 } from "./fairness/rolls.js";
import { entryOf, gameOf, verify } from "./fairness/verify-bet.js";

const FORM = [
  "algorithm", "serverSeedCommitment", "serverSeed", "clientSeed", "nonce", "betAmount", "price", "houseEdge",
  "snapshot", "content",
];

let runs = 0;

const byId = (id) => document.getElementById(id);

/** What the shown fields hold; empty ones are left out. */
function valuesOf(names) {
  const fields = names.map(byId).filter((field) => !field.closest("[hidden]"));
  return Object.fromEntries(fields.map(({ id, value }) => [id, value.trim()]).filter(([, value]) => value));
}

// A bet

function judge(id, { what, passed, otherwise }) {
  byId(id).className = `verdict ${passed === undefined ? "" : passed ? "passed" : "failed"}`;
  byId(id).textContent = passed === undefined ? otherwise : passed ? `✓ ${what("is")}` : `✗ ${what("is NOT")}`;
}

function show(result) {
  judge("verdict", {
    what: (is) => `The server seed ${is} the one that was committed to.`,
    passed: result.committed,
    otherwise: "Compare the SHA-256 of the server seed with the commitment that you were shown.",
  });
  byId("snapshot-verdict").textContent = "";
  if (result.ticket === undefined) showSpin(result);
  else showOpening(result);
  byId("hash").textContent = result.serverSeedCommitment;
  byId("digest").textContent = result.digest;
  byId("result").hidden = false;
}

const inPercent = (number, percent) => `${number} (${percent.toFixed(5)}%)`;

function showSpin({ roll, percent, threshold, chance, win }) {
  const isKnown = threshold !== undefined;
  byId("roll").textContent = inPercent(roll, percent);
  byId("threshold").textContent = isKnown ? inPercent(threshold, chance) : "Enter wager and price";
  byId("outcome").textContent =
    !isKnown ? "Enter wager and price"
    : win ? "Won: the roll is below the threshold"
    : "Lost: the roll is not below the threshold";
}

function showOpening({ ticket, percent, snapshot, shown, item, amount }) {
  byId("ticket").textContent = inPercent(ticket, percent);
  byId("outcome").textContent =
    item === undefined ? "Enter the content of the snapshot" : `${item}, worth ${amount.toFixed(2)}`;
  byId("content-hash").textContent = snapshot ?? "";
  if (item === undefined) return;
  judge("snapshot-verdict", {
    what: (is) => `The content ${is} that of the snapshot.`,
    passed: shown,
    otherwise: "Compare the SHA-256 of the content with the snapshot that you were shown.",
  });
}

/** Shows the fields and the results of the chosen algorithm, and hides the others. */
function showFields() {
  // A run that has begun must not show its result below other fields.
  runs++;
  const chosen = byId("algorithm").value === "upgrader-1" ? "spin" : "opening";
  for (const element of document.querySelectorAll("[data-of]")) element.hidden = element.dataset.of !== chosen;
  byId("result").hidden = true;
}

function showProblem({ message, field }) {
  byId("result").hidden = true;
  byId("problem").textContent = message;
  byId(field).setAttribute("aria-invalid", "true");
  byId(field).setAttribute("aria-errormessage", "problem");
}

/** Verifies what the form holds; returns the field with an invalid value, if there is one. */
async function run() {
  const mine = ++runs;
  byId("problem").textContent = "";
  for (const name of FORM) byId(name).removeAttribute("aria-invalid");
  try {
    const result = await verify({ serverSeed: "", clientSeed: "", nonce: "", ...valuesOf(FORM) });
    // Another run may have begun meanwhile.
    if (mine === runs) show(result);
  } catch (problem) {
    if (!(problem instanceof InvalidValue)) throw problem;
    if (mine === runs) showProblem(problem);
    return problem.field;
  }
}

/** Fills the form with the values after # in the address, and verifies them if there are any. */
async function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  for (const name of ["logKey", "witnessKeys", "next"]) if (values.has(name)) byId(name).value = values.get(name);
  if (!FORM.some((name) => values.has(name))) return;
  byId("form").reset();
  for (const name of FORM) if (values.has(name) && name !== "algorithm") byId(name).value = values.get(name);
  const algorithm = values.get("algorithm") ?? "upgrader-1";
  if (![...byId("algorithm").options].some(({ value }) => value === algorithm)) {
    return showProblem({ message: `This page does not know the algorithm ${algorithm}.`, field: "algorithm" });
  }
  byId("algorithm").value = algorithm;
  showFields();
  // Who follows a link wants to know the result, which is below many fields.
  byId((await run()) ?? "result").scrollIntoView({ block: "center" });
}

// The evidence of refused bets

/** Recomputes all bets of an evidence file. Rejects with InvalidValue, or otherwise if the file has another shape. */
async function verifyEvidence(text) {
  const { serverSeedCommitment, serverSeed, nonce, attempts } = JSON.parse(text);
  const shared = { serverSeedCommitment, serverSeed, nonce: String(nonce) };
  const bets = [];
  for (const attempt of attempts) bets.push(await recompute(attempt, shared));
  return { isCommitted: serverSeed && (await sha256(serverSeed)) === serverSeedCommitment, serverSeed, bets };
}

/** A bet of the evidence: what it was, whether it was settled, and whether it would have won. */
async function recompute(attempt, shared) {
  const { algorithm, amount, item, case: id, price, houseEdge, snapshot, content, clientSeed, answer } = attempt;
  gameOf(algorithm);
  const isSettled = answer?.status === true;
  const result = isSettled ? "settled" : answer ? `refused: ${answer.error}` : "not answered";
  const promise = attempt.receipt ? await worthOf(attempt.receipt, { ...shared, clientSeed }) : "";
  const bet = { what: `${item ?? id}, client seed ${clientSeed}, ${result}${promise}`, isSettled };
  if (!shared.serverSeed) return bet;
  const values = { betAmount: `${amount}`, price: `${price}`, houseEdge: `${houseEdge}`, snapshot, content };
  const found = await verify({ ...shared, algorithm, clientSeed, ...values });
  if (found.ticket === undefined) {
    return { ...bet, wins: found.win, outcome: `roll ${found.roll}, threshold ${found.threshold}` };
  }
  if (!found.shown) throw new InvalidValue("The content of a case is not that of its snapshot.");
  const outcome = `ticket ${found.ticket}: ${found.item}, worth ${found.amount.toFixed(2)}`;
  return { ...bet, wins: found.amount > price, outcome };
}

/** What the receipt of a bet in the evidence is worth. */
async function worthOf(receipt, bet) {
  const checking = checkLogFile(receipt, byId("logKey").value, await entryOf(bet));
  const { checks } = await checking.catch(() => ({ checks: [{ passed: false }] }));
  if (checks.some(({ passed }) => passed === false)) return ", with a receipt that is not valid";
  const isSigned = checks.every(({ passed }) => passed);
  return isSigned ? ", with a signed receipt" : ", with a receipt, whose signature is not checked";
}

function showEvidence({ isCommitted, serverSeed, bets }) {
  const lost = bets.filter(({ isSettled, wins }) => wins && !isSettled).length;
  const are = lost === 1 ? "bet was" : "bets were";
  byId("evidence-seed").className = `verdict ${isCommitted ? "passed" : "failed"}`;
  byId("evidence-seed").textContent =
    isCommitted ? "✓ The server seed is the one that was committed to."
    : serverSeed ? "✗ The server seed is NOT the one that was committed to."
    : "✗ The server has not revealed its seed, so the bets can't be recomputed.";
  byId("evidence-verdict").className = `verdict ${lost ? "failed" : ""}`;
  byId("evidence-verdict").textContent =
    lost ? `✗ ${lost} ${are} refused or not answered, and would have won.`
    : serverSeed ? "No bet that was refused or not answered would have won."
    : "";
  byId("evidence-bets").replaceChildren(...bets.map(evidenceLine));
  byId("evidence-result").hidden = false;
}

function evidenceLine({ what, isSettled, wins, outcome }) {
  const would = isSettled ? (wins ? "won" : "lost") : wins ? "would have won" : "would have lost";
  return line(outcome ? `${what} (${outcome}): ${would}` : what, wins && !isSettled ? "failed" : "");
}

function line(textContent, className) {
  return Object.assign(document.createElement("li"), { textContent, className });
}

async function readEvidence() {
  byId("evidence-result").hidden = true;
  byId("evidence-problem").textContent = "";
  const [file] = byId("evidence").files;
  if (!file) return;
  try {
    showEvidence(await verifyEvidence(await file.text()));
  } catch (problem) {
    const isValue = problem instanceof InvalidValue;
    byId("evidence-problem").textContent = isValue ? problem.message : "This file is not the evidence of refused bets.";
  }
}

// A proof or a receipt of the public log

async function checkLog() {
  byId("log-result").hidden = true;
  byId("log-problem").textContent = "";
  const [file] = byId("logFile").files;
  if (!file) return;
  try {
    const bet = await entryOf(valuesOf([...FORM, "next"]));
    const [keys, witnesses] = ["logKey", "witnessKeys"].map((id) => byId(id).value);
    const { text, checks } = await checkLogFile(await file.text(), keys, bet, witnesses);
    byId("log-checks").replaceChildren(...checks.map(checkLine));
    byId("log-entry").textContent = text;
    byId("log-result").hidden = false;
  } catch (problem) {
    byId("log-problem").textContent = problem.message;
  }
}

const checkLine = ({ text, passed }) =>
  passed === null ? line(`? ${text}`, "") : line(`${passed ? "✓" : "✗"} ${text}`, passed ? "passed" : "failed");

// A battle

const battleFiles = async (id) => Promise.all([...byId(id).files].map((file) => file.text()));

async function checkBattle() {
  byId("battle-result").hidden = true;
  byId("battle-problem").textContent = "";
  const [file] = await battleFiles("battleFile");
  if (file === undefined) return;
  const [[proof], contents] = await Promise.all([battleFiles("battleProof"), battleFiles("battleSnapshots")]);
  const signature = byId("battleSignature").value.trim();
  const options = {
    keys: byId("logKey").value,
    witnesses: byId("witnessKeys").value,
    // The other script of this page.
    loadCurves: async () => globalThis.bls12_381,
    // An editor may have added the line end.
    snapshots: contents.map((text) => text.replace(/[\r\n]+$/, "")),
    ...(proof && { proof }),
    ...(signature && { signature }),
  };
  try {
    showBattle(await checkBattleFile(file, options));
  } catch (problem) {
    byId("battle-problem").textContent = problem.message;
  }
}

function showBattle({ checks, notes }) {
  const isWrong = checks.some(({ passed }) => passed === false);
  const isWhole = checks.every(({ passed }) => passed);
  byId("battle-verdict").className = `verdict ${isWrong ? "failed" : isWhole ? "passed" : ""}`;
  byId("battle-verdict").textContent =
    isWrong ? "✗ The battle is NOT verified."
    : isWhole ? "✓ The battle is verified."
    : "? Not everything could be checked.";
  byId("battle-checks").replaceChildren(...checks.map(checkLine));
  byId("battle-notes").textContent = notes.join(" ");
  byId("battle-result").hidden = false;
}

for (const name of ["battleFile", "battleSnapshots", "battleProof", "battleSignature", "logKey", "witnessKeys"]) {
  byId(name).addEventListener("change", checkBattle);
}
for (const name of ["evidence", "logKey"]) byId(name).addEventListener("change", readEvidence);
for (const name of ["logFile", "logKey", "witnessKeys", "next", ...FORM]) {
  byId(name).addEventListener("change", checkLog);
}
byId("algorithm").addEventListener("change", showFields);
byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const invalid = await run();
  byId(invalid ?? "result-title").focus();
});

// A copy on the disk has no page to go back to.
byId("back").hidden = location.protocol === "file:";

if (canVerify()) {
  addEventListener("hashchange", readAddress);
  readAddress();
} else {
  byId("insecure").hidden = false;
  for (const id of ["verify", "evidence", "logFile", "battleFile"]) byId(id).disabled = true;
}
