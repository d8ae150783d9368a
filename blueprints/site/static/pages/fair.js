// How a bet is decided, in five sentences and a picture of the player's last bet, and that bet in the public log.

import { getJson, getText } from "../api.js";
import { findId, loadBets } from "../fairness/bet-list.js";
import { findLog, logVerdict, verdictInLog } from "../fairness/in-log.js";
import { readBet, RECORDS, verifyProof } from "../fairness/records.js";
import { canVerify, percentOf, percentOfTicket, readSnapshot } from "../fairness/rolls.js";
import { ruler } from "../game/case-opening.js";
import { html, nothing, svg } from "../lit.js";
import { checks, section, status } from "../parts/elements.js";
import { Resource } from "../parts/lists.js";
import { getToken } from "../session.js";
import { state } from "../store.js";

const example = new Resource(async () => (await ownBet()) ?? (await newestBet()));
const log = new Resource(async () => {
  const bet = example.value;
  const { path } = await findLog();
  const checkpoint = await getText(`${path}/checkpoint`);
  return { checkpoint, verdict: bet && (await verdictInLog(bet.id, async () => bet.shown)) };
});

/** The player's last bet of those that the page lists; null for a guest, and before the first one. */
async function ownBet() {
  if (getToken()) await loadBets();
  const [bet] = state.bets;
  return bet ? { ...bet, id: bet.id ?? (await findId(bet.proof)), isOwn: true } : null;
}

/** The newest spin or opening of all players; null when nobody has played. */
async function newestBet() {
  const { bets } = (await getJson("/stats/live-bets?limit=50")).data;
  const newest = bets.find(({ game }) => game in RECORDS);
  if (!newest) return null;
  const shown = await readBet(newest.id);
  const proof = { ...shown.pf, snapshot: shown.snapshot?.hash };
  const result = canVerify() ? await verifyProof(proof, shown) : null;
  return { id: newest.id, proof, shown, result, isOwn: false };
}

export async function enter() {
  await example.load();
  await log.load();
}

export const page = () => html`
  <div class="parts">
    <ol id="sentences" class="how">
      <li>Before each bet the server draws a <strong>secret seed</strong> and shows you its hash, the
        <strong>commitment</strong>, so it can't exchange the seed later.</li>
      <li>Only then your browser draws a <strong>seed of its own</strong>, which the server could not know.</li>
      <li>A <strong>public function</strong> computes one number from both seeds and the number of the bet.</li>
      <li>The number <strong>decides</strong>: a spin wins when it is below your chance, and in a case it points at one
        item.</li>
      <li>After the bet the server <strong>reveals its seed</strong>, and your browser computes everything again.</li>
    </ol>
    ${example.value ? decision(example.value) : html`
      ${status("example-note", example.problem ? example.note("The example") : example.isLoading ? "Loading…"
        : html`Nobody has played yet. <a href="/">Play a bet</a> to see how it is decided.`)}`}
    ${log.value ? inLog(log.value) : nothing}
  </div>`;

function decision({ proof, shown, result, isOwn }) {
  const { noun, summary, verifyAddress } = RECORDS[shown.game];
  const outcome = shown.snapshot ? shown.item : shown.won ? "won" : "lost";
  const [what, value] = result?.result ?? ["Result", "Browsers can compute it on https pages only."];
  const whose = isOwn ? "Your last bet" : "The newest bet of all players";
  return section("example", `${whose}: ${noun.toLowerCase()} ${proof.nonce}, ${shown.item}`, html`
    <figure class="decision" aria-labelledby="example-title">
      ${box("Seed of the server", proof.serverSeed)}
      ${box("Seed of the browser", proof.clientSeed)}
      ${box("Number of the bet", proof.nonce)}
      <p class="arrow"><span aria-hidden="true">↓ </span>HMAC-SHA256</p>
      ${box("Digest", result?.digest ?? "–")}
      <p class="arrow"><span aria-hidden="true">↓ </span>its place among all digests</p>
      ${box(what, value)}
      <div class="ranges" role="img" aria-label=${`${summary(shown)}: ${outcome}`}>
        ${shown.snapshot ? ruler(readSnapshot(shown.snapshot.text).items) : zone(percentOf(shown.threshold))}
        <span class="ticket" .style=${`left: ${placeOf(shown)}%`}></span>
      </div>
      <figcaption>${summary(shown)}: <strong>${outcome}</strong></figcaption>
    </figure>
    ${result ? html`<p class="quiet">Your browser has recomputed this bet just now:</p>${checks(result.checks)}`
      : nothing}
    <p class="more">
      <a href=${verifyAddress(proof, shown)} target="_blank">Verify it without this server</a>
      ${isOwn ? nothing : html`<a href="/">Play a bet of your own</a>`}
    </p>`);
}

const placeOf = ({ snapshot, ticket, percent }) => (snapshot ? percentOfTicket(BigInt(ticket)) : percent);

const box = (term, value) => html`<div class="box"><span class="quiet">${term}</span><code>${value}</code></div>`;

/** The rolls that win, as a part of all. */
const zone = (chance) => html`<svg class="ruler" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
  ${svg`<rect class="wins" width=${chance} height="1"/>`}</svg>`;

const inLog = ({ checkpoint, verdict }) => section("in-log", "In the public log", html`
  <p class="quiet">Every bet becomes an entry of a public log before its seed is revealed. The server signs its state,
    so it can't take a bet back.</p>
  <pre id="fair-checkpoint" tabindex="0" role="region" aria-label="Newest checkpoint">${checkpoint}</pre>
  ${verdict ? html`<div id="fair-in-log" class="found">${logVerdict(verdict)}</div>` : nothing}
  <p class="more"><a href="/public-log">More about the public log</a></p>`);
