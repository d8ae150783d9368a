// A player in one file: spins twice, and verifies both rolls. docs/front-end.md says how to run it,
// and why it keeps every bet that it sends.

import { createHash, createHmac, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";

const { ADDRESS = "http://127.0.0.1:5000", TOKEN, AMOUNT = "0.01", RECORD = "sent.json" } = process.env;
// These refusals name something that the player can change. After any other one the bet is sent again.
const CHANGES = /^(Invalid (amount|client)|Item |Wager |Insufficient |Your limit|You (are|have)|Session)/;

// By commitment: { nonce, attempts }, and once they are known serverSeed and replacedBy.
const record = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD)) : {};
const save = () => writeFileSync(RECORD, JSON.stringify(record, null, 2));

const socket = io(ADDRESS, { auth: { token: TOKEN }, transports: ["websocket"] });
const next = (event) => new Promise((resolve) => socket.once(event, resolve));
const getJson = async (path) => (await fetch(ADDRESS + path)).json();

socket.on("connect_error", (error) => {
  console.error(`cannot connect: ${error.message}`);
  // After a network failure the client retries by itself; after a refusal it does not.
  if (!socket.active) process.exit(1);
});

// The server commits to its seed before the player chooses a client seed.
let announced = null;
socket.on("upgrader:commitment", (commitment) => {
  announced = commitment;
  const { serverSeedCommitment, nonce } = commitment;
  for (const [other, entry] of Object.entries(record)) {
    const isReplaced = other !== serverSeedCommitment && entry.nonce >= nonce && !entry.serverSeed;
    if (!isReplaced || entry.replacedBy) continue;
    entry.replacedBy = serverSeedCommitment;
    console.log(`The server has replaced its commitment to spin ${entry.nonce}`);
  }
  record[serverSeedCommitment] ??= { nonce, attempts: [] };
  save();
});

let current = null;
socket.on("upgrader:pf", (pf) => { if (pf.nonce === current.nonce) current.pf ??= pf; });

/** The commitment to the next bet. It comes after the acknowledgement of the bet before. */
async function commitmentAfter(used) {
  while (!announced || announced.serverSeedCommitment === used) await next("upgrader:commitment");
  return announced;
}

/** A bet that has to be sent again as it was: with another seed, the server could refuse until one loses. */
function openAttempt() {
  const entries = Object.values(record).filter(({ serverSeed, replacedBy }) => !serverSeed && !replacedBy);
  return entries.flatMap(({ attempts }) => attempts).find(({ answer, request }) => {
    const isOutdated = request.serverSeedCommitment !== announced.serverSeedCommitment;
    const isOver = isOutdated && answer?.error === "Commitment does not match";
    return !answer || !(answer.status || CHANGES.test(answer.error) || isOver);
  });
}

async function newAttempt({ serverSeedCommitment, nonce }) {
  const { items: [item] } = await getJson("/upgrader/items/pagination?sort=Ascending&limit=1");
  const { houseEdge } = await getJson("/upgrader/rules");
  const price = Number(item.price.slice(1));
  const bet = { amount: Number(AMOUNT), item: item.marketHashName, price };
  const request = { ...bet, clientSeed: randomUUID(), serverSeedCommitment, requestId: randomUUID() };
  const attempt = { request, nonce, houseEdge };
  record[serverSeedCommitment].attempts.push(attempt);
  save();
  return attempt;
}

/** Send a bet until it is settled or refused. The request id makes sure that it is played once. */
async function play(attempt) {
  current = attempt;
  for (let tries = 1; openAttempt() === attempt; tries++) {
    if (tries > 5) throw new Error("The bet is not settled. Run this program again: it sends the same bet.");
    if (tries > 1) await sleep(500);
    const asked = socket.timeout(15_000).emitWithAck("upgrader:spin", attempt.request);
    attempt.answer = await asked.catch(() => null);
    save();
  }
  return attempt.answer;
}

function rollOf(serverSeed, { request, nonce }) {
  const hmac = createHmac("sha256", serverSeed).update(`${request.clientSeed}:${nonce}:0`);
  return Number((BigInt(`0x${hmac.digest("hex")}`) * 10_000_000n) >> 256n);
}

function wins(serverSeed, attempt) {
  const { amount, price } = attempt.request;
  const [wagerCents, priceCents] = [amount, price].map((coins) => BigInt(Math.round(coins * 100)));
  const kept = 1_000_000n - BigInt(Math.round(attempt.houseEdge * 1e6));
  const threshold = (10_000_000n * kept * wagerCents) / (1_000_000n * priceCents);
  return rollOf(serverSeed, attempt) < threshold;
}

/** What the server seed says of all bets that were sent under its commitment. */
function verdict({ serverSeed, clientSeed, nonce }) {
  const entry = record[createHash("sha256").update(serverSeed).digest("hex")];
  if (!entry) return "NOT FAIR: the server seed is not the one that was committed to";
  entry.serverSeed = serverSeed;
  save();
  const settled = entry.attempts.find(({ answer }) => answer?.status);
  const refused = entry.attempts.filter((attempt) => attempt !== settled && wins(serverSeed, attempt)).length;
  const times = refused === 1 ? "once" : `${refused} times`;
  if (refused) return `Spin ${nonce} was refused ${times} with these seeds, and would have won`;
  const isLost = (each) =>
    (each.replacedBy || each.nonce < nonce) && !each.serverSeed && each.attempts.length > 0;
  const lost = Object.values(record).find(isLost);
  if (lost?.replacedBy) return `The server replaced its commitment to spin ${lost.nonce} after a bet was sent`;
  if (lost) return `The server has not revealed the seed of its commitment to spin ${lost.nonce}`;
  if (!settled) return `Spin ${nonce} was played by another client`;
  const isRoll = settled.pf?.percent === rollOf(serverSeed, settled) / 100_000;
  const isOutcome = settled.answer.result.success === wins(serverSeed, settled);
  const areSeeds = settled.request.clientSeed === clientSeed && entry.nonce === nonce;
  return isRoll && isOutcome && areSeeds ? "fair" : "NOT FAIR";
}

// Six seconds after a bet its server seed is revealed. Proofs may come twice, those of earlier bets too.
const proofs = new Set();
function showProof(proof) {
  if (!proofs.has(proof.nonce)) console.log(verdict(proof));
  proofs.add(proof.nonce);
}
socket.on("upgrader:proof", showProof);

/** Look up the seeds of earlier commitments: when another client played the bet, it got the proof. */
async function lookUpSeeds(nonce) {
  for (const [commitment, entry] of Object.entries(record)) {
    if (entry.serverSeed || entry.nonce >= nonce || entry.attempts.length === 0) continue;
    const headers = { Authorization: `Bearer ${TOKEN}` };
    // One bet has each nonce, and the list begins with the newest one.
    const path = `/stats/fairness?limit=1&page=${nonce - entry.nonce}`;
    const { data } = await (await fetch(ADDRESS + path, { headers })).json();
    const bet = data.items.find(({ pf }) => pf.serverSeed && pf.serverSeedCommitment === commitment);
    if (bet) showProof(bet.pf);
  }
}

try {
  let used = null;
  for (let bet = 1; bet <= 2; bet++) {
    const commitment = await commitmentAfter(used);
    await lookUpSeeds(commitment.nonce);
    const attempt = openAttempt() ?? (await newAttempt(commitment));
    const answer = await play(attempt);
    if (!answer.status) throw new Error(answer.error);
    console.log(answer.result, attempt.pf?.percent);
    while (!proofs.has(attempt.nonce)) await next("upgrader:proof");
    used = attempt.request.serverSeedCommitment;
  }
} catch (problem) {
  console.error(problem.message);
  process.exitCode = 1;
}
socket.disconnect();
