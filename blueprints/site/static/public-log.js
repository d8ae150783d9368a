// The tab "Log": the public log of bets, and the player's bets verified in it. page.js loads this when it is opened.

import { getJson, getOwn, getText, makeSignals, Refused } from "./api.js";
import { attempts } from "./attempts.js";
import { drawChecks, shownBet } from "./bet-list.js";
import { byId, make, namedButton, saveLink } from "./dom.js";
import { nameOf } from "./evidence.js";
import { canVerify } from "./fairness.js";
import { checkLogFile } from "./log-proof.js";
import { getToken } from "./session.js";

const MOST = 8;
const NOT_FOUND = 404;

const nextSignal = makeSignals();

/** Where the present log is: a log that has lost its end is continued under another path. */
async function findLog() {
  const { origin } = await getJson("/log/current");
  return { origin, path: origin.slice(origin.lastIndexOf("/")) };
}

/**
 * Verify that a bet is in the log as the player was shown it. Resolves with what `checkLogFile` returns, and the `keys`
 * of the log. Rejects with Malformed for a file that is no proof, and as getJson does.
 */
export async function verifyInLog(id, shown) {
  const [{ path }, bet] = await Promise.all([findLog(), getJson(`/bets/${id}`)]);
  if (!bet.log) throw new Refused(NOT_FOUND, "The server says that it is older than the log");
  const [proof, keys] = await Promise.all([getText(`/bets/${id}/tlog-proof`), getText(`${path}/key`)]);
  const found = await checkLogFile(proof, keys, entryOf(shown));
  const isThere = bet.log.index === found.index && bet.log.origin === found.origin;
  found.checks.push({ text: "The page of the bet names this entry", passed: isThere });
  return { ...found, keys };
}

/** What the entry of a bet must say, from what the player was shown of it. */
export function entryOf({ game, commitment, nonce, clientSeed, wagerCents, ...terms }) {
  const sent = attempts(commitment).find(({ request }) => request.clientSeed === clientSeed);
  const shared = { algorithm: `${game}-1`, wager: wagerCents };
  const { item, priceCents: price, edge, threshold, snapshot } = terms;
  const more = game === "upgrader" ? { item, price, edge: String(edge), threshold } : { snapshot: snapshot.hash };
  return { commitment, nonce, clientSeed, next: sent?.next, terms: { ...shared, ...more } };
}

/** Load the log's state and the player's newest bets, and draw them. */
export async function showLog() {
  const signal = nextSignal();
  const isPlayer = getToken() !== null;
  try {
    const { origin, path } = await findLog();
    const [checkpoint, keys, me, bets] = await Promise.all([
      getText(`${path}/checkpoint`),
      getText(`${path}/key`),
      isPlayer ? getOwn("/log/me") : null,
      isPlayer ? getOwn(`/stats/fairness?limit=${MOST}`) : null,
    ]);
    if (signal.aborted) return;
    drawLog({ origin, checkpoint, keys });
    drawBets(me, bets?.data.items.filter(({ pf }) => pf.serverSeed) ?? []);
    byId("log-note").textContent = "";
    byId("log-parts").hidden = false;
  } catch (problem) {
    if (!signal.aborted) byId("log-note").textContent = `The log could not be loaded: ${problem.message}`;
  }
}

function drawLog({ origin, checkpoint, keys }) {
  byId("log-origin").textContent = origin;
  byId("log-size").textContent = checkpoint.split("\n")[1];
  byId("log-keys").textContent = keys.trim();
  byId("checkpoint").textContent = checkpoint;
  byId("checkpoint-save").replaceChildren(saveLink("Download", "checkpoint.txt", () => checkpoint));
  byId("checkpoint-copy").onclick = async () => {
    const said = await navigator.clipboard.writeText(checkpoint).then(() => "Copied.", () => "It could not be copied.");
    byId("log-said").textContent = said;
  };
  byId("log-said").textContent = "";
}

function drawBets(me, bets) {
  byId("log-own").hidden = !me;
  byId("log-me").textContent = me?.player ?? "";
  byId("logged").replaceChildren(...bets.map(line));
  byId("logged-none").hidden = bets.length > 0;
}

function line({ id, game, pf }) {
  const name = nameOf({ game, nonce: pf.nonce });
  const result = make("div", { className: "found", role: "status" });
  const verify = namedButton("Verify", name.toLowerCase(), async () => result.replaceChildren(...(await verdict(id))));
  const file = make("a", { href: `/bets/${id}/tlog-proof`, download: `bet-${id}.tlog-proof` }, "Save the proof");
  file.append(make("span", { className: "unseen" }, ` of ${name.toLowerCase()}`));
  return make("li", {}, make("span", { className: "name" }, name), file, verify, result);
}

async function verdict(id) {
  if (!canVerify()) return ["Not verified: browsers can compute hashes on https pages only."];
  try {
    const { index, size, checks } = await verifyInLog(id, await shownBet(id));
    const isWrong = checks.some(({ passed }) => passed === false);
    const isWhole = checks.every(({ passed }) => passed);
    const text = isWrong ? "NOT verified" : isWhole ? "Verified" : "Verified except for the signature";
    const className = isWrong ? "failed" : "passed";
    return [make("strong", { className }, `${text}: entry ${index} of ${size}`), drawChecks(checks)];
  } catch (problem) {
    return [make("strong", { className: "failed" }, `NOT verified: ${problem.message}`)];
  }
}
