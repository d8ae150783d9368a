// What the player should know about the server's commitments: refused bets that would have won, commitments that were
// replaced or whose seeds were not revealed, and broken promises. Each with its evidence as a file.

import { html, repeat } from "../lit.js";
import { namedButton, saveLink, values } from "../parts/elements.js";
import { update } from "../store.js";
import { attempts, commitments, forgetCommitment } from "./attempts.js";
import { evidenceOf, nameOf, reportOn } from "./evidence.js";

export const reports = () => html`<ul id="reports" class="proofs" aria-live="polite">${
  repeat(commitments().filter(reportOn).reverse(), ({ commitment }) => commitment, report)}</ul>`;

function report(entry) {
  const { commitment, nonce } = entry;
  const remove = () => {
    forgetCommitment(commitment);
    update();
  };
  return html`<li class="report">
    <p class="verdict">${reportOn(entry)}.</p>
    <div class="more">
      <details><summary>Seeds</summary>${values(seeds(entry))}</details>
      ${saveLink("Save the evidence", `bet-${nonce}-evidence.json`, () => evidenceOf(entry))}
      ${namedButton("Remove", `the report on bet ${nonce}`, remove)}
    </div>
  </li>`;
}

function seeds({ commitment, serverSeed, wins, replacedBy }) {
  const pairs = [["Commitment", commitment], ["Server seed", serverSeed ?? "not revealed"]];
  if (replacedBy) pairs.push(["Replaced by", replacedBy]);
  for (const attempt of attempts(commitment)) {
    const { requestId, clientSeed } = attempt.request;
    const answer = attempt.answer?.error ?? (attempt.answer ? "settled" : "no answer");
    const won = wins?.includes(requestId) ? ", would have won" : "";
    pairs.push([`${nameOf(attempt)}: ${attempt.display.what}`, `Client seed ${clientSeed}: ${answer}${won}`]);
  }
  return pairs;
}
