// Verify a provably fair spin: node verify.mjs --help. Needs Node.js 18.3 or later and no packages.

import { createHash, createHmac } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `node verify.mjs --server-seed S --client-seed C --nonce N
    [--commitment H] [--amount A --price P] [--house-edge E] [--algorithm upgrader-1]
node verify.mjs --vectors FILE

Recomputes the roll from the seeds, the threshold from wager and price, and whether the server seed is the one
that was committed to. All values are in the proof of the spin and in GET /upgrader/bets/<nonce>. Exits with 1
when the server seed is another one, or when a value is not valid. --vectors checks this program itself.

  --commitment   as it was announced before the spin
  --server-seed  as the proof revealed it
  --client-seed  as it was sent with the spin
  --nonce        the number of the spin
  --amount       the wager, such as 1.50
  --price        the price of the item, such as 12.34
  --house-edge   a fraction, 0.05 if it is left out`;

const ALGORITHM = "upgrader-1";
const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;
const MAX_CENTS = 100_000_000_000n;
const MAX_NONCE = 2n ** 63n - 1n;

const HEX_64 = /^[0-9a-f]{64}$/;
const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;
const NONCE = /^[1-9][0-9]{0,18}$/;
const AMOUNT = /^\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?$/;
const FRACTION = /^(?=.)0?(?:\.([0-9]{1,6}))?$/;

/** A value that no spin can have. */
class InvalidValue extends Error {}

const commitmentOf = (serverSeed) => createHash("sha256").update(serverSeed, "utf8").digest("hex");

/**
 * Recompute a spin. All values are text. Throws InvalidValue.
 *
 * `houseEdge` is a fraction. Without a commitment `committed` is left out of the result, without a wager
 * everything from `threshold` on.
 */
export function verify(spin) {
  const { algorithm = ALGORITHM, serverSeedCommitment, serverSeed, clientSeed, nonce, betAmount, price } = spin;
  demand(algorithm === ALGORITHM, `this program verifies ${ALGORITHM} only`);
  demand(HEX_64.test(serverSeed), "a server seed has 64 hexadecimal digits, 0-9 and a-f");
  demand(CLIENT_SEED.test(clientSeed), "a client seed has 4 to 64 letters, digits, dashes and underscores");
  demand(NONCE.test(nonce), "a nonce is a whole number from 1");
  demand(BigInt(nonce) <= MAX_NONCE, `a nonce is ${MAX_NONCE} at most`);
  const digest = createHmac("sha256", serverSeed).update(`${clientSeed}:${nonce}:0`, "utf8").digest("hex");
  const roll = Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);
  const result = { serverSeedCommitment: commitmentOf(serverSeed) };
  if (serverSeedCommitment !== undefined) {
    result.committed = serverSeedCommitment === result.serverSeedCommitment;
  }
  Object.assign(result, { digest, roll, percent: roll / ROLLS_PER_PERCENT });
  demand((betAmount === undefined) === (price === undefined), "wager and price go together");
  if (betAmount !== undefined) {
    const threshold = thresholdOf(spin);
    Object.assign(result, { threshold, chance: threshold / ROLLS_PER_PERCENT, win: roll < threshold });
  }
  return result;
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
function wrongVectors({ spins, refused }) {
  const wrong = spins.filter(({ input, output }) => {
    const result = verify(input);
    return Object.entries(output).some(([name, value]) => result[name] !== value);
  });
  const accepted = refused.filter(({ input }) => {
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
};

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
  const spin = Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
  for (const name of ["serverSeed", "clientSeed", "nonce"]) {
    demand(spin[name] !== undefined, "--server-seed, --client-seed and --nonce are required; see --help");
  }
  const result = verify(spin);
  if (result.committed === false) console.error("The server seed is not the one that was committed to.");
  return [JSON.stringify(result, null, 2), result.committed === false ? 1 : 0];
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
