// Verifies a battle: that its lock is in the public log, that the round follows from the lock, that the beacon is that
// of the round, and that the seeds give what was shown. /verify and verify/verify.mjs contain this module.

import { isBeacon, QUICKNET, randomnessOf, readNetwork, roundOfLock, timeOfRound } from "./beacons.js";
import { recomputeBattle, teamOfSeats, teamsOf } from "./battles.js";
import { canonicalJson, checkProof, readEntry } from "./log-proof.js";
import { demand, InvalidValue, sha256 } from "./rolls.js";

const BOT = "bot";
const DEMO = "demo";
const PSEUDONYM = /^[0-9a-f]{32}$/;

/**
 * Verify a battle as `GET /battles/:id` has it. What it needs is asked of `sources`; each may be left out, resolve with
 * nothing, or reject, and what needs it is not checked then:
 *
 *   fetchSnapshot(hash)  the text of a snapshot
 *   fetchProof(index)    `{ file, keys }`: a proof file of the lock entry, and the verifier keys of the log; perhaps
 *                        `witnesses`, verifier keys of those who may have cosigned its checkpoint
 *   fetchNetwork(hash)   what a relay's `/info` says of another network than quicknet
 *   fetchBeacon(round)   the signature of a round, when the battle does not say it: of a void one
 *   loadCurves()         `bls12_381` of @noble/curves
 *
 * Resolves with `checks`, each `{ text, passed }`, null being that it can't be made; `outcome`, as recomputeBattle
 * returns it, null until it is known; and `notes`, texts.
 */
export async function verifyBattle(battle, sources = {}) {
  const checks = await checkSeed(battle);
  const contents = await readContents(battle, sources, checks);
  const lock = battle.entry === undefined || battle.entry === null ? null : await checkLock(battle, sources, checks);
  const randomness = lock && (await checkBeacon(battle, lock, sources, checks));
  if (!battle.serverSeed || !contents || !randomness) return { checks, outcome: null, notes: [] };
  const { mode, teams, crazy, terminal, serverSeed } = battle;
  const seeds = { serverSeed, lockHash: lock.leaf, randomness };
  const outcome = await recomputeBattle({ mode, teams, crazy, terminal, contents, ...seeds });
  if (battle.state === "void") return { checks, outcome, notes: [wouldHaveWon(battle, outcome)] };
  checks.push(...compareOutcome(battle, outcome));
  return { checks, outcome, notes: [] };
}

/**
 * Check a player's receipt, `{ battle, proof }`: the proof that the lock is in the log. `known` is what the player's
 * browser has known of the battle since the player took a seat: `serverSeedCommitment`, `cases` as snapshots, `mode`,
 * `crazy`, `terminal`, `playersOnly`, `teams`, `seat` and `clientSeed`. `arrivedAt` is when the receipt came, in Unix
 * milliseconds by the player's clock.
 *
 * Resolves with `checks` as above, and `entry`, the lock entry, of which the receipt has the proof; `index`, its index.
 */
export async function checkBattleReceipt({ battle: id, proof }, { keys, witnesses, known = {}, arrivedAt, fetchNetwork }) {
  const found = await checkProof(proof, keys, { what: "lock", witnesses });
  const entry = readLock(found.text);
  const own = entry.seats[known.seat];
  const kind = ["mode", "crazy", "terminal", "playersOnly", "teams"].filter((name) => known[name] !== undefined);
  const locked = { ...entry, teams: teamsOf(entry.seats) };
  const checks = [
    ...found.checks,
    { text: "The lock is that of the battle", passed: entry.battle === (await sha256(id)) },
    compared("The lock has the commitment that was shown", entry.commitment, known.serverSeedCommitment),
    compared("The lock has the cases that were shown", entry.cases.join(), known.cases?.join()),
    kind.length && {
      text: "The lock has the mode and the teams that were shown",
      passed: kind.every((name) => locked[name] === known[name]),
    },
    compared("The lock has your client seed in your seat", own?.clientSeed, known.clientSeed),
  ].filter(Boolean);
  const network = await networkOf(entry, { fetchNetwork });
  if (network) checks.push(roundCheck(entry, network), ...witnessChecks(entry, network, found.cosigned));
  checks.push(network && arrivedAt !== undefined ? timeCheck(entry, network, arrivedAt) : {
    text: "Whether the receipt came before the round was published can't be checked", passed: null,
  });
  return { checks, entry, index: found.index };
}

const compared = (text, value, known) => known !== undefined && { text, passed: value === known };

function timeCheck({ beacon: { round } }, network, arrivedAt) {
  const early = timeOfRound(network, round) - arrivedAt;
  const text = early > 0
    ? `The receipt came ${(early / 1000).toFixed(1)} s before round ${round} was published`
    : `The receipt came ${(-early / 1000).toFixed(1)} s after round ${round} was published: it does not prove that the ` +
      "battle was locked before";
  return { text, passed: early > 0 };
}

/** By the clock of a witness, the lock was in the log when the witness cosigned the checkpoint. */
function witnessChecks({ beacon: { round } }, network, cosigned) {
  return cosigned.map(({ name, at }) => {
    const seconds = (timeOfRound(network, round) - at) / 1000;
    // The time of a cosignature is in whole seconds, rounded down.
    return seconds > 0
      ? { text: `${name} has cosigned the lock ${seconds} s before round ${round} was published`, passed: true }
      : { text: `${name} has cosigned the lock ${-seconds} s after round ${round} was published`, passed: null };
  });
}

/**
 * Check a file about a battle: what `GET /battles/:id` returns; that under `battle`, with what else is needed:
 * `proof`, `snapshots` as a list of texts, `network` and `signature`, each as a source has it, and perhaps `receipt`; or
 * a receipt, `{ battle, proof }`, perhaps with `known` and `arrivedAt`. `keys` are verifier keys of the log, and
 * `witnesses` those of witnesses; `more` has further `snapshots`, `proof` and `signature`.
 *
 * Resolves as verifyBattle. Rejects with InvalidValue for any other file.
 */
export async function checkBattleFile(text, { keys = "", witnesses, loadCurves, snapshots: added = [], ...more } = {}) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new InvalidValue("This is not the JSON of a battle.");
  }
  const isReceipt = typeof file?.battle === "string" && typeof file.proof === "string";
  const given = isReceipt ? { receipt: file } : { ...(file?.battle ? file : { battle: file }), ...more };
  const snapshots = [...(given.snapshots ?? []), ...added];
  const { network, proof = given.receipt?.proof, receipt } = given;
  demand(isReceipt || typeof given.battle?.id === "string", "This is not the JSON of a battle.");
  const sources = {
    fetchSnapshot: async (hash) => {
      for (const content of snapshots) if ((await sha256(content)) === hash) return content;
    },
    fetchProof: async () => proof && { file: proof, keys, witnesses },
    fetchNetwork: async () => network,
    fetchBeacon: async () => given.signature,
    loadCurves,
  };
  try {
    const found = given.battle ? await verifyBattle(given.battle, sources) : { checks: [], outcome: null, notes: [] };
    if (receipt) found.checks.push(...(await checkBattleReceipt(receipt, { ...receipt, keys, witnesses, ...sources })).checks);
    return found;
  } catch (problem) {
    if (problem instanceof TypeError) throw new InvalidValue("This is not the JSON of a battle.");
    throw problem;
  }
}

// Seeds and cases

async function checkSeed({ serverSeed, serverSeedCommitment }) {
  if (!serverSeed) return [{ text: "The server seed is not revealed yet", passed: null }];
  const passed = (await sha256(serverSeed)) === serverSeedCommitment;
  return [{ text: "The server seed is the one that was committed to", passed }];
}

/** The snapshot of each case as text; null if one is missing, or not the one that the battle names. */
async function readContents({ cases }, { fetchSnapshot }, checks) {
  const texts = new Map();
  for (const hash of new Set(cases.map(({ snapshot }) => snapshot))) texts.set(hash, await ask(fetchSnapshot, hash));
  const isMissing = [...texts.values()].includes(undefined);
  let areRight = true;
  for (const [hash, text] of texts) if (text !== undefined && (await sha256(text)) !== hash) areRight = false;
  const text = areRight && isMissing ? "The content of a case is missing" : "The contents of the cases are those shown";
  checks.push({ text, passed: areRight && (isMissing ? null : true) });
  return areRight && !isMissing ? cases.map(({ snapshot }) => texts.get(snapshot)) : null;
}

// The lock

/** The lock entry in the log, with its `leaf` hash; null without a proof. */
async function checkLock(battle, { fetchProof }, checks) {
  const given = await ask(fetchProof, battle.entry);
  if (!given) {
    checks.push({ text: `Entry ${battle.entry} of the public log is missing`, passed: null });
    return null;
  }
  const asked = { what: "lock", witnesses: given.witnesses };
  const { index, text, leaf, cosigned, checks: found } = await checkProof(given.file, given.keys, asked);
  const entry = readLock(text);
  const others = await differencesOf(battle, entry);
  const what = others.length ? `: ${others.join(", ")}` : "";
  checks.push(...found, { text: "The page of the battle names this entry", passed: index === battle.entry },
    { text: `The lock in the log is that of the battle as it is shown${what}`, passed: !others.length });
  return { ...entry, leaf, cosigned };
}

/** The fields of the lock that differ from the battle as it is shown. Only the log has the players' pseudonyms. */
async function differencesOf(battle, entry) {
  const { mode, crazy, terminal, playersOnly, serverSeedCommitment: commitment, lockedAt: at, round, seats } = battle;
  const rebuilt = {
    at,
    battle: await sha256(battle.id),
    beacon: { chain: entry.beacon.chain, round },
    cases: battle.cases.map(({ snapshot }) => snapshot),
    commitment,
    crazy,
    mode,
    playersOnly,
    seats: seats.map(({ team, bot, clientSeed }, seat) => ({
      clientSeed,
      player: bot ? BOT : PSEUDONYM.test(entry.seats[seat]?.player) ? entry.seats[seat].player : "",
      team,
    })),
    terminal,
    v: 2,
  };
  const names = new Set([...Object.keys(entry), ...Object.keys(rebuilt)]);
  const others = [...names].filter((name) => canonicalJson(entry[name]) !== canonicalJson(rebuilt[name]));
  const isNamed = String(teamOfSeats(battle.teams)) === String(entry.seats.map(({ team }) => team));
  return isNamed ? others : [...others, "teams"];
}

/** A lock entry. Throws InvalidValue if the text is none. */
function readLock(text) {
  const entry = readEntry(text);
  const isLock = entry?.v === 2 && Array.isArray(entry.seats) && Array.isArray(entry.cases) && entry.beacon &&
    Number.isSafeInteger(entry.beacon.round) && Number.isSafeInteger(entry.at);
  demand(isLock, "The entry is not the lock of a battle.");
  return entry;
}

// The beacon

/** The randomness of the lock's round, as far as it is known. */
async function checkBeacon(battle, lock, sources, checks) {
  const network = await networkOf(lock, sources);
  checks.push(trustCheck(lock.beacon.chain, network));
  if (network) checks.push(roundCheck(lock, network), ...witnessChecks(lock, network, lock.cosigned));
  const { round } = lock.beacon;
  const signature = battle.signature ?? (await ask(sources.fetchBeacon, round));
  if (!signature) {
    if (battle.state !== "locked") checks.push({ text: `The beacon of round ${round} is missing`, passed: null });
    return null;
  }
  const randomness = await randomnessOf(signature);
  checks.push(await signatureCheck(network, round, signature, sources));
  if (battle.randomness) {
    const passed = randomness === battle.randomness;
    checks.push({ text: "The randomness is the hash of the signature", passed });
  }
  return randomness;
}

/** The network of a lock; undefined when nobody describes it. */
async function networkOf({ beacon: { chain } }, { fetchNetwork }) {
  if (chain === QUICKNET.hash) return QUICKNET;
  const info = await ask(fetchNetwork, chain);
  return info && readNetwork(info, chain).catch(() => undefined);
}

function trustCheck(chain, network) {
  if (chain === QUICKNET.hash) return { text: "The randomness is that of drand's public network quicknet", passed: true };
  const text = network?.id === DEMO
    ? "The randomness is that of a demonstration: the house holds its key"
    : `The randomness is that of the network ${chain}: whoever runs that network is trusted`;
  return { text, passed: null };
}

function roundCheck({ at, beacon: { round } }, network) {
  const due = roundOfLock(network, at);
  const text = `Round ${round} is the first six seconds or more after the lock`;
  return { text: due === round ? text : `${text}, which is round ${due}`, passed: due === round };
}

async function signatureCheck(network, round, signature, { loadCurves }) {
  const curves = network && (await ask(loadCurves));
  if (!curves) return { text: `The signature of round ${round} can't be checked here`, passed: null };
  const passed = await isBeacon(network, round, signature, curves);
  return { text: `The signature is that of round ${round}`, passed };
}

// The outcome

/** Amounts are numbers of coins, prices may be text such as "$1.50". */
const centsOfShown = (coins) => Math.round(Number(String(coins).replace("$", "")) * 100);

function compareOutcome(battle, outcome) {
  const shown = (battle.drawn ?? []).map((items) => items.map(({ item, price, ticket }) =>
    ({ item, price: centsOfShown(price), ticket })));
  const same = (one, other) => canonicalJson(one) === canonicalJson(other);
  const pick = (all, name) => all.map((items) => items.map((each) => each[name]));
  const inCents = (amounts) => (amounts ?? []).map(centsOfShown);
  return [
    ["The seeds give the tickets that were shown", same(pick(shown, "ticket"), pick(outcome.drawn, "ticket"))],
    ["The tickets give the items that were shown", same(shown, outcome.drawn)],
    ["The values are those of the items", same(inCents(battle.values), outcome.values)],
    ["The tie is the one that was shown", same(battle.tie ?? null, outcome.tie)],
    ["The winners are those that were shown", same(battle.winners, outcome.winners)],
    ["The payouts are those that were shown", same(inCents(battle.payouts), outcome.payouts)],
  ].map(([text, passed]) => ({ text, passed }));
}

/** Who would have got what in a void battle. */
function wouldHaveWon({ reason, seats, cost }, { payouts }) {
  const paid = payouts.flatMap((cents, seat) => (cents ? [`${nameOfSeat(seats[seat])} ${(cents / 100).toFixed(2)}`] : []));
  const given = cost === undefined ? "each cost" : `each cost of ${cost.toFixed(2)}`;
  return `Void (${reason}): ${given} was refunded. Otherwise: ${paid.join(", ") || "nobody would have got anything"}.`;
}

const nameOfSeat = ({ seat, bot, player }) => (bot ? `bot ${seat}` : player?.name ?? player?.username ?? `seat ${seat}`);

/** What a source resolves with; undefined if there is no such source, or it fails. */
async function ask(source, ...wanted) {
  try {
    return (await source?.(...wanted)) ?? undefined;
  } catch (problem) {
    if (problem instanceof InvalidValue) throw problem;
    return undefined;
  }
}
