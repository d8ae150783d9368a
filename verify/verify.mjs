// Verify a provably fair bet: node verify.mjs --help. Needs Node.js 20 or later and no packages.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `node verify.mjs --server-seed S --client-seed C --nonce N
    [--commitment H] [--amount A --price P] [--house-edge E] [--algorithm upgrader-1]
node verify.mjs --server-seed S --client-seed C --nonce N --algorithm case-1|irl-1
    [--commitment H] [--snapshot FILE] [--snapshot-hash H]
node verify.mjs --log-file FILE [--key KEY] [values of the bet as above, none required] [--next H]
node verify.mjs --vectors FILE

Recomputes the roll or the ticket from the seeds, and whether the server seed is the one that was committed
to. For a spin also the threshold from wager and price; for the opening of a case the item, from the snapshot
that GET /snapshots/<hash> serves. All values are in the proof of the bet. Exits with 1 when the server seed
or the snapshot is another one, or when a value is not valid. --vectors checks this program itself.

--log-file checks a file of the public log: the proof of GET /bets/<id>/tlog-proof, or a receipt. It prints a
line for each check: that the entry is in the tree, the signature, and what the entry says of the bet, as far
as values are given. Exits with 1 unless all of them pass.

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
  --next           the commitment that was announced for the next bet`;

// BEGIN of the modules of the built-in page, which generate.py copies.

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

const FIELDS = {
  commitment: "The entry has the commitment that was announced for the bet",
  nonce: "The entry has the nonce of the bet",
  clientSeed: "The entry has the client seed that was sent",
  next: "The entry has the commitment that was announced for the next bet",
};

/**
 * Check a proof file or a receipt. `keys` has verifier keys, one a line, as `/log/key` returns them. `bet` has what the
 * entry must say: any of `commitment`, `nonce`, `clientSeed`, `next` and `terms`.
 *
 * Returns `{ origin, index, size, text, checks }`, `text` being the entry as it is logged. A receipt has no index and
 * size. A check is `{ text, passed }`, null being that it can't be made. Rejects with
 * InvalidValue if the file is neither a proof nor a receipt, or a key is not a verifier key.
 */
async function checkLogFile(file, keys, bet = {}) {
  const [, extra, index, proof, checkpoint] = PROOF.exec(file) ?? [];
  const { body, signatures } = readNote(checkpoint ?? file);
  if (!checkpoint) {
    const [, origin, text] = match(RECEIPT, body, "This is neither a proof nor a receipt.");
    const fits = checkEntry(text, bet);
    return { origin, text, checks: [await checkSignatures("receipt", { origin, body, signatures, keys }), ...fits] };
  }
  const [, origin, size, root] = match(CHECKPOINT, body, "The proof has no checkpoint.");
  const entry = bytesOfBase64(extra);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry);
  const hashes = proof.split("\n").slice(0, -1).map(bytesOfBase64);
  const reached = await rootFrom(await hash([0], entry), { index: BigInt(index), size: BigInt(size), hashes });
  const isThere = reached !== null && base64OfBytes(reached) === root;
  const checks = [
    { text: `The bet is entry ${index} of the ${size} in the checkpoint`, passed: isThere },
    await checkSignatures("checkpoint", { origin, body, signatures, keys }),
    ...checkEntry(text, bet),
  ];
  return { origin, index: Number(index), size: Number(size), text, checks };
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
  const lines = keys.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.length) return { text: `Without a key, the signature of the ${what} can't be checked`, passed: null };
  const text = `The ${what} is signed with the key of ${origin}`;
  const results = [];
  for (const { name, id, publicKey } of await Promise.all(lines.map(readKey))) {
    for (const signature of signatures) {
      const isOurs = name === origin && signature.name === origin && signature.id === id;
      if (isOurs) results.push(await isSignature(publicKey, signature.bytes, bytesOf(body)));
    }
  }
  if (results.includes(null)) return { text: "This browser can't check signatures of the kind Ed25519", passed: null };
  return { text, passed: results.length > 0 && results.every(Boolean) };
}

async function readKey(line) {
  const [, name, id, base64] = match(KEY, line, "This is not a verifier key.");
  const typed = bytesOfBase64(base64);
  const computed = hexOf(await hash(bytesOf(`${name}\n`), typed)).slice(0, 8);
  demand(typed[0] === ED25519 && computed === id, "The verifier key is damaged, or not of Ed25519.");
  return { name, id, publicKey: typed.subarray(1) };
}

/** Whether a signature is right; null where the browser can't tell. */
async function isSignature(publicKey, signature, bytes) {
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, signature, bytes);
  } catch (problem) {
    if (problem.name === "NotSupportedError") return null;
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

/** An entry, which must be canonical JSON: only one text says the same. */
function readEntry(text) {
  try {
    const entry = JSON.parse(text);
    if (JSON.stringify(sorted(entry)) === text) return entry;
  } catch {
    // Not JSON.
  }
  throw new InvalidValue("The entry is not canonical JSON.");
}

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
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

export { checkLogFile, verify };

/** The vectors that this program gets wrong. */
async function wrongVectors({ spins, openings, refused, refusedOpenings }) {
  const wrong = [];
  for (const { why, input, output } of [...spins, ...openings]) {
    const result = await verify(input);
    if (Object.entries(output).some(([name, value]) => result[name] !== value)) wrong.push(why);
  }
  for (const { why, input } of [...refused, ...refusedOpenings]) {
    const isRefused = await verify(input).then(() => false, (problem) => problem instanceof InvalidValue);
    if (!isRefused) wrong.push(why);
  }
  return wrong;
}

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
  const { checks } = await checkLogFile(file, await readKeys(values.key), await entryOf(bet));
  const lines = checks.map(({ text, passed }) => `${MARKS[passed]} ${text}`);
  return [lines.join("\n"), checks.every(({ passed }) => passed) ? 0 : 1];
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
  const types = [...Object.keys(OPTIONS), "vectors", "log-file", "key"].map((name) => [name, { type: "string" }]);
  const options = { ...Object.fromEntries(types), help: { type: "boolean" } };
  const { values } = parseArgs({ options });
  if (values.help) return [USAGE, 0];
  if (values.vectors) {
    const wrong = await wrongVectors(JSON.parse(readFileSync(values.vectors, "utf8")));
    return wrong.length ? [wrong.join("\n"), 1] : ["All vectors are right.", 0];
  }
  const given = Object.entries(OPTIONS).filter(([option]) => values[option] !== undefined);
  const bet = Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
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
