// The public log of bets, and the player's bets verified in it.

import { getOwn, getText } from "../api.js";
import { shownBet } from "../fairness/bet-list.js";
import { nameOf } from "../fairness/evidence.js";
import { findLog, logVerdict, verdictInLog } from "../fairness/in-log.js";
import { RECORDS } from "../fairness/records.js";
import { html, nothing, repeat } from "../lit.js";
import { namedButton, saveLink, section } from "../parts/elements.js";
import { Resource } from "../parts/lists.js";
import { getToken } from "../session.js";
import { update } from "../store.js";

const MOST = 8;

const log = new Resource(async () => {
  const isPlayer = getToken() !== null;
  const { origin, path } = await findLog();
  const [checkpoint, keys, me, bets] = await Promise.all([
    getText(`${path}/checkpoint`),
    getText(`${path}/key`),
    isPlayer ? getOwn("/log/me") : null,
    isPlayer ? getOwn(`/stats/fairness?limit=${MOST}`) : null,
  ]);
  return { origin, checkpoint, keys, me, bets: bets?.data.items.filter(isListed) ?? [] };
});

/** Whether a bet has an entry of its own whose seed is revealed. A battle is verified on its page. */
const isListed = ({ game, pf }) => game in RECORDS && pf.serverSeed;

export const enter = () => log.load();

export const page = () => log.view("log-note", "The log", (loaded) => html`<div id="log-parts" class="parts">
  ${logOf(loaded)}
  ${loaded.me ? section("logged", "Your bets in the log", ownBets(loaded)) : nothing}
</div>`);

async function copy(shown) {
  const copying = navigator.clipboard.writeText(shown.checkpoint);
  shown.copied = await copying.then(() => "Copied.", () => "It could not be copied.");
  update();
}

const logOf = (shown) => html`
  <section>
    <p class="quiet">Each settled bet of every player becomes an entry of this log, before its server seed is
      revealed. The server signs a checkpoint, which fixes all entries so far. Keep one, and compare it with
      those of others: a server that removes or changes a bet afterwards contradicts it.</p>
    <dl class="values">
      <dt>Origin</dt><dd id="log-origin">${shown.origin}</dd>
      <dt>Entries</dt><dd id="log-size">${shown.checkpoint.split("\n")[1]}</dd>
      <dt>Verifier key</dt><dd id="log-keys">${shown.keys.trim()}</dd>
    </dl>
    <h3 id="checkpoint-title">Newest checkpoint</h3>
    <pre id="checkpoint" tabindex="0" role="region" aria-labelledby="checkpoint-title">${shown.checkpoint}</pre>
    <p class="more">
      ${namedButton("Copy", "the checkpoint", () => copy(shown))}
      ${saveLink("Download", "checkpoint.txt", () => shown.checkpoint)}
      <span id="log-said" role="status">${shown.copied}</span>
    </p>
  </section>`;

const ownBets = ({ me, bets }) => html`
  <p class="quiet">Your browser fetches the proof of a bet, and computes from it that the bet is in the log as you have
    seen it. <a href="/verify">Verify a bet</a> does the same without this server.</p>
  <dl class="values"><dt>Your name in the log</dt><dd id="log-me">${me.player}</dd></dl>
  ${bets.length ? nothing : html`<p class="quiet">Each bet appears here when its server seed is revealed.
    <a href="/">Play a bet</a></p>`}
  <ul id="logged" class="lines">${repeat(bets, ({ id }) => id, line)}</ul>`;

function line(bet) {
  const { id, game, pf, verdict } = bet;
  const name = nameOf({ game, nonce: pf.nonce });
  const verify = async () => {
    bet.verdict = await verdictInLog(id, () => shownBet(id));
    update();
  };
  return html`<li>
    <span class="name">${name}</span>
    <a href="/bets/${id}/tlog-proof" download="bet-${id}.tlog-proof">Save the proof<span class="unseen"> of ${
      name.toLowerCase()}</span></a>
    ${namedButton("Verify", name.toLowerCase(), verify)}
    <div class="found" role="status">${verdict ? logVerdict(verdict) : nothing}</div>
  </li>`;
}
