// The upgrader's spin as a small Node.js server makes it, with socket.io and pg: the platform's own settling statement and
// the platform's own events, and nothing else. No rate limits, no encryption of seeds, no delivery of proofs that were
// missed, and a token is read without checking its signature. With PROMISES it does what promises.mjs has as well.
// DATABASE_URL is a database of the platform, SETTLEMENT {text, parameters}: the statement with $1, $2, … for these names.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Server } from "socket.io";

const { types, Pool } = pg;
const INT8 = 20;
types.setTypeParser(INT8, Number);
const promises = process.env.PROMISES ? await import("./promises.mjs") : null;
const CONNECTIONS = 12;
const ROUND_MS = 50;
const ROLL_RANGE = 10_000_000n;
const HOUSE_EDGE_PPM = 50_000;
// The settling statement asks for a checkpoint that the log has had: that of the empty log.
const EMPTY_ROOT = createHash("sha256").digest("hex");
const [PPM, SHARDS, DAY_MS] = [1_000_000, 64, 86_400_000];
const { text, parameters } = JSON.parse(process.env.SETTLEMENT);
const proofDelayMs = Number(process.env.UPGRADER_PROOF_DELAY) * 1000;
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS, ...promises?.TIME_LIMITS });
await promises?.begin(pool);
const prices = new Map();
for (const { market_hash_name: name, price_cents: price } of (await pool.query("SELECT * FROM items")).rows) {
  prices.set(name, price);
}

const seeds = new Map();
const spinning = new Set();

function draw(nonce) {
  const serverSeed = randomBytes(32).toString("hex");
  const encrypted = promises ? promises.encrypt(serverSeed) : serverSeed;
  return { nonce, serverSeed, encrypted, commitment: createHash("sha256").update(serverSeed).digest("hex") };
}

function rollOf(seed, clientSeed) {
  const digest = createHmac("sha256", seed.serverSeed).update(`${clientSeed}:${seed.nonce}:0`).digest("hex");
  return Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);
}

function periodsOf(now) {
  const day = Math.floor(now / DAY_MS);
  const date = new Date(now);
  return {
    day: day * DAY_MS,
    week: (day - ((day + 3) % 7)) * DAY_MS,
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
  };
}

async function settle(player, { amount, item, clientSeed }) {
  const [seed, price, wager, now] = [seeds.get(player.id), prices.get(item), Math.round(amount * 100), Date.now()];
  const following = draw(seed.nonce + 1);
  const threshold = Number(
    (ROLL_RANGE * BigInt(PPM - HOUSE_EDGE_PPM) * BigInt(wager)) / (BigInt(price) * BigInt(PPM)),
  );
  const roll = rollOf(seed, clientSeed);
  const payout = roll < threshold ? price : 0;
  const values = {
    user_id: player.id,
    nonce: seed.nonce,
    server_seed_commitment: seed.commitment,
    encrypted_server_seed: seed.encrypted,
    next_commitment_hex: following.commitment,
    next_encrypted_server_seed: following.encrypted,
    next_commitment: Buffer.from(following.commitment, "hex"),
    checkpoint_size: 0,
    checkpoint_root: EMPTY_ROOT,
    game: "upgrader",
    algorithm: "upgrader-1",
    ledger_kind: "spin",
    wager_cents: wager,
    payout_cents: payout,
    status: payout ? "won" : "lost",
    item,
    price_cents: price,
    house_edge_ppm: HOUSE_EDGE_PPM,
    threshold,
    roll,
    snapshot_id: null,
    snapshot_hash: null,
    snapshot_text: null,
    case_read_at_ms: null,
    token_number: 0,
    ticket: null,
    case_id: null,
    reward_id: null,
    counted_edge_ppm: null,
    prize_image: null,
    client_seed: clientSeed,
    request_id: null,
    request_digest: null,
    created_at_ms: now,
    proof_due_at_ms: now + proofDelayMs,
    shard: player.id % SHARDS,
    min_cycle_ms: 0,
    longest_play_ms: 0,
    ...periodsOf(now),
    ...promises?.checkpointParameters(),
  };
  const query = { name: "settle", text, values: parameters.map((name) => values[name]), rowMode: "array" };
  const [isLocked, , found, betId, , ...balances] = (await pool.query(query)).rows[0];
  if (betId === null) throw new Error(isLocked && found ? "Insufficient balance" : "A spin is already in progress");
  seeds.set(player.id, following);
  const [balance, vaultBalance, sweepstakeBalance] = balances.slice(0, 3).map((cents) => cents / 100);
  const version = Number(balances[3]);
  return { seed, values, betId, following, balance: { balance, vaultBalance, sweepstakeBalance, version } };
}

function reveal(io, { socket, player, seed, values, betId }) {
  const { client_seed: clientSeed, wager_cents: wager, payout_cents: payout } = values;
  io.emit("live-bets:new", {
    id: String(betId),
    game: "upgrader",
    pfp: "",
    user: player.username,
    wager: wager / 100,
    multiplier: Math.floor((payout * 100) / wager) / 100,
    payout: payout / 100,
    date: values.proof_due_at_ms,
  });
  const { serverSeed, commitment: serverSeedCommitment, nonce } = seed;
  socket.emit("upgrader:proof", { serverSeed, serverSeedCommitment, clientSeed, nonce });
}

async function prove(io, spin) {
  await pool.query({
    name: "reveal",
    text: "UPDATE bets SET server_seed = $1, encrypted_server_seed = NULL, proof_delivered_at_ms = $2 WHERE id = $3",
    values: [spin.seed.serverSeed, Date.now(), spin.betId],
  });
  reveal(io, spin);
}

// The spins whose proofs are not sent yet, the earliest first. With promises, those that are due are sent together.
const unproved = [];

async function proveDue(io) {
  const now = Date.now();
  const later = unproved.findIndex(({ values }) => values.proof_due_at_ms > now);
  const due = unproved.slice(0, later < 0 ? unproved.length : later);
  if (!due.length) return;
  const ids = due.map(({ betId }) => betId);
  await promises.cover(ids);
  await pool.query({
    name: "reveal due",
    text: `UPDATE bets SET server_seed = shown.seed, encrypted_server_seed = NULL, proof_delivered_at_ms = $3
           FROM unnest($1::bigint[], $2::text[]) AS shown (bet, seed) WHERE id = shown.bet`,
    values: [ids, due.map(({ seed }) => seed.serverSeed), Date.now()],
  });
  unproved.splice(0, due.length);
  for (const spin of due) reveal(io, spin);
}

async function proveInRounds(io) {
  for (;;) {
    await proveDue(io).catch((error) => console.error(error.code));
    await sleep(ROUND_MS);
  }
}

function refuse(socket, acknowledge, error) {
  const answer = { status: false, error };
  socket.emit("upgrader:spin", answer);
  acknowledge?.(answer);
}

async function spin(io, socket, player, payload, acknowledge) {
  const began = performance.now();
  if (spinning.has(player.id)) return refuse(socket, acknowledge, "A spin is already in progress");
  spinning.add(player.id);
  try {
    const settled = await settle(player, payload);
    const { seed, values, following } = settled;
    const percent = values.roll / 100_000;
    const { nonce, commitment: serverSeedCommitment } = seed;
    socket.emit("upgrader:pf", { serverSeedCommitment, clientSeed: values.client_seed, nonce, percent });
    const success = values.status === "won";
    const answer = { status: true, result: { success, amount: values.payout_cents / 100, item: values.item } };
    socket.emit("upgrader:spin", answer);
    acknowledge?.(answer);
    socket.emit("upgrader:commitment", { serverSeedCommitment: following.commitment, nonce: following.nonce });
    socket.emit("balance", settled.balance);
    const spin = { socket, player, ...settled };
    if (promises) {
      socket.emit("log:receipt", { nonce, receipt: promises.receipt(values, player) });
      promises.record(values.status, began, values);
      unproved.push(spin);
    } else {
      setTimeout(() => prove(io, spin), proofDelayMs);
    }
  } catch (error) {
    refuse(socket, acknowledge, error.message);
    promises?.record(error.message, began);
  } finally {
    spinning.delete(player.id);
  }
}

// The first seed of a player here: the platform's own can't be opened without its key.
async function announce(player) {
  const { rows } = await pool.query("SELECT nonce FROM announced_seeds WHERE user_id = $1", [player.id]);
  const seed = draw(rows[0].nonce);
  await pool.query(
    `UPDATE announced_seeds SET server_seed_commitment = $1, encrypted_server_seed = $2, is_logged = TRUE
     WHERE user_id = $3`,
    [seed.commitment, seed.encrypted, player.id],
  );
  seeds.set(player.id, seed);
}

const http = createServer(async (_request, response) => response.end(promises ? await promises.metrics() : "{}"));
const io = new Server(http, { maxHttpBufferSize: 65_536 });
io.use(async (socket, next) => {
  const claims = JSON.parse(Buffer.from(socket.handshake.auth.token.split(".")[1], "base64url"));
  const { rows } = await pool.query("SELECT id, platform_id, username FROM users WHERE platform_id = $1", [claims.sub]);
  [socket.data.player] = rows;
  await announce(rows[0]);
  next();
});
io.on("connection", (socket) => {
  const { player } = socket.data;
  socket.on("upgrader:spin", (payload, acknowledge) => spin(io, socket, player, payload, acknowledge));
});
if (promises) proveInRounds(io);
http.listen(Number(process.env.PORT), "127.0.0.1");
