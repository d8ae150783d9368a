// What is shown of a battle's proof: its receipt, what the browser has recomputed, and all values.

import { keptSeat } from "../fairness/battle-seats.js";
import { canVerify } from "../fairness/rolls.js";
import { formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { checks as checkList, saveLink, values } from "../parts/elements.js";
import { FieldProblem, makeForm, textField } from "../parts/forms.js";
import { update } from "../store.js";
import { receiptState, room } from "./room.js";
import { seatName } from "./terms.js";

// The verification of the battle with the id `of`: its `checks`, those of the player's receipt, and the `outcome` that
// the browser has computed, in cents.
const NONE = {
  of: null, checks: null, receipt: null, outcome: null, file: "", problem: "", isBusy: false, isQuiet: false,
};
const verdict = { ...NONE };
let running = Promise.resolve(); // One after the other.

const RELAY = "https://api.drand.sh"; // of the public network
const SIGNATURE = /^[0-9a-f]{96}$/;

const RECEIPTS = {
  before: "The receipt of your seat came before the round: nobody could know the result when your seat was fixed.",
  late: "The receipt of your seat came at the time of the round or later. It does not prove that the result was" +
    " unknown when your seat was fixed.",
  fetched: "This browser was not connected when the receipt of your seat was sent, and has fetched it afterwards." +
    " That your seat was fixed before the round rests on those who watch the log.",
  none: "This browser has no receipt of your seat yet.",
};

export const forgetVerdict = () => Object.assign(verdict, NONE);

/** What the browser has computed of a void battle: who would have won. Null until it is known. */
export const computedOutcome = ({ id }) => (verdict.of === id ? verdict.outcome : null);

/**
 * Verify the battle that is shown. `signature` is that of its round, which a void battle does not say. `isQuiet` shows
 * no list: only who would have won.
 */
export function verifyShown({ signature, isQuiet = false } = {}) {
  running = running.then(() => run({ signature, isQuiet }));
  return running;
}

async function run({ signature, isQuiet }) {
  if (!room.battle || !canVerify()) return;
  const { id, sent } = room.battle;
  Object.assign(verdict, { ...NONE, of: id, isBusy: true, isQuiet });
  await update();
  try {
    const { checkReceipt, verify } = await import("./proof.js");
    const [result, receipt] = await Promise.all([verify(sent, { signature }), checkReceipt(id)]);
    if (verdict.of === id) Object.assign(verdict, { ...result, receipt });
  } catch ({ message }) {
    if (verdict.of === id) verdict.problem = `The battle could not be verified: ${message}`;
  }
  verdict.isBusy = false;
  await update();
  if (!isQuiet) document.getElementById("battle-verdict")?.focus({ preventScroll: true });
}

/** Who would have won a void battle: computed from the signature of its round, which relays of the network have. */
const whoWouldHaveWon = makeForm("would-have-won", async ({ signature }) => {
  const text = signature.value.trim().toLowerCase();
  if (!SIGNATURE.test(text)) throw new FieldProblem("A signature has 96 hexadecimal digits", "signature");
  await verifyShown({ signature: text });
  return "";
});

export function proof(battle) {
  const isEnded = ["settled", "void"].includes(battle.state);
  return html`<section class="proof" aria-labelledby="proof-title">
    <h3 id="proof-title">Provably fair</h3>
    <p class="quiet">The server has committed to a secret seed. When the last seat is taken, seats and cases are
      fixed in the public log, and with them the round of a public network that decides. Nobody knows this round
      before its time.</p>
    ${room.rules?.demo ? html`<p id="demo-network" class="hint">Demonstration: the house holds the
      key of this network, so it could know results early.</p>` : nothing}
    ${receipt(battle)}
    ${isEnded && !room.place?.isOver && battle.state === "settled" ? nothing : verification(battle, isEnded)}
    <details><summary>Seeds, round and log</summary>${values(known(battle))}
      <p class="more">${battle.entry === undefined ? nothing : html`<a href="/public-log">Public log</a>`}
        <span class="quiet">Created ${formatTime(battle.createdAt)}</span></p></details>
  </section>`;
}

function receipt({ id }) {
  const now = receiptState();
  if (!now) return nothing;
  const kept = keptSeat(id)?.receipt;
  return html`<p id="battle-receipt" class=${{ before: "passed", late: "failed" }[now] ?? "quiet"}>${RECEIPTS[now]} ${
    kept ? saveLink("Save the receipt", `battle-${id}.tlog-proof`, () => kept) : nothing}</p>`;
}

const known = ({ serverSeedCommitment, serverSeed, seats, round, entry, signature, randomness }) => [
  ["The server's commitment: the SHA-256 of its seed", serverSeedCommitment], ["Server seed", serverSeed],
  ...seats.map((seat) => [`Client seed of ${seatName(seat) || `seat ${seat.seat + 1}`}`, seat.clientSeed]),
  ["Round of the network", round], ["Entry in the public log", entry], ["Signature of the round", signature],
  ["Randomness: the SHA-256 of the signature", randomness],
].filter(([, value]) => value !== undefined && value !== null);

function verification({ id, state: now, round }, isEnded) {
  if (!isEnded) return nothing;
  if (!canVerify()) return html`<p class="quiet">Browsers can compute hashes on https pages only.</p>`;
  const { of, isBusy, problem, checks, isQuiet, outcome } = verdict;
  const isShown = of === id && !isQuiet;
  return html`
    <button id="verify-battle" type="button" class="plain" aria-disabled=${isShown && isBusy}
      @click=${() => (isShown && isBusy ? undefined : verifyShown())}>Verify in the browser</button>
    <div id="battle-verdict" class="found" role="status" tabindex="-1">${!isShown ? nothing : isBusy ? "Recomputing…"
      : problem ? html`<strong class="failed">${problem}</strong>` : checks ? found() : nothing}</div>
    ${now === "void" && !room.rules.demo && !outcome ? whoWouldHaveWon(textField({
      form: "would-have-won",
      name: "signature",
      label: `Signature of round ${round}`,
      help: html`Who would have won follows from it, the seed and the log.
        <a href="${RELAY}/${room.rules.beacon.hash}/public/${round}" target="_blank" rel="noreferrer">A relay has it</a>
        as soon as the round is published.`,
      most: 96,
    }), "Compute who would have won") : nothing}`;
}

function found() {
  const all = [...verdict.checks, ...(verdict.receipt ?? [])];
  const isWrong = all.some(({ passed }) => passed === false);
  const isWhole = all.every(({ passed }) => passed);
  return html`
    <strong class=${isWrong ? "failed" : "passed"}>${isWrong ? "✗ NOT verified: something does not fit."
      : isWhole ? "✓ Verified: your browser has recomputed this battle."
      : "✓ What could be checked is right."}</strong>
    ${checkList(verdict.checks)}
    ${verdict.receipt ? html`<p>Your receipt:</p>${checkList(verdict.receipt)}` : nothing}
    <p class="more">${saveLink("Save all of it", `battle-${verdict.of}.json`, () => verdict.file)}
      <a href="/verify" target="_blank">Verify the file without this server</a></p>`;
}
