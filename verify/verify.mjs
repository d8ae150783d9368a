// Verify a provably fair bet: node verify.mjs --help. Needs Node.js 18.3 or later and no packages.

import { createHash, createHmac } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `node verify.mjs --server-seed S --client-seed C --nonce N
    [--commitment H] [--amount A --price P] [--house-edge E] [--algorithm upgrader-1]
node verify.mjs --server-seed S --client-seed C --nonce N --algorithm case-1|irl-1
    [--commitment H] [--snapshot FILE] [--snapshot-hash H]
node verify.mjs --vectors FILE

Recomputes the roll or the ticket from the seeds, and whether the server seed is the one that was committed
to. For a spin also the threshold from wager and price; for the opening of a case the item, from the snapshot
that GET /snapshots/<hash> serves. All values are in the proof of the bet. Exits with 1 when the server seed
or the snapshot is another one, or when a value is not valid. --vectors checks this program itself.

  --algorithm      upgrader-1, case-1 or irl-1
  --commitment     as it was announced before the bet
  --server-seed    as the proof revealed it
  --client-seed    as it was sent with the bet
  --nonce          the number of the bet
  --amount         the wager, such as 1.50
  --price          the price of the item, such as 12.34
  --house-edge     a fraction, 0.05 if it is left out
  --snapshot       the snapshot of the case that was opened
  --snapshot-hash  as the page of the case showed it`;

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
};

/** The text of a file. Throws if it is not UTF-8. */
const readText = (path) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));

/** Runs the command line; the text to print and the exit code. */
function main() {
  const types = Object.keys(OPTIONS).map((name) => [name, { type: "string" }]);
  const options = { ...Object.fromEntries(types), vectors: { type: "string" }, help: { type: "boolean" } };
  const { values } = parseArgs({ options });
  if (values.help) return [USAGE, 0];
  if (values.vectors) {
    const wrong = wrongVectors(JSON.parse(readFileSync(values.vectors, "utf8")));
    return wrong.length ? [wrong.join("\n"), 1] : ["All vectors are right.", 0];
  }
  const given = Object.entries(OPTIONS).filter(([option]) => values[option] !== undefined);
  const bet = Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
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
    const [text, exitCode] = main();
    console.log(text);
    process.exitCode = exitCode;
  } catch (problem) {
    console.error(problem.message);
    process.exitCode = 1;
  }
}
