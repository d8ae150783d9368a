// Recomputes a bet from its values as text, under the names that they have in its proof. A page has checked nothing of
// them: anybody may have typed them. /verify and verify/verify.mjs contain this module.

import {
  demand, digestOf, isClientSeed, percentOf, percentOfTicket, readSnapshot, rollOf, sha256, thresholdOf, ticketOf,
  winnerOf,
} from "./rolls.js";

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
export async function verify(bet) {
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
export function gameOf(algorithm) {
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
export async function entryOf({ serverSeedCommitment, serverSeed, clientSeed, nonce, next, ...terms }) {
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
