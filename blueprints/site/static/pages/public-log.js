// The public log of bets, and the player's bets verified in it.

import { getOwn, getText } from "../api.js";
import { shownBet } from "../fairness/bet-list.js";
import { nameOf } from "../fairness/evidence.js";
import { findLog, logVerdict, verdictInLog } from "../fairness/in-log.js";
import { RECORDS } from "../fairness/records.js";
import { canVerify } from "../fairness/rolls.js";
import {
  checkWitnessed, findWitnessed, findWitnesses, inWords, keysOf, nameOfKey, readerOf,
} from "../fairness/witnesses.js";
import { formatTime } from "../format.js";
import { html, nothing, repeat } from "../lit.js";
import { checks as drawChecks, namedButton, saveLink, section } from "../parts/elements.js";
import { Resource } from "../parts/lists.js";
import { getToken } from "../session.js";
import { update } from "../store.js";

const MOST = 8;

const log = new Resource(async () => {
  const isPlayer = getToken() !== null;
  const { origin, path } = await findLog();
  const witnessing = findWitnesses(path);
  // Before the checkpoint, which is not older then.
  const witnessed = (await witnessing).witnesses.length ? await findWitnessed(path) : null;
  const [checkpoint, keys, me, bets] = await Promise.all([
    getText(`${path}/checkpoint`),
    getText(`${path}/key`),
    isPlayer ? getOwn("/log/me") : null,
    isPlayer ? getOwn(`/stats/fairness?limit=${MOST}`) : null,
  ]);
  const said = { ...(await witnessing), witnessed, found: null, problem: "" };
  if (witnessed && canVerify()) await check(said, { newest: checkpoint, keys, read: readerOf(path) });
  return { origin, checkpoint, keys, me, said, bets: bets?.data.items.filter(isListed) ?? [] };
});

/** Checks the witnessed checkpoint. What goes wrong is shown, and the rest of the page as well. */
async function check(said, { newest, keys, read }) {
  try {
    said.found = await checkWitnessed(said.witnessed, { ...said, newest, keys, read });
  } catch ({ message }) {
    said.problem = `The witnessed checkpoint could not be checked: ${message}`;
  }
}

/** Whether a bet has an entry of its own whose seed is revealed. A battle is verified on its page. */
const isListed = ({ game, pf }) => game in RECORDS && pf.serverSeed;

export const enter = () => log.load();

export const page = () => log.view("log-note", "The log", (loaded) => html`<div id="log-parts" class="parts">
  ${logOf(loaded)}
  ${section("witnesses", "Witnesses", loaded.said.witnesses.length ? witnessesOf(loaded)
    : html`<p id="no-witnesses" class="quiet">Nobody else cosigns this log.</p>`)}
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

const witnessesOf = ({ checkpoint, keys, said }) => html`
  <p class="quiet">A witness is somebody else who signs a checkpoint too, but only if it continues what the witness has
    signed before: so this log can't be shown in two versions. A checkpoint is witnessed once ${said.quorum} of ${
    said.witnesses.length} have cosigned it.</p>
  <dl class="values">${said.witnesses.map(({ key, size, at }) => html`<dt>${nameOfKey(key)}</dt><dd>${
    at === null ? "has cosigned nothing yet" : `${size} entries, ${formatTime(at)}`}</dd>`)}</dl>
  <p id="witnessed">${ageOf(said, Number(checkpoint.split("\n")[1]))}</p>
  ${said.problem ? html`<p class="problem">${said.problem}</p>` : nothing}
  ${said.found ? drawChecks(said.found.checks) : nothing}
  <p class="more"><a href="/verify#${new URLSearchParams({ logKey: keys, witnessKeys: keysOf(said.witnesses) })}">Verify
    a proof with these keys</a></p>`;

function ageOf({ witnessed, found }, entries) {
  if (!witnessed) return "No checkpoint is witnessed yet.";
  const newer = Math.max(0, entries - Number(witnessed.split("\n")[1]));
  const when = found?.at ? `was cosigned ${inWords(Date.now() - found.at)} ago` : "has been cosigned";
  const more = newer ? `${newer} ${newer === 1 ? "entry is" : "entries are"} newer.` : "It has all entries.";
  return `The newest witnessed checkpoint ${when}. ${more}`;
}

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
