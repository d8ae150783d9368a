// What the player should know about the server's commitments: refused bets that would have won, commitments that were
// replaced or whose seeds were not revealed, and broken promises. Each with its evidence as a file.

import { attempts, commitments, forgetCommitment } from "./attempts.js";
import { byId, make, makeValues, namedButton, saveLink } from "./dom.js";
import { evidenceOf, nameOf, reportOn } from "./evidence.js";

/** Show the reports of the signed-in player, newest first. */
export function showReports() {
  const reported = commitments().filter(reportOn).reverse();
  const shown = JSON.stringify(reported);
  // Screen readers would read unchanged ones again.
  if (byId("reports").dataset.shown === shown) return;
  byId("reports").dataset.shown = shown;
  byId("reports").replaceChildren(...reported.map(line));
}

function line(entry) {
  const save = saveLink("Save the evidence", `bet-${entry.nonce}-evidence.json`, () => evidenceOf(entry));
  const remove = namedButton("Remove", `the report on bet ${entry.nonce}`, () => {
    forgetCommitment(entry.commitment);
    showReports();
  });
  const more = make("div", { className: "more" }, details(entry), save, remove);
  return make("li", { className: "report" }, make("p", { className: "verdict" }, `${reportOn(entry)}.`), more);
}

function details({ commitment, serverSeed, wins, replacedBy }) {
  const pairs = [["Commitment", commitment], ["Server seed", serverSeed ?? "not revealed"]];
  if (replacedBy) pairs.push(["Replaced by", replacedBy]);
  for (const attempt of attempts(commitment)) {
    const { requestId, clientSeed } = attempt.request;
    const answer = attempt.answer?.error ?? (attempt.answer ? "settled" : "no answer");
    const won = wins?.includes(requestId) ? ", would have won" : "";
    pairs.push([`${nameOf(attempt)}: ${attempt.display.what}`, `Client seed ${clientSeed}: ${answer}${won}`]);
  }
  return make("details", {}, make("summary", {}, "Seeds"), makeValues(pairs));
}
