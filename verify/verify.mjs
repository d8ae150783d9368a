// Verify a provably fair bet or battle: node verify.mjs --help. Needs Node.js 20 or later and no packages.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `node verify.mjs --server-seed S --client-seed C --nonce N
    [--commitment H] [--amount A --price P] [--house-edge E] [--algorithm upgrader-1]
node verify.mjs --server-seed S --client-seed C --nonce N --algorithm case-1|irl-1
    [--commitment H] [--snapshot FILE] [--snapshot-hash H]
node verify.mjs --log-file FILE [--key KEY] [--witness KEY] [values of the bet as above, none required] [--next H]
node verify.mjs --battle FILE|URL [--key KEY] [--witness KEY] [--signature HEX]
node verify.mjs --vectors FILE

Recomputes the roll or the ticket from the seeds, and whether the server seed is the one that was committed
to. For a spin also the threshold from wager and price; for the opening of a case the item, from the snapshot
that GET /snapshots/<hash> serves. All values are in the proof of the bet. Exits with 1 when the server seed
or the snapshot is another one, or when a value is not valid. --vectors checks this program itself.

--log-file checks a file of the public log: the proof of GET /bets/<id>/tlog-proof, or a receipt. It prints a
line for each check: that the entry is in the tree, the signature, and what the entry says of the bet, as far
as values are given. Exits with 1 unless all of them pass.

--battle checks a battle: that its lock is in the log, that the round follows from it, the beacon, and what the
seeds give. It takes https://host/battles/<id>, and reads the rest from there; or a file: what the page of the
battle saved, or a receipt. It prints a line for each check, and exits with 1 if one fails, with 2 if one can't
be made. The signatures of beacons are checked if @noble/curves is installed: npm install @noble/curves@2.4.0.

  --algorithm      upgrader-1, case-1 or irl-1
  --commitment     as it was announced before the bet
  --server-seed    as the proof revealed it
  --client-seed    as it was sent with the bet
  --nonce          the number of the bet
  --amount         the wager, such as 1.50
  --price          the price of the item, such as 12.34
  --house-edge     a fraction, 0.05 if it is left out
  --snapshot       the snapshot of the case that was opened
  --snapshot-hash  as the page of the case showed it
  --log-file       the proof or the receipt
  --key            verifier keys of the log, or a file or an address with them, such as https://host/log/key
  --witness        the verifier key of a witness: whether it has cosigned the checkpoint, and when; may be repeated
  --next           the commitment that was announced for the next bet
  --signature      of the beacon of a void battle, as any relay of drand has it`;

// BEGIN of the modules of the built-in page, which generate.py copies.

// The proof that an entry is in the public log, made from the tiles of the log (https://c2sp.org/tlog-tiles) alone: so
// nobody needs to be asked for the proof of somebody else's battle. log-proof.js checks what is made here.

const WIDTH = 256;
const LEVEL_BITS = 8;
const HASH_BYTES = 32;

/**
 * The proof file of the entry at this index. `read(path)` resolves with the bytes of a path below the log's, such as
 * "/checkpoint", or null where there is nothing. Rejects with InvalidValue when the log has no such entry or tile.
 */
async function proofFromTiles(index, read) {
  const checkpoint = new TextDecoder().decode(await read("/checkpoint"));
  const size = Number(checkpoint.split("\n")[1]);
  demand(Number.isSafeInteger(size) && 0 <= index && index < size, `The public log has no entry ${index} yet.`);
  const tiles = new Tiles(size, read);
  const path = await tiles.path(index);
  const lines = path.map((hash) => `${base64(hash)}\n`).join("");
  const extra = base64(await tiles.entry(index));
  return `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${index}\n${lines}\n${checkpoint}`;
}

/**
 * The roots of a log when it had `older` and `newer` entries, not more, in Base64. Both are made from the same hashes:
 * if they are those of two checkpoints, the newer one continues the older one (RFC 6962, section 2.1.2).
 */
async function rootsFromTiles(older, newer, read) {
  demand(0 < older && older <= newer, "A log without entries has no tiles.");
  const tiles = new Tiles(newer, read);
  const rootOf = async (size) => base64(await tiles.rootThrough(0, size, older));
  return { older: await rootOf(older), newer: await rootOf(newer) };
}

class Tiles {
  #read;
  #tiles = new Map();

  constructor(size, read) {
    this.size = size;
    this.#read = read;
  }

  /** PATH(index, D[size]) of RFC 6962, section 2.1.1: the hashes from the leaf to the root. */
  async path(index) {
    const found = [];
    for (let [start, end] = [0, this.size]; end - start > 1;) {
      const middle = start + largestPowerBelow(end - start);
      const isLeft = index < middle;
      found.unshift(await (isLeft ? this.#hash(middle, end) : this.#hash(start, middle)));
      [start, end] = isLeft ? [start, middle] : [middle, end];
    }
    return found;
  }

  /** The hash above these leaves, made from hashes that are all before or all after `split`. */
  async rootThrough(start, end, split) {
    if (end <= split || start >= split) return this.#hash(start, end);
    const middle = start + largestPowerBelow(end - start);
    return this.#node(this.rootThrough(start, middle, split), this.rootThrough(middle, end, split));
  }

  /** The bytes of an entry. */
  async entry(index) {
    const [number, place] = [Math.floor(index / WIDTH), index % WIDTH];
    const bundle = await this.#resource("entries", number, 0);
    const view = new DataView(bundle.buffer, bundle.byteOffset);
    let start = 0;
    for (let before = 0; before < place; before++) start += 2 + view.getUint16(start);
    return bundle.subarray(start + 2, start + 2 + view.getUint16(start));
  }

  /** The hash above the leaves from start to end - 1, which begin at a multiple of a power of two that holds them. */
  async #hash(start, end) {
    const count = end - start;
    const middle = start + largestPowerBelow(count);
    if (count > 1 && !isPowerOfTwo(count)) return this.#node(this.#hash(start, middle), this.#hash(middle, end));
    const height = Math.log2(count);
    const level = Math.floor(height / LEVEL_BITS);
    const span = 2 ** (height % LEVEL_BITS);
    const first = start / 2 ** (level * LEVEL_BITS);
    const tile = await this.#tile(level, Math.floor(first / WIDTH));
    return this.#root(tile.subarray((first % WIDTH) * HASH_BYTES, ((first % WIDTH) + span) * HASH_BYTES));
  }

  /** The root above hashes that follow each other, a power of two of them. */
  async #root(hashes) {
    if (hashes.length <= HASH_BYTES) return hashes;
    const half = hashes.length / 2;
    return this.#node(this.#root(hashes.subarray(0, half)), this.#root(hashes.subarray(half)));
  }

  async #node(left, right) {
    const bytes = Uint8Array.from([1, ...(await left), ...(await right)]);
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }

  #tile(level, number) {
    const key = `${level}/${number}`;
    if (!this.#tiles.has(key)) this.#tiles.set(key, this.#resource(level, number, level));
    return this.#tiles.get(key);
  }

  /** A tile or a bundle. A full one stands in for a partial one that the log has deleted since. */
  async #resource(name, number, level) {
    const path = `/tile/${name}/${pathOf(number)}`;
    const width = Math.floor(this.size / 2 ** (level * LEVEL_BITS)) - number * WIDTH;
    const partial = width < WIDTH ? await this.#read(`${path}.p/${width}`) : null;
    const bytes = partial ?? (await this.#read(path));
    demand(bytes, "A tile of the public log is missing.");
    return bytes;
  }
}

const isPowerOfTwo = (number) => Number.isInteger(Math.log2(number));

/** The largest power of two below a number from 2 on; 0 for 1. */
const largestPowerBelow = (number) => (number < 2 ? 0 : 2 ** Math.floor(Math.log2(number - 1)));

/** x001/x234/067 for 1234067. */
function pathOf(number) {
  const groups = [String(number % 1000).padStart(3, "0")];
  for (let rest = Math.floor(number / 1000); rest; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  }
  return groups.join("/");
}

const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

// The rules of a battle, with WebCrypto and BigInt alone. services/battles/rules.py has the same in Python.
//
//   digest(a, b)   = HMAC-SHA256(key = server seed as text,
//                                message = "battle-1:<hash of the lock entry>:<randomness>:<a>:<b>")
//   below(a, b, n) = digest(a, b) as a 256-bit number * n >> 256
//
// Seats, teams, cases and rounds of a draw are numbered from 0. The ticket of seat s in case c is below(s, c, 10^18),
// and wins the item of the case as the ticket of an opening does. A draw among weights is below("tie" or "jackpot", 0,
// their sum); the first whose cumulated weight is above it is drawn.
//
// /verify and verify/verify.mjs contain this module.

const TICKETS = 10n ** 18n;
const HASH = /^[0-9a-f]{64}$/;
const [NORMAL, JACKPOT, SHARED] = ["normal", "jackpot", "shared"];

/** How many seats each team has. The seats of a team follow each other. */
const TEAMS = {
  "1v1": [1, 1],
  "1v1v1": [1, 1, 1],
  "1v1v1v1": [1, 1, 1, 1],
  "1v1v1v1v1v1": [1, 1, 1, 1, 1, 1],
  "2v2": [2, 2],
  "3v3": [3, 3],
  "2v2v2": [2, 2, 2],
};

/** The team of each seat. */
const teamOfSeats = (teams) => TEAMS[teams].flatMap((seats, team) => Array(seats).fill(team));

/** The name of the teams of these seats, such as 2v2; undefined when there are no such teams. */
const teamsOf = (seats) =>
  Object.keys(TEAMS).find((name) => String(teamOfSeats(name)) === String(seats.map(({ team }) => team)));

/** The random numbers of a battle. `lockHash` is the leaf hash of its lock entry, `randomness` the beacon's; hex. */
async function drawsOf({ serverSeed, lockHash, randomness }) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(serverSeed), algorithm, false, ["sign"]);
  /** A BigInt from 0 to range - 1. */
  const below = async (a, b, range) => {
    const message = bytesOf(`battle-1:${lockHash}:${randomness}:${a}:${b}`);
    return (BigInt(`0x${hexOf(await crypto.subtle.sign("HMAC", key, message))}`) * BigInt(range)) >> 256n;
  };
  return { below, ticket: (seat, place) => below(seat, place, TICKETS) };
}

/**
 * Recompute a battle. `contents` has the snapshot's text of each case, in the order in which the cases are opened.
 *
 * Resolves with `drawn`, for each seat and case `{ item, price, ticket }`, and `values`, `tie`, `winners` and `payouts`
 * as in `GET /battles/:id`, but with all amounts in cents. Rejects with InvalidValue for what no battle can have.
 */
async function recomputeBattle({ contents, ...battle }) {
  const { serverSeed, lockHash, randomness } = battle;
  demand(HASH.test(serverSeed), "A server seed has 64 hexadecimal digits, 0-9 and a-f.", "serverSeed");
  demand(HASH.test(lockHash) && HASH.test(randomness), "A hash has 64 hexadecimal digits, 0-9 and a-f.");
  demandRules(battle);
  demand(contents.length, "A battle has a case.");
  const draws = await drawsOf(battle);
  const read = new Map(contents.map((text) => [text, readSnapshot(text).items]));
  const drawn = [];
  for (const seat of teamOfSeats(battle.teams).keys()) {
    drawn.push(await Promise.all(contents.map(async (text, place) => {
      const [ticket, items] = [await draws.ticket(seat, place), read.get(text)];
      const { name, priceCents } = items[winnerOf(ticket, items).position];
      return { item: name, price: priceCents, ticket: String(ticket) };
    })));
  }
  return { drawn, ...(await decide(battle, drawn.map((items) => items.map(({ price }) => price)), draws)) };
}

/** Throws InvalidValue if there is no such battle. */
function demandRules({ mode, teams, crazy, terminal }) {
  const isKnown = [NORMAL, JACKPOT, SHARED].includes(mode) && Object.hasOwn(TEAMS, teams);
  demand(isKnown, "There is no such mode or teams.");
  const isPlain = !crazy && !terminal && Math.max(...TEAMS[teams]) === 1;
  demand(mode !== SHARED || isPlain, "A shared battle has one seat a team, and is neither crazy nor terminal.");
}

/** Who gets the pot. `drawnCents` has, for each seat, the price of its item in each case. */
async function decide({ mode, teams, crazy = false, terminal = false }, drawnCents, draws) {
  const seats = teamOfSeats(teams);
  const values = TEAMS[teams].map(() => 0);
  for (const [seat, prices] of drawnCents.entries()) {
    values[seats[seat]] += terminal ? prices.at(-1) : sum(prices);
  }
  let [tie, winners] = [null, values.map((_, team) => team)];
  if (mode === JACKPOT) {
    winners = [await drawByWeight(draws, jackpotWeights(values, crazy))];
  } else if (mode === NORMAL) {
    const best = crazy ? Math.min(...values) : Math.max(...values);
    winners = winners.filter((team) => values[team] === best);
    if (winners.length > 1) [tie, winners] = [winners, [winners[await draws.below("tie", 0, winners.length)]]];
  }
  const paid = seats.flatMap((team, seat) => (winners.includes(team) ? [seat] : []));
  const shares = await equalShares(sum(drawnCents.flat()), paid.length, draws);
  return { values, tie, winners, payouts: seats.map((_, seat) => shares[paid.indexOf(seat)] ?? 0) };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function jackpotWeights(values, crazy) {
  const weights = crazy ? values.map((value) => sum(values) - value) : values;
  return weights.some(Boolean) ? weights : weights.map(() => 1);
}

async function drawByWeight(draws, weights) {
  let left = Number(await draws.below("jackpot", 0, sum(weights)));
  return weights.findIndex((weight) => (left -= weight) < 0);
}

/** The same for each seat. Cents that are left over go one by one to seats from a drawn one on. */
async function equalShares(cents, seats, draws) {
  const [share, rest] = [Math.floor(cents / seats), cents % seats];
  const first = Number(await draws.below("rest", 0, seats));
  return Array.from({ length: seats }, (_, seat) => share + ((seat - first + seats) % seats < rest ? 1 : 0));
}

// Beacons of drand: public randomness that nobody can predict or choose. services/beacon/chain.py has the same in
// Python. The beacon of a round is a BLS signature in G1 by a key in G2, over the SHA-256 of the round's number.
//
//   message    = sha256(round as 8 bytes, big-endian)
//   randomness = sha256(signature)
//   time       = genesis + period * (round - 1)
//
// A network is `{ hash, publicKey, genesis, period, id }`: times in Unix seconds, bytes in hex. The pairing is that of
// @noble/curves, which whoever calls this module loads. /verify and verify/verify.mjs contain this module.

const SCHEME = "bls-unchained-g1-rfc9380";
const DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const UNNAMED = "default";
const BEACON = /^[0-9a-f]{96}$/;

/** How long after the lock of a battle its round is published, at least. */
const LOCK_MS = 6_000;

/** The public network with a round each three seconds. */
const QUICKNET = {
  hash: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  publicKey:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
  genesis: 1_692_803_367,
  period: 3,
  id: "quicknet",
};

/**
 * The network that a relay's `/info` describes. Rejects with InvalidValue unless it has this hash, which covers all
 * that a network is.
 */
async function readNetwork(info, hash) {
  const { public_key: publicKey, groupHash, genesis_time: genesis, period, schemeID, metadata: { beaconID: id } } = info;
  const times = new DataView(new ArrayBuffer(12));
  times.setUint32(0, period);
  times.setBigInt64(4, BigInt(genesis));
  const name = id === UNNAMED ? [] : new TextEncoder().encode(id);
  const parts = [new Uint8Array(times.buffer), bytesOfHex(publicKey), bytesOfHex(groupHash), name];
  const computed = await sha256OfBytes(parts.flatMap((part) => [...part]));
  demand(computed === hash && schemeID === SCHEME, "The description of the network does not have its hash.");
  return { hash, publicKey, genesis, period, id };
}

/** When a round is published, in Unix milliseconds. */
const timeOfRound = ({ genesis, period }, round) => (genesis + period * (round - 1)) * 1000;

/** The round that decides a battle that is locked at this time: the first that is published six seconds later. */
const roundOfLock = ({ genesis, period }, at) =>
  Math.max(1, Math.ceil((at + LOCK_MS - genesis * 1000) / (period * 1000)) + 1);

/** The randomness of a beacon. Rejects with InvalidValue unless the signature has its only form. */
async function randomnessOf(signature) {
  demand(BEACON.test(signature), "The signature of a beacon has 96 hexadecimal digits, 0-9 and a-f.", "signature");
  return sha256OfBytes(bytesOfHex(signature));
}

/** Whether a signature is that of the round. `curves` is `bls12_381` of @noble/curves. Takes some 30 ms. */
async function isBeacon({ publicKey }, round, signature, { shortSignatures }) {
  if (!BEACON.test(signature)) return false;
  const number = new DataView(new ArrayBuffer(8));
  number.setBigUint64(0, BigInt(round));
  const message = new Uint8Array(await crypto.subtle.digest("SHA-256", number.buffer));
  try {
    const hashed = shortSignatures.hash(message, DOMAIN);
    return shortSignatures.verify(bytesOfHex(signature), hashed, bytesOfHex(publicKey));
  } catch {
    return false; // Not a point of the curve.
  }
}

const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));

const sha256OfBytes = async (bytes) => hexOf(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes)));

// Verifies a battle: that its lock is in the public log, that the round follows from the lock, that the beacon is that
// of the round, and that the seeds give what was shown. /verify and verify/verify.mjs contain this module.

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
async function verifyBattle(battle, sources = {}) {
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
async function checkBattleReceipt({ battle: id, proof }, { keys, witnesses, known = {}, arrivedAt, fetchNetwork }) {
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
async function checkBattleFile(text, { keys = "", witnesses, loadCurves, snapshots: added = [], ...more } = {}) {
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

// Whether a bet is in the public log: checks proof files, and the receipts that promise an entry, in the browser.
//
//   proof file   https://c2sp.org/tlog-proof with the entry as its extra; its end is a checkpoint, a signed note
//   receipt      a signed note (https://c2sp.org/signed-note) of "<origin>/receipt" and the entry
//   leaf, node   sha256(0, entry), sha256(1, left, right)
//
// /verify and verify/verify.mjs contain this module.

const WHOLE = "(0|[1-9][0-9]{0,18})";
const PROOF = new RegExp(`^c2sp\\.org/tlog-proof@v1\nextra (\\S+)\nindex ${WHOLE}\n((?:\\S{44}\n)*)\n([^]*)$`);
const NOTE = /^([^\0-\x09\x0b-\x1f]*\n)\n((?:\u2014 [^\p{White_Space}+\0-\x1f]+ \S+\n)+)$/u;
const MAX_NOTE_BYTES = 256 * 1024;
const MAX_SIGNATURES = 100;
const CHECKPOINT = new RegExp(`^(\\S+)\n${WHOLE}\n(\\S{44})\n`);
const RECEIPT = /^(\S+)\/receipt\n([^\n]+)\n$/;
const KEY = /^([^\s+]+)\+([0-9a-f]{8})\+(\S{44})$/;
const ED25519 = 1;

/** The types of keys that cosign a checkpoint (https://c2sp.org/tlog-cosignature). */
const COSIGNERS = {
  4: { algorithm: "Ed25519", format: "raw", length: 32 },
  6: { algorithm: "ML-DSA-44", format: "raw-public", length: 1312 },
};
const WITNESS_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/;
const MAX_SECONDS = BigInt(2 ** 53) / 1000n;

const FIELDS = {
  commitment: "The entry has the commitment that was announced for the bet",
  nonce: "The entry has the nonce of the bet",
  clientSeed: "The entry has the client seed that was sent",
  next: "The entry has the commitment that was announced for the next bet",
};

/**
 * Check a proof file or a receipt. `keys` has verifier keys, one a line, as `/log/key` returns them. `bet` has what the
 * entry must say: any of `commitment`, `nonce`, `clientSeed`, `next` and `terms`. `witnesses` has verifier keys of
 * witnesses, one a line: a proof says which of them have cosigned its checkpoint, and when.
 *
 * Returns `{ origin, index, size, text, checks }`, `text` being the entry as it is logged. A receipt has no index and
 * size. A proof also has `cosigned`, a list of `{ name, at }` in Unix milliseconds. A check is `{ text, passed }`, null being that it can't be made. Rejects with
 * InvalidValue if the file is neither a proof nor a receipt, or a key is not a verifier key.
 */
async function checkLogFile(file, keys, bet = {}, witnesses = "") {
  if (PROOF.test(file)) {
    const found = await checkProof(file, keys, { witnesses });
    return { ...found, checks: [...found.checks, ...checkEntry(found.text, bet)] };
  }
  const { body, signatures } = readNote(file);
  const [, origin, text] = match(RECEIPT, body, "This is neither a proof nor a receipt.");
  const fits = checkEntry(text, bet);
  return { origin, text, checks: [await checkSignatures("receipt", { origin, body, signatures, keys }), ...fits] };
}

/**
 * Check a proof file alone, of any entry. `what` is what the entry stands for, `witnesses` as above. Returns as `checkLogFile`, with the
 * `leaf` hash of the entry in hex. Rejects with InvalidValue if the file is not a proof.
 */
async function checkProof(file, keys, { what = "bet", witnesses = "" } = {}) {
  const [, extra, index, proof, checkpoint] = match(PROOF, file, "This is not a proof of the public log.");
  const { body, signatures } = readNote(checkpoint);
  const [, origin, size, root] = match(CHECKPOINT, body, "The proof has no checkpoint.");
  const entry = bytesOfBase64(extra);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry);
  const hashes = proof.split("\n").slice(0, -1).map(bytesOfBase64);
  const leaf = await hash([0], entry);
  const reached = await rootFrom(leaf, { index: BigInt(index), size: BigInt(size), hashes });
  const isThere = reached !== null && base64OfBytes(reached) === root;
  const { cosigned, checks: cosignatures } = await checkCosignatures({ origin, size, root, body, signatures }, witnesses);
  const checks = [
    { text: `The ${what} is entry ${index} of the ${size} in the checkpoint`, passed: isThere },
    await checkSignatures("checkpoint", { origin, body, signatures, keys }),
    ...cosignatures,
  ];
  return { origin, index: Number(index), size: Number(size), text, leaf: hexOf(leaf), cosigned, checks };
}

/** The text of a signed note, and its signatures with the names and ids of their keys. */
function readNote(note) {
  const [, body, block] = match(NOTE, note, "This is neither a proof nor a receipt.");
  const signatures = block.split("\n").slice(0, -1).map((line) => {
    const [, name, base64] = line.split(" ");
    const bytes = bytesOfBase64(base64);
    return { name, id: hexOf(bytes.subarray(0, 4)), bytes: bytes.subarray(4) };
  });
  demand(bytesOf(note).length <= MAX_NOTE_BYTES, "The note is too long.");
  demand(signatures.length <= MAX_SIGNATURES, "The note has too many signatures.");
  demand(signatures.every(({ bytes }) => bytes.length), "A signature of the note is too short.");
  return { body, signatures };
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); null if it has another length. */
async function rootFrom(leaf, { index, size, hashes }) {
  if (index >= size) return null;
  let [reached, place, last] = [leaf, index, size - 1n];
  for (const sibling of hashes) {
    if (last === 0n) return null;
    if (place & 1n || place === last) {
      reached = await hash([1], sibling, reached);
      for (; place && !(place & 1n); last >>= 1n) place >>= 1n;
    } else {
      reached = await hash([1], reached, sibling);
    }
    [place, last] = [place >> 1n, last >> 1n];
  }
  return last === 0n ? reached : null;
}

/** One known key must have signed, and no signature of a known key may be wrong. */
async function checkSignatures(what, { origin, body, signatures, keys }) {
  const lines = linesOf(keys);
  if (!lines.length) return { text: `Without a key, the signature of the ${what} can't be checked`, passed: null };
  const text = `The ${what} is signed with the key of ${origin}`;
  const results = [];
  for (const { name, id, publicKey } of await Promise.all(lines.map(readKey))) {
    for (const signature of signatures) {
      const isOurs = name === origin && signature.name === origin && signature.id === id;
      if (isOurs) results.push(await isSignature(COSIGNERS[4], publicKey, signature.bytes, bytesOf(body)));
    }
  }
  if (results.includes(null)) return { text: "This browser can't check signatures of the kind Ed25519", passed: null };
  return { text, passed: results.length > 0 && results.every(Boolean) };
}

/** Which witnesses have cosigned a checkpoint, and when. Signatures of other keys are ignored. */
async function checkCosignatures(checkpoint, witnesses) {
  const [cosigned, checks] = [[], []];
  for (const witness of await Promise.all(linesOf(witnesses).map(readWitness))) {
    const { name, id } = witness;
    const own = checkpoint.signatures.filter((signature) => signature.name === name && signature.id === id);
    const times = await Promise.all(own.map(({ bytes }) => timeOfCosignature(witness, bytes, checkpoint)));
    const at = Math.min(...times);
    if (!own.length) {
      checks.push({ text: `${name} has not cosigned this checkpoint`, passed: null });
    } else if (times.includes(false)) {
      checks.push({ text: `The cosignature of ${name} is right`, passed: false });
    } else if (times.includes(null)) {
      checks.push({ text: `Cosignatures of the kind that ${name} makes can't be checked here`, passed: null });
    } else {
      cosigned.push({ name, at });
      checks.push({ text: `The checkpoint was cosigned by ${name} at ${momentOf(at)}`, passed: true });
    }
  }
  return { cosigned, checks };
}

/** A moment in UTC, such as 2026-01-31T12:00:00Z. */
const momentOf = (at) => new Date(at).toISOString().replace(/\.000Z$/, "Z");

/** When a cosignature was made, in Unix milliseconds; false if it is not right, null if that can't be told. */
async function timeOfCosignature({ name, type, publicKey }, bytes, { origin, size, root, body }) {
  if (bytes.length <= 8) return false;
  const [time, signature] = [bytes.subarray(0, 8), bytes.subarray(8)];
  const seconds = BigInt(`0x${hexOf(time)}`);
  if (seconds === 0n || seconds > MAX_SECONDS) return false;
  const sized = (text) => [bytesOf(text).length, ...bytesOf(text)];
  const sizeAsBytes = new Uint8Array(8);
  new DataView(sizeAsBytes.buffer).setBigUint64(0, BigInt(size));
  const message = type === 4
    ? bytesOf(`cosignature/v1\ntime ${seconds}\n${body}`)
    : Uint8Array.from([...bytesOf("subtree/v1\n\0"), ...sized(name), ...time, ...sized(origin), ...new Uint8Array(8),
      ...sizeAsBytes, ...bytesOfBase64(root)]);
  const isRight = await isSignature(COSIGNERS[type], publicKey, signature, message);
  return isRight ? Number(seconds) * 1000 : isRight;
}

async function readWitness(line) {
  const [, name, id, base64] = match(WITNESS_KEY, line, "This is not the verifier key of a witness.");
  const typed = bytesOfBase64(base64);
  const computed = hexOf(await hash(bytesOf(`${name}\n`), typed)).slice(0, 8);
  const isKey = computed === id && COSIGNERS[typed[0]]?.length === typed.length - 1;
  demand(isKey, "The verifier key of a witness is damaged, or of another kind.");
  return { name, id, type: typed[0], publicKey: typed.subarray(1) };
}

const linesOf = (keys) => keys.split("\n").map((line) => line.trim()).filter(Boolean);

async function readKey(line) {
  const [, name, id, base64] = match(KEY, line, "This is not a verifier key.");
  const typed = bytesOfBase64(base64);
  const computed = hexOf(await hash(bytesOf(`${name}\n`), typed)).slice(0, 8);
  demand(typed[0] === ED25519 && computed === id, "The verifier key is damaged, or not of Ed25519.");
  return { name, id, publicKey: typed.subarray(1) };
}

/** Whether a signature is right; null where the browser can't tell. */
async function isSignature({ algorithm, format }, publicKey, signature, bytes) {
  try {
    const key = await crypto.subtle.importKey(format, publicKey, { name: algorithm }, false, ["verify"]);
    return await crypto.subtle.verify({ name: algorithm }, key, signature, bytes);
  } catch (problem) {
    // A format that is not known is a TypeError.
    if (problem.name === "NotSupportedError" || problem instanceof TypeError) return null;
    throw problem;
  }
}

/** What an entry says of the bet, as far as that is known. */
function checkEntry(text, { terms = {}, ...bet }) {
  const entry = readEntry(text);
  if (!entry?.terms) return [{ text: "The entry is that of a bet", passed: false }];
  const known = Object.keys(FIELDS).filter((name) => bet[name] !== undefined);
  const checks = known.map((name) => ({ text: FIELDS[name], passed: entry[name] === bet[name] }));
  const names = Object.keys(terms).filter((name) => terms[name] !== undefined);
  const others = names.filter((name) => entry.terms[name] !== terms[name]);
  const named = `The entry has the terms of the bet: ${(others.length ? others : names).join(", ")}`;
  return names.length ? [...checks, { text: named, passed: !others.length }] : checks;
}

/** An entry, which must be canonical JSON: only one text says the same. Throws InvalidValue. */
function readEntry(text) {
  try {
    const entry = JSON.parse(text);
    if (canonicalJson(entry) === text) return entry;
  } catch {
    // Not JSON.
  }
  throw new InvalidValue("The entry is not canonical JSON.");
}

const canonicalJson = (value) => JSON.stringify(sorted(value));

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

function match(pattern, text, otherwise) {
  const found = pattern.exec(text);
  demand(found, otherwise);
  return found;
}

function bytesOfBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
    if (base64OfBytes(bytes) === text) return bytes;
  } catch {
    // Refused below.
  }
  throw new InvalidValue("A hash, a key or a signature is damaged.");
}

const base64OfBytes = (bytes) => btoa(String.fromCharCode(...bytes));

async function hash(...parts) {
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// The provably fair rules of a bet, with WebCrypto alone. services/bets/rolls.py has the same in Python.
//
//   commitment = sha256(server seed as text), hex
//   digest     = HMAC-SHA256(key = server seed as text, message), a big-endian number of 256 bits
//
// A spin of the upgrader:
//
//   message    = "<client seed>:<nonce>:0"
//   roll       = digest * 10,000,000 >> 256
//   threshold  = floor(10,000,000 * (1 - house edge) * wager / price)
//   win        = roll < threshold
//
// An opening of a case, `game` being case or irl:
//
//   message    = "<game>:<client seed>:<nonce>:0"
//   ticket     = digest * 10^18 >> 256
//
// A snapshot is the content of a case as text, named by its SHA-256. It gives each item a width, and the widths sum
// to 10^18. The items follow each other in its order: the one whose range holds the ticket is won.
//
// /verify and verify/verify.mjs contain this module.

const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;
const TICKET_RANGE = 10n ** 18n;
const TICKETS_PER_ROLL = TICKET_RANGE / ROLL_RANGE;
const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;
const WHOLE_TEXT = /^(0|[1-9][0-9]{0,18})$/;

/** A value that no bet can have, perhaps with the name of its `field`; or a file that is not what it should be. */
class InvalidValue extends Error {
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/** Throw InvalidValue unless the condition holds. */
function demand(condition, message, field) {
  if (!condition) throw new InvalidValue(message, field);
}

const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Browsers offer WebCrypto only to pages over https, and to those of this machine. */
const canVerify = () => globalThis.crypto?.subtle !== undefined;

const isClientSeed = (text) => CLIENT_SEED.test(text);

const sha256 = async (text) => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** The HMAC that decides a bet, as 64 hex characters. */
async function digestOf({ game, serverSeed, clientSeed, nonce }) {
  const message = `${game === "upgrader" ? "" : `${game}:`}${clientSeed}:${nonce}:0`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(serverSeed), algorithm, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
}

/** The roll of a digest: a whole number from 0 to 9,999,999. */
const rollOf = (digest) => Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);

/** The ticket of a digest: a BigInt from 0 to 10^18 - 1. */
const ticketOf = (digest) => (BigInt(`0x${digest}`) * TICKET_RANGE) >> 256n;

/** How many of the 10,000,000 rolls win. Amounts in cents, `edge` a fraction such as 0.05. */
function thresholdOf({ edge, wagerCents, priceCents }) {
  const kept = PPM - BigInt(Math.round(edge * 1e6));
  return Number((ROLL_RANGE * kept * BigInt(wagerCents)) / (PPM * BigInt(priceCents)));
}

/** A roll or a threshold in percent. */
const percentOf = (rolls) => rolls / ROLLS_PER_PERCENT;

/** A ticket or a width in percent, rounded down to five decimals. */
const percentOfTicket = (ticket) => percentOf(Number(ticket / TICKETS_PER_ROLL));

/** The item that wins with this ticket: its `position`, and `within`, the place of the ticket in its range (0 to 1). */
function winnerOf(ticket, items) {
  let start = 0n;
  for (const [position, { width }] of items.entries()) {
    if (ticket < start + width) return { position, within: Number(ticket - start) / Number(width) };
    start += width;
  }
  throw new RangeError("The widths of a case sum to 10^18.");
}

/**
 * The content of a snapshot's text: `priceCents` and items `{ name, priceCents, width }`, the width a BigInt. Throws
 * InvalidValue unless the text is the canonical JSON of a case, which only one text is.
 */
function readSnapshot(text) {
  const content = parseCanonical(text);
  demand(content, "The content is not the canonical JSON of a case, as the server returns it.", "content");
  const items = content.items.map(({ name, price, width }) =>
    ({ name, priceCents: Number(price), width: BigInt(width) }));
  const sum = items.reduce((total, { width }) => total + width, 0n);
  demand(sum === TICKET_RANGE, "The widths of the items do not sum to 10^18.", "content");
  return { priceCents: Number(content.price), items };
}

function parseCanonical(text) {
  try {
    const { id, items: all, price } = JSON.parse(text);
    const items = all.map(({ name, price: cost, width }) => ({ name, price: cost, width }));
    const isText = [id, ...items.map(({ name }) => name)].every((each) => typeof each === "string");
    const numbers = [price, ...items.flatMap(({ price: cost, width }) => [cost, width])];
    const areWhole = numbers.every((each) => typeof each === "string" && WHOLE_TEXT.test(each));
    return isText && areWhole && JSON.stringify({ id, items, price }) === text ? { items, price } : null;
  } catch {
    return null; // Not JSON, or of another shape.
  }
}

// Recomputes a bet from its values as text, under the names that they have in its proof. A page has checked nothing of
// them: anybody may have typed them. /verify and verify/verify.mjs contain this module.

const SPIN = "upgrader-1";
const GAMES = { [SPIN]: "upgrader", "case-1": "case", "irl-1": "irl" };
const MAX_CENTS = 100_000_000_000;
const MAX_NONCE = 2n ** 63n - 1n;

const HEX_64 = /^[0-9a-f]{64}$/;
const NONCE = /^[1-9][0-9]{0,18}$/;
const AMOUNT = /^\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?$/;
const FRACTION = /^(?=.)0?(?:\.[0-9]{1,6})?$/;

/**
 * Recompute a bet. `houseEdge` is a fraction, `content` the canonical JSON of a case, `snapshot` its hash as it was
 * shown. The result lacks what needs a value that is left out. Rejects with InvalidValue, which names the field.
 */
async function verify(bet) {
  const { algorithm = SPIN, serverSeedCommitment, serverSeed, clientSeed, nonce } = bet;
  const game = gameOf(algorithm);
  if (serverSeedCommitment !== undefined) demandHash(serverSeedCommitment, "A commitment", "serverSeedCommitment");
  demandHash(serverSeed, "A server seed", "serverSeed");
  const isSeed = isClientSeed(clientSeed);
  demand(isSeed, "A client seed has 4 to 64 letters, digits, dashes and underscores.", "clientSeed");
  const isNonce = NONCE.test(nonce) && BigInt(nonce) <= MAX_NONCE;
  demand(isNonce, `A nonce is a whole number from 1 to ${MAX_NONCE}.`, "nonce");
  const digest = await digestOf({ game, serverSeed, clientSeed, nonce });
  const result = { serverSeedCommitment: await sha256(serverSeed) };
  if (serverSeedCommitment !== undefined) result.committed = serverSeedCommitment === result.serverSeedCommitment;
  return { ...result, digest, ...(game === "upgrader" ? spinOf(bet, digest) : await openingOf(bet, digest)) };
}

/** The game of an algorithm. Throws InvalidValue for one that is not known. */
function gameOf(algorithm) {
  demand(Object.hasOwn(GAMES, algorithm), `The algorithm is one of ${Object.keys(GAMES).join(", ")}.`, "algorithm");
  return GAMES[algorithm];
}

function spinOf(bet, digest) {
  const roll = rollOf(digest);
  const result = { roll, percent: percentOf(roll) };
  if (bet.betAmount === undefined && bet.price === undefined) return result;
  const threshold = thresholdOf(termsOf(bet));
  return { ...result, threshold, chance: percentOf(threshold), win: roll < threshold };
}

async function openingOf({ content, snapshot }, digest) {
  const ticket = ticketOf(digest);
  const result = { ticket: String(ticket), percent: percentOfTicket(ticket) };
  if (snapshot !== undefined) demandHash(snapshot, "A snapshot", "snapshot");
  if (content === undefined) return result;
  const { items } = readSnapshot(content);
  const { name, priceCents } = items[winnerOf(ticket, items).position];
  result.snapshot = await sha256(content);
  if (snapshot !== undefined) result.shown = snapshot === result.snapshot;
  return { ...result, item: name, amount: priceCents / 100 };
}

/** What the entry of the bet in the public log must say, for checkLogFile. Rejects with InvalidValue. */
async function entryOf({ serverSeedCommitment, serverSeed, clientSeed, nonce, next, ...terms }) {
  const commitment = serverSeedCommitment ?? (serverSeed && (await sha256(serverSeed)));
  return { commitment, nonce: nonce && Number(nonce), clientSeed, next, terms: entryTermsOf(terms) };
}

function entryTermsOf({ algorithm, betAmount, price, houseEdge, snapshot }) {
  if (betAmount === undefined && price === undefined && snapshot === undefined) return {};
  if (price === undefined) return { algorithm, wager: betAmount && centsOf("betAmount", betAmount), snapshot };
  const { edge, wagerCents: wager, priceCents } = termsOf({ betAmount, price, houseEdge });
  const threshold = thresholdOf({ edge, wagerCents: wager, priceCents });
  return { algorithm, wager, price: priceCents, edge: String(edge), threshold };
}

/** The terms of a spin, for thresholdOf. */
function termsOf({ betAmount, price, houseEdge = "0.05" }) {
  const [wagerCents, priceCents] = [centsOf("betAmount", betAmount), centsOf("price", price)];
  const isBelow = 0 < wagerCents && wagerCents < priceCents;
  demand(isBelow, "The wager must be above 0 and below the price.", "betAmount");
  demand(FRACTION.test(houseEdge), "A house edge is a fraction from 0 to 0.999999, such as 0.05.", "houseEdge");
  return { edge: Number(houseEdge), wagerCents, priceCents };
}

function centsOf(field, text) {
  const [, coins, cents = ""] = AMOUNT.exec(text) ?? [];
  const value = Number(coins) * 100 + Number(cents.padEnd(2, "0"));
  demand(value <= MAX_CENTS, "An amount is a number from 0 to 1000000000 with at most two decimals.", field);
  return value;
}

const demandHash = (text, what, field) =>
  demand(HEX_64.test(text), `${what} has 64 hexadecimal digits, 0-9 and a-f.`, field);


// END of the modules of the built-in page.

export { checkBattleFile, checkLogFile, recomputeBattle, verify, verifyBattle };

/** The vectors that this program gets wrong. */
async function wrongVectors({ spins, openings, refused, refusedOpenings, battles, refusedBattles }) {
  const wrong = [];
  for (const { why, input, output } of [...spins, ...openings]) {
    const result = await verify(input);
    if (Object.entries(output).some(([name, value]) => result[name] !== value)) wrong.push(why);
  }
  for (const { why, input } of [...refused, ...refusedOpenings]) {
    const isRefused = await verify(input).then(() => false, (problem) => problem instanceof InvalidValue);
    if (!isRefused) wrong.push(why);
  }
  for (const { why, input, output } of battles) {
    if (canonicalJson(await recomputeVector(input)) !== canonicalJson(output)) wrong.push(why);
  }
  for (const { why, input } of refusedBattles) {
    const isRefused = await recomputeVector(input).then(() => false, (problem) => problem instanceof InvalidValue);
    if (!isRefused) wrong.push(why);
  }
  return wrong;
}

const recomputeVector = ({ cases, ...input }) =>
  recomputeBattle({ ...input, contents: cases.flatMap(({ content, count }) => Array(count).fill(content)) });

/** The keys that an option gives: themselves, or their file or address. */
async function readKeys(given = "") {
  if (!/^https?:/.test(given)) return existsSync(given) ? readText(given) : given;
  const answer = await fetch(given);
  demand(answer.ok, `${given} answered ${answer.status}`);
  return answer.text();
}

const MARKS = { true: "✓", false: "✗", null: "?" };

async function runLogFile(values, bet) {
  const file = readText(values["log-file"]);
  const keys = await readKeys(values.key);
  const { checks } = await checkLogFile(file, keys, await entryOf(bet), values.witness?.join("\n"));
  const lines = checks.map(({ text, passed }) => `${MARKS[passed]} ${text}`);
  return [lines.join("\n"), checks.every(({ passed }) => passed) ? 0 : 1];
}

const loadCurves = async () => (await import("@noble/curves/bls12-381.js")).bls12_381;

async function runBattle({ battle, key, witness = [], signature }) {
  const witnesses = witness.join("\n");
  const isAddress = /^https?:/.test(battle);
  const keys = isAddress && key === undefined ? undefined : await readKeys(key);
  const checking = isAddress
    ? verifyBattle(await (await read(battle)).json(), sourcesAt(new URL(battle).origin, { keys, witnesses, signature }))
    : checkBattleFile(readText(battle), { keys, witnesses, loadCurves, ...(signature && { signature }) });
  const { checks, notes } = await checking;
  const lines = [...checks.map(({ text, passed }) => `${MARKS[passed]} ${text}`), ...notes];
  const isWrong = checks.some(({ passed }) => passed === false);
  return [lines.join("\n"), isWrong ? 1 : checks.every(({ passed }) => passed) ? 0 : 2];
}

/** What verifyBattle asks for, from the site of a battle. */
const sourcesAt = (site, { keys, witnesses, signature }) => ({
  fetchSnapshot: async (hash) => (await read(`${site}/snapshots/${hash}`)).text(),
  fetchProof: async (index) => {
    const { origin } = await (await read(`${site}/log/current`)).json();
    const log = site + origin.slice(origin.lastIndexOf("/"));
    const file = await proofFromTiles(index, async (path) => {
      const answer = await fetch(log + path);
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
    });
    return { file, keys: keys ?? (await (await read(`${log}/key`)).text()), witnesses };
  },
  fetchNetwork: async () => (await (await read(`${site}/battles/rules`)).json()).beacon,
  fetchBeacon: async () => signature,
  loadCurves,
});

async function read(address) {
  const answer = await fetch(address);
  demand(answer.ok, `${address} answered ${answer.status}`);
  return answer;
}

const OPTIONS = {
  algorithm: "algorithm",
  commitment: "serverSeedCommitment",
  "server-seed": "serverSeed",
  "client-seed": "clientSeed",
  nonce: "nonce",
  amount: "betAmount",
  price: "price",
  "house-edge": "houseEdge",
  snapshot: "content",
  "snapshot-hash": "snapshot",
  next: "next",
};

/** The text of a file. Throws if it is not UTF-8. */
const readText = (path) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));

/** Runs the command line; the text to print and the exit code. */
async function main() {
  const types = [...Object.keys(OPTIONS), "vectors", "log-file", "key", "battle", "signature"].map((name) => [name, { type: "string" }]);
  const options = { ...Object.fromEntries(types), witness: { type: "string", multiple: true }, help: { type: "boolean" } };
  const { values } = parseArgs({ options });
  if (values.help) return [USAGE, 0];
  if (values.vectors) {
    const wrong = await wrongVectors(JSON.parse(readFileSync(values.vectors, "utf8")));
    return wrong.length ? [wrong.join("\n"), 1] : ["All vectors are right.", 0];
  }
  const given = Object.entries(OPTIONS).filter(([option]) => values[option] !== undefined);
  const bet = Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
  if (values.battle) return runBattle(values);
  if (values["log-file"]) return runLogFile(values, bet);
  for (const name of ["serverSeed", "clientSeed", "nonce"]) {
    demand(bet[name] !== undefined, "--server-seed, --client-seed and --nonce are required; see --help");
  }
  // An editor may have added the line end.
  if (bet.content !== undefined) bet.content = readText(bet.content).replace(/[\r\n]+$/, "");
  const result = await verify(bet);
  const problems = [];
  if (result.committed === false) problems.push("The server seed is not the one that was committed to.");
  if (result.shown === false) problems.push("The snapshot is not the one that was shown.");
  if (problems.length) console.error(problems.join("\n"));
  return [JSON.stringify(result, null, 2), problems.length ? 1 : 0];
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const [text, exitCode] = await main();
    console.log(text);
    process.exitCode = exitCode;
  } catch (problem) {
    console.error(problem.message);
    process.exitCode = 1;
  }
}
