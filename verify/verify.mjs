// Verify a provably fair bet: node verify.mjs --help. Needs Node.js 18.3 or later and no packages.

import { createHash, createHmac, createPublicKey, verify as verifySignature } from "node:crypto";
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

const SPIN = "upgrader-1";
/** The opening of a case, by algorithm: how the HMAC's message begins. */
const GAMES = { "case-1": "case", "irl-1": "irl" };

const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;
const TICKET_RANGE = 10n ** 18n;
const TICKETS_PER_DECIMAL = 10n ** 11n;
const DECIMALS = 100_000;
const MAX_CENTS = 100_000_000_000n;
const MAX_NONCE = 2n ** 63n - 1n;

const HEX_64 = /^[0-9a-f]{64}$/;
const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;
const NONCE = /^[1-9][0-9]{0,18}$/;
const AMOUNT = /^\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?$/;
const WHOLE = /^(0|[1-9][0-9]{0,18})$/;
const FRACTION = /^(?=.)0?(?:\.([0-9]{1,6}))?$/;

/** A value that no bet can have. */
class InvalidValue extends Error {}

const sha256 = (text) => createHash("sha256").update(text, "utf8").digest("hex");

/**
 * Recompute a bet. All values are text. Throws InvalidValue.
 *
 * `houseEdge` is a fraction, `content` the canonical JSON of a case, `snapshot` its hash as it was shown. The
 * result lacks what needs a value that is left out.
 */
export function verify(bet) {
  const { algorithm = SPIN, serverSeedCommitment, serverSeed, clientSeed, nonce } = bet;
  const isKnown = algorithm === SPIN || Object.hasOwn(GAMES, algorithm);
  demand(isKnown, `this program verifies ${SPIN}, ${Object.keys(GAMES).join(" and ")}`);
  demand(HEX_64.test(serverSeed), "a server seed has 64 hexadecimal digits, 0-9 and a-f");
  demand(CLIENT_SEED.test(clientSeed), "a client seed has 4 to 64 letters, digits, dashes and underscores");
  demand(NONCE.test(nonce), "a nonce is a whole number from 1");
  demand(BigInt(nonce) <= MAX_NONCE, `a nonce is ${MAX_NONCE} at most`);
  const message = `${algorithm === SPIN ? "" : `${GAMES[algorithm]}:`}${clientSeed}:${nonce}:0`;
  const digest = createHmac("sha256", serverSeed).update(message, "utf8").digest("hex");
  const result = { serverSeedCommitment: sha256(serverSeed) };
  if (serverSeedCommitment !== undefined) {
    result.committed = serverSeedCommitment === result.serverSeedCommitment;
  }
  const outcome = (algorithm === SPIN ? spinOf : openingOf)(bet, BigInt(`0x${digest}`));
  return Object.assign(result, { digest }, outcome);
}

function spinOf(bet, digest) {
  const roll = Number((digest * ROLL_RANGE) >> 256n);
  const result = { roll, percent: roll / ROLLS_PER_PERCENT };
  demand((bet.betAmount === undefined) === (bet.price === undefined), "wager and price go together");
  if (bet.betAmount === undefined) return result;
  const threshold = thresholdOf(bet);
  return { ...result, threshold, chance: threshold / ROLLS_PER_PERCENT, win: roll < threshold };
}

function openingOf({ content, snapshot }, digest) {
  const ticket = (digest * TICKET_RANGE) >> 256n;
  const result = { ticket: String(ticket), percent: Number(ticket / TICKETS_PER_DECIMAL) / DECIMALS };
  if (content === undefined) return result;
  const items = itemsOf(content);
  result.snapshot = sha256(content);
  if (snapshot !== undefined) result.shown = snapshot === result.snapshot;
  let end = 0n;
  const { name, price } = items.find(({ width }) => ticket < (end += BigInt(width)));
  return { ...result, item: name, amount: Number(price) / 100 };
}

/** The items of a case. The text must be its canonical JSON, which only one text is. */
function itemsOf(content) {
  let valid = null;
  try {
    const { id, items, price } = JSON.parse(content);
    const rows = items.map(({ name, price, width }) => ({ name, price, width }));
    const texts = [id, price, ...rows.flatMap(Object.values)];
    const numbers = [price, ...rows.flatMap(({ price, width }) => [price, width])];
    const isCanonical =
      texts.every((text) => typeof text === "string") &&
      numbers.every((number) => WHOLE.test(number)) &&
      JSON.stringify({ id, items: rows, price }) === content;
    if (isCanonical) valid = rows;
  } catch {
    // Not JSON, or of another shape.
  }
  demand(valid, "the snapshot is not the canonical JSON of a case");
  const sum = valid.reduce((total, { width }) => total + BigInt(width), 0n);
  demand(sum === TICKET_RANGE, "the widths of the items must sum to 10^18");
  return valid;
}

/** How many of the 10,000,000 rolls win, rounded down. */
function thresholdOf({ betAmount, price, houseEdge = "0.05" }) {
  const [wagerCents, priceCents] = [cents(betAmount), cents(price)];
  demand(0n < wagerCents && wagerCents < priceCents, "the wager must be above 0 and below the price");
  const fraction = FRACTION.exec(houseEdge);
  demand(fraction, "a house edge is a fraction from 0 to 0.999999, such as 0.05");
  const edgePpm = BigInt((fraction[1] ?? "").padEnd(6, "0"));
  return Number((ROLL_RANGE * (PPM - edgePpm) * wagerCents) / (PPM * priceCents));
}

function cents(text) {
  const amount = AMOUNT.exec(text);
  const value = amount ? BigInt(amount[1]) * 100n + BigInt((amount[2] ?? "").padEnd(2, "0")) : MAX_CENTS + 1n;
  demand(value <= MAX_CENTS, "an amount is a number from 0 to 1000000000 with at most two decimals");
  return value;
}

function demand(condition, otherwise) {
  if (!condition) throw new InvalidValue(otherwise);
}

/** The vectors that this program gets wrong. */
function wrongVectors({ spins, openings, refused, refusedOpenings }) {
  const wrong = [...spins, ...openings].filter(({ input, output }) => {
    const result = verify(input);
    return Object.entries(output).some(([name, value]) => result[name] !== value);
  });
  const accepted = [...refused, ...refusedOpenings].filter(({ input }) => {
    try {
      return verify(input);
    } catch (problem) {
      if (problem instanceof InvalidValue) return false;
      throw problem;
    }
  });
  return [...wrong, ...accepted].map(({ why }) => why);
}

// The public log: https://c2sp.org/tlog-proof and https://c2sp.org/signed-note.

const PROOF = /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9][0-9]{0,18})\n((?:\S{44}\n)*)\n([^]*)$/;
const NOTE = /^([^\0-\x09\x0b-\x1f]*\n)\n((?:\u2014 [^\p{White_Space}+\0-\x1f]+ \S+\n)+)$/u;
const MAX_NOTE_BYTES = 256 * 1024;
const MAX_SIGNATURES = 100;
const CHECKPOINT = /^(\S+)\n(0|[1-9][0-9]{0,18})\n(\S{44})\n/;
const RECEIPT = /^(\S+)\/receipt\n([^\n]+)\n$/;
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+(\S{44})$/;
const FIELDS = {
  commitment: "the commitment that was announced for the bet",
  nonce: "the nonce of the bet",
  clientSeed: "the client seed that was sent",
  next: "the commitment that was announced for the next bet",
};
const ED25519 = 1;
/** What precedes the 32 bytes of an Ed25519 public key in DER. */
const DER_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/**
 * Check a proof file or a receipt: a list of checks `{ text, passed }`, null being that it can't be made. `keys` has
 * verifier keys, one a line. The values of the bet are those of `verify`, and `next`. Throws InvalidValue.
 */
export function checkLogFile(file, keys, bet = {}) {
  const [, extra, index, path, checkpoint] = PROOF.exec(file) ?? [];
  const { body, signatures } = readNote(checkpoint ?? file);
  if (checkpoint === undefined) {
    const [, origin, text] = match(RECEIPT, body, "this is neither a proof nor a receipt");
    return [checkSignatures("receipt", { origin, body, signatures, keys }), ...checkEntry(text, bet)];
  }
  const [, origin, size, root] = match(CHECKPOINT, body, "the proof has no checkpoint");
  const entry = bytesOf(extra);
  const hashes = path.split("\n").slice(0, -1).map(bytesOf);
  const reached = rootFrom(hashOf([0], entry), { index: BigInt(index), size: BigInt(size), hashes });
  return [
    {
      text: `The bet is entry ${index} of the ${size} in the checkpoint`,
      passed: reached?.toString("base64") === root,
    },
    checkSignatures("checkpoint", { origin, body, signatures, keys }),
    ...checkEntry(entry.toString("utf8"), bet),
  ];
}

/** The text of a signed note, and its signatures with the names and ids of their keys. */
function readNote(note) {
  const [, body, block] = match(NOTE, note, "this is neither a proof nor a receipt");
  const signatures = block.split("\n").slice(0, -1).map((line) => {
    const [, name, base64] = line.split(" ");
    const bytes = bytesOf(base64);
    return { name, id: bytes.subarray(0, 4).toString("hex"), bytes: bytes.subarray(4) };
  });
  demand(Buffer.byteLength(note) <= MAX_NOTE_BYTES, "the note is too long");
  demand(signatures.length <= MAX_SIGNATURES, "the note has too many signatures");
  demand(signatures.every(({ bytes }) => bytes.length), "a signature of the note is too short");
  return { body, signatures };
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); null if it has another length. */
function rootFrom(leaf, { index, size, hashes }) {
  if (index >= size) return null;
  let [reached, place, last] = [leaf, index, size - 1n];
  for (const sibling of hashes) {
    if (last === 0n) return null;
    if (place & 1n || place === last) {
      reached = hashOf([1], sibling, reached);
      for (; place && !(place & 1n); last >>= 1n) place >>= 1n;
    } else {
      reached = hashOf([1], reached, sibling);
    }
    [place, last] = [place >> 1n, last >> 1n];
  }
  return last === 0n ? reached : null;
}

/** One known key must have signed, and no signature of a known key may be wrong. */
function checkSignatures(what, { origin, body, signatures, keys }) {
  const known = keys.split("\n").map((line) => line.trim()).filter(Boolean).map(readKey);
  if (!known.length) return { text: `Without a key, the signature of the ${what} can't be checked`, passed: null };
  const results = signatures.flatMap(({ name, id, bytes }) =>
    known
      .filter((key) => key.name === origin && name === origin && key.id === id)
      .map(({ publicKey }) => verifySignature(null, Buffer.from(body), publicKey, bytes)),
  );
  const passed = results.length > 0 && results.every(Boolean);
  return { text: `The ${what} is signed with the key of ${origin}`, passed };
}

function readKey(line) {
  const [, name, id, base64] = match(VERIFIER_KEY, line, "this is not a verifier key");
  const typed = bytesOf(base64);
  const computed = hashOf(Buffer.from(`${name}\n`), typed).toString("hex").slice(0, 8);
  demand(typed[0] === ED25519 && computed === id, "the verifier key is damaged, or not of Ed25519");
  const key = Buffer.concat([DER_PREFIX, typed.subarray(1)]);
  return { name, id, publicKey: createPublicKey({ key, format: "der", type: "spki" }) };
}

/** What an entry says of the bet, as far as that is known. It must be canonical JSON, which only one text is. */
function checkEntry(text, bet) {
  const entry = parseJson(text);
  demand(entry !== undefined && JSON.stringify(sorted(entry)) === text, "the entry is not canonical JSON");
  if (!entry?.terms) return [{ text: "The entry is that of a bet", passed: false }];
  const { serverSeed, serverSeedCommitment = serverSeed && sha256(serverSeed), nonce, clientSeed, next } = bet;
  const seen = { commitment: serverSeedCommitment, nonce: nonce && Number(nonce), clientSeed, next };
  const known = Object.keys(FIELDS).filter((name) => seen[name] !== undefined);
  const checks = known.map((name) => ({ text: `The entry has ${FIELDS[name]}`, passed: entry[name] === seen[name] }));
  const terms = Object.entries(termsOf(bet)).filter(([, value]) => value !== undefined);
  const others = terms.filter(([name, value]) => entry.terms[name] !== value);
  const named = (others.length ? others : terms).map(([name]) => name).join(", ");
  if (terms.length) checks.push({ text: `The entry has the terms of the bet: ${named}`, passed: !others.length });
  return checks;
}

/** The terms of an entry, from the values of a bet. */
function termsOf({ algorithm, betAmount, price, houseEdge = "0.05", snapshot }) {
  const wager = betAmount && Number(cents(betAmount));
  if (price === undefined) return { algorithm, wager, snapshot };
  const threshold = thresholdOf({ betAmount, price, houseEdge });
  return { algorithm, wager, price: Number(cents(price)), edge: String(Number(houseEdge)), threshold };
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

function bytesOf(base64) {
  const bytes = Buffer.from(base64, "base64");
  demand(bytes.toString("base64") === base64, "a hash, a key or a signature is damaged");
  return bytes;
}

const hashOf = (...parts) => createHash("sha256").update(Buffer.concat(parts.map(Buffer.from))).digest();

/** The keys that an option gives: themselves, or their file or address. */
async function readKeys(given = "") {
  if (!/^https?:/.test(given)) return existsSync(given) ? readText(given) : given;
  const answer = await fetch(given);
  demand(answer.ok, `${given} answered ${answer.status}`);
  return answer.text();
}

const MARKS = { true: "✓", false: "✗", null: "?" };

async function runLogFile(values, bet) {
  const checks = checkLogFile(readText(values["log-file"]), await readKeys(values.key), bet);
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
    const wrong = wrongVectors(JSON.parse(readFileSync(values.vectors, "utf8")));
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
  const result = verify(bet);
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
