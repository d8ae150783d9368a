// The platform's promises of a spin beyond its answer, as a Node.js server keeps them, for socketio_spins.mjs: waits
// have limits, the next seed is encrypted, the player gets a signed receipt, the bet is a line of the server's log and
// counted, it is appended to the public log once a second, and no proof is sent before the signed checkpoint with its
// bet is on the disk. Not here: rate limits, totals of statistics, several processes, and proofs that were missed.
import { createCipheriv, createHash, createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import pino from "pino";
import { Counter, Registry } from "prom-client";

// Of a request: for a connection, and for the database's answer.
export const TIME_LIMITS = {
  connectionTimeoutMillis: 8_500,
  query_timeout: 6_000,
  statement_timeout: 5_000,
  lock_timeout: 5_000,
};

const CENTS_PER_COIN = 100;
const PPM = 1_000_000;
const ROLL_RANGE = 10_000_000;

// -- encryption, receipts, log lines and metrics

const secretKey = randomBytes(32);

export function encrypt(text) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secretKey, nonce);
  const encrypted = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([encrypted, cipher.getAuthTag()]).toString("base64url");
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const ED25519 = Buffer.of(1);
const ORIGIN = "peer.example/bets";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const publicBytes = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url");
const keyId = sha256(`${ORIGIN}\n`, ED25519, publicBytes).subarray(0, 4);

// A signed note: https://c2sp.org/signed-note
function note(text) {
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString("base64");
  return `${text}\n\u2014 ${ORIGIN} ${signature}\n`;
}

// Canonical JSON: the keys are in the order of the alphabet.
function entryOf(bet, player) {
  return JSON.stringify({
    at: bet.created_at_ms,
    clientSeed: bet.client_seed,
    commitment: bet.server_seed_commitment,
    game: bet.game,
    next: bet.next_commitment.toString("hex"),
    nonce: bet.nonce,
    player,
    terms: {
      algorithm: bet.algorithm,
      edge: String(bet.house_edge_ppm / PPM),
      item: bet.item,
      price: bet.price_cents,
      threshold: bet.threshold,
      wager: bet.wager_cents,
    },
    v: 1,
  });
}

const pseudonyms = new Map();
let playerKey = null;

function pseudonymOf(platformId) {
  let pseudonym = pseudonyms.get(platformId);
  if (pseudonym === undefined) {
    pseudonym = createHmac("sha256", playerKey).update(platformId).digest("hex").slice(0, 32);
    pseudonyms.set(platformId, pseudonym);
  }
  return pseudonym;
}

// The signed promise that the bet is in the public log within ten seconds.
export function receipt(bet, player) {
  return note(`${ORIGIN}/receipt\n${entryOf(bet, pseudonymOf(player.platform_id))}\n`);
}

const lines = pino(
  {
    base: { logger: "platform.events" },
    messageKey: "message",
    formatters: { level: (level) => ({ level }) },
    timestamp() {
      const now = new Date();
      return `,"time":${now.getTime()},"timestamp":"${now.toISOString()}"`;
    },
  },
  pino.destination({ dest: 2, sync: true }),
);

const registry = new Registry();
const counter = (name, help, labelNames) => new Counter({ name, help, labelNames, registers: [registry] });
const ofSpins = (name, help) => counter(name, help, ["game"]).labels("upgrader");
const spins = counter("upgrader_spins_total", "Spins by how they ended", ["outcome"]);
const wagered = ofSpins("bets_wagered_coins_total", "Wagers of settled bets");
const paid = ofSpins("bets_paid_coins_total", "Payouts of settled bets");
const expected = ofSpins("bets_expected_coins_total", "Mean of the payouts, by the chances of the bets");
const variance = ofSpins("bets_variance_total", "Variance of the payouts, in square coins");

export const metrics = () => registry.metrics();

// Log and count a spin by its outcome. Without a bet it was refused.
export function record(outcome, began, bet) {
  lines.info({ ms: Math.round((performance.now() - began) * 10) / 10, event: "upgrader:spin", outcome }, "event");
  spins.labels(outcome).inc();
  if (!bet) return;
  const [chance, price] = [bet.threshold / ROLL_RANGE, bet.price_cents / CENTS_PER_COIN];
  wagered.inc(bet.wager_cents / CENTS_PER_COIN);
  paid.inc(bet.payout_cents / CENTS_PER_COIN);
  expected.inc(chance * price);
  variance.inc(chance * (1 - chance) * price ** 2);
}

// -- the public log

const [HASH, WIDTH, BATCH] = [32, 256, 5_000];
const APPEND_MS = 1_000;
const FILE = join(process.env.INSTANCE_DIR, `peer-${process.pid}.checkpoint`);
let pool = null;
let checkpoint = null;
let appending = null;

// The parameters of a settlement: the database must have the last signed checkpoint.
export const checkpointParameters = () => ({
  checkpoint_size: checkpoint.size,
  checkpoint_root: checkpoint.root.toString("hex"),
});

// The root above these hashes (RFC 6962). A last one without a neighbour moves up unchanged.
function rootOf(hashes) {
  let row = hashes;
  while (row.length > 1) {
    const above = [];
    for (let i = 0; i + 1 < row.length; i += 2) above.push(sha256("\x01", row[i], row[i + 1]));
    if (row.length % 2) above.push(row.at(-1));
    row = above;
  }
  return row[0];
}

const hashesOf = (tile) =>
  Array.from({ length: tile.length / HASH }, (_, i) => tile.subarray(i * HASH, (i + 1) * HASH));
const keptAt = (size, level) => Math.floor(size / WIDTH ** level) % WIDTH;
const numberAt = (size, level) => Math.floor(size / WIDTH ** (level + 1));

// A tree by its edge: for each level the hashes of the last tile that is not full, the lowest level first.
const rootAt = (edge) =>
  edge.reduce((root, hashes) => rootOf(root ? [...hashes, root] : hashes) ?? root, undefined) ?? sha256();

async function readEdge(client, size) {
  const levels = [];
  for (let level = 0; WIDTH ** level <= size; level++) levels.push(level);
  const { rows } = await client.query({
    name: "edge",
    text: `SELECT level, hashes FROM log_tiles JOIN unnest($1::int[], $2::bigint[]) AS wanted (l, n)
           ON level = l AND number = n`,
    values: [levels, levels.map((level) => numberAt(size, level))],
  });
  const found = new Map(rows.map((row) => [row.level, hashesOf(row.hashes)]));
  return levels.map((level) => (found.get(level) ?? []).slice(0, keptAt(size, level)));
}

// The tiles that these leaves add or change, and the edge with them.
function grow(size, edge, leaves) {
  const [tiles, grown] = [[], []];
  let hashes = leaves;
  for (let level = 0; hashes.length || level < edge.length; level++) {
    const row = [...(edge[level] ?? []), ...hashes];
    const full = [];
    while (row.length >= WIDTH) full.push(row.splice(0, WIDTH));
    const changed = hashes.length && row.length ? [...full, row] : full;
    const first = numberAt(size, level);
    changed.forEach((tile, i) => tiles.push({ level, number: first + i, hashes: Buffer.concat(tile) }));
    grown.push(row);
    hashes = full.map(rootOf);
  }
  return { tiles, edge: grown };
}

const WAITING_ENTRIES = {
  name: "waiting entries",
  text: `SELECT id, text FROM log_waiting_entries JOIN log_entries ON id = entry_id ORDER BY id LIMIT ${BATCH}`,
};
const WAITING_BETS = {
  name: "waiting bets",
  text: `SELECT bets.id, game, nonce, algorithm, wager_cents, item, price_cents, house_edge_ppm, threshold,
             bets.client_seed, server_seed_commitment, next_commitment, bets.created_at_ms, platform_id
         FROM log_waiting_bets JOIN bets ON bets.id = bet_id JOIN users ON users.id = user_id
         ORDER BY bet_id LIMIT ${BATCH}`,
};

async function appendSome(client) {
  await client.query("BEGIN");
  const { rows } = await client.query({ name: "lock", text: "SELECT size FROM log FOR UPDATE" });
  const { size } = rows[0];
  const edge = await readEdge(client, size);
  if (size !== checkpoint.size || !rootAt(edge).equals(checkpoint.root)) throw new Error("not the signed log");
  const others = (await client.query(WAITING_ENTRIES)).rows;
  const bets = (await client.query(WAITING_BETS)).rows;
  const entries = [...bets.map((bet) => entryOf(bet, pseudonymOf(bet.platform_id))), ...others.map(({ text }) => text)];
  if (!entries.length) return client.query("ROLLBACK");
  const grown = grow(size, edge, entries.map((entry) => sha256("\0", entry)));
  const following = { size: size + entries.length, root: rootAt(grown.edge) };
  const signed = note(`${ORIGIN}\n${following.size}\n${following.root.toString("base64")}\n`);
  await store(client, { following, signed, tiles: grown.tiles, bets, others });
  await client.query("COMMIT");
  await keep(signed);
  checkpoint = following;
}

async function store(client, { following, signed, tiles, bets, others }) {
  const run = (name, text, ...values) => client.query({ name, text, values });
  await run("log", "UPDATE log SET origin = $1, size = $2, checkpoint = $3", ORIGIN, following.size, signed);
  await run(
    "tiles",
    `INSERT INTO log_tiles (level, number, hashes) SELECT * FROM unnest($1::int[], $2::bigint[], $3::bytea[])
     ON CONFLICT (level, number) DO UPDATE SET hashes = EXCLUDED.hashes`,
    tiles.map((tile) => tile.level),
    tiles.map((tile) => tile.number),
    tiles.map((tile) => tile.hashes),
  );
  await storeReferences(run, [...bets.map(({ id }) => id), ...others.map(({ id }) => -id)]);
  await run(
    "checkpoint",
    "INSERT INTO log_checkpoints (size, root, signed_at_ms) VALUES ($1, $2, $3)",
    following.size,
    following.root.toString("hex"),
    Date.now(),
  );
  const idsOf = (rows) => rows.map(({ id }) => id);
  await run("no bets", "DELETE FROM log_waiting_bets WHERE bet_id = ANY ($1::bigint[])", idsOf(bets));
  await run("no entries", "DELETE FROM log_waiting_entries WHERE entry_id = ANY ($1::bigint[])", idsOf(others));
}

// What each entry is made from, in bundles of 256.
async function storeReferences(run, added) {
  const [number, kept] = [numberAt(checkpoint.size, 0), keptAt(checkpoint.size, 0)];
  const text = "SELECT * FROM log_bundles WHERE number BETWEEN $1::bigint - 1 AND $1";
  const { rows } = await run("bundle", text, number);
  const before = rows.find((row) => row.number === number)?.entry_references ?? Buffer.alloc(0);
  const references = [...unpack(before).slice(0, kept), ...added];
  let highest = Math.max(0, ...rows.map((row) => row.highest_id));
  const bundles = [];
  for (let start = 0; start < references.length; start += WIDTH) {
    const some = references.slice(start, start + WIDTH);
    const ids = some.filter((id) => id > 0);
    highest = Math.max(highest, ...ids);
    const lowest = ids.length ? Math.min(...ids) : null;
    bundles.push({ number: number + bundles.length, packed: pack(some), highest, lowest });
  }
  await run(
    "bundles",
    `INSERT INTO log_bundles (number, entry_references, highest_id, lowest_id)
     SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[])
     ON CONFLICT (number) DO UPDATE SET entry_references = EXCLUDED.entry_references,
         highest_id = EXCLUDED.highest_id, lowest_id = EXCLUDED.lowest_id`,
    ...["number", "packed", "highest", "lowest"].map((column) => bundles.map((bundle) => bundle[column])),
  );
}

function pack(references) {
  const packed = Buffer.alloc(8 * references.length);
  references.forEach((reference, i) => packed.writeBigInt64BE(BigInt(reference), 8 * i));
  return packed;
}

const unpack = (packed) => Array.from({ length: packed.length / 8 }, (_, i) => Number(packed.readBigInt64BE(8 * i)));

// Replace the file of the checkpoint, and sync it to the disk.
async function keep(signed) {
  const file = await open(`${FILE}.new`, "w", 0o600);
  await file.writeFile(signed);
  await file.sync();
  await file.close();
  await rename(`${FILE}.new`, FILE);
  const directory = await open(dirname(FILE));
  await directory.sync();
  await directory.close();
}

async function append() {
  const client = await pool.connect();
  try {
    await appendSome(client);
    client.release();
  } catch (error) {
    client.release(error);
    throw error;
  }
}

// One append at a time; who asks meanwhile waits for the next one.
async function appendNow() {
  while (appending) await appending;
  appending = append().finally(() => (appending = null));
  await appending;
}

// Make sure that these bets are in the checkpoint on the disk, before their seeds are shown.
export async function cover(ids) {
  const query = {
    name: "cover",
    text: "SELECT EXISTS (SELECT FROM log_waiting_bets WHERE bet_id = ANY ($1::bigint[])) AS waits",
    values: [ids],
  };
  if (appending || (await pool.query(query)).rows[0].waits) await appendNow();
}

// Begin the log of this database, and append to it once a second.
export async function begin(usedPool) {
  pool = usedPool;
  const [{ size, player_key: key }] = (await pool.query("SELECT size, player_key FROM log")).rows;
  playerKey = Buffer.from(key, "hex");
  checkpoint = { size, root: rootAt(await readEdge(pool, size)) };
  setInterval(() => {
    if (!appending) appendNow().catch((error) => lines.error({ failure: error.code }, "not appended"));
  }, APPEND_MS);
}
