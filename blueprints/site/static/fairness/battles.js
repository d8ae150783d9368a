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

import { bytesOf, demand, hexOf, readSnapshot, winnerOf } from "./rolls.js";

const TICKETS = 10n ** 18n;
const HASH = /^[0-9a-f]{64}$/;
const [NORMAL, JACKPOT, SHARED] = ["normal", "jackpot", "shared"];

/** How many seats each team has. The seats of a team follow each other. */
export const TEAMS = {
  "1v1": [1, 1],
  "1v1v1": [1, 1, 1],
  "1v1v1v1": [1, 1, 1, 1],
  "1v1v1v1v1v1": [1, 1, 1, 1, 1, 1],
  "2v2": [2, 2],
  "3v3": [3, 3],
  "2v2v2": [2, 2, 2],
};

/** The team of each seat. */
export const teamOfSeats = (teams) => TEAMS[teams].flatMap((seats, team) => Array(seats).fill(team));

/** The name of the teams of these seats, such as 2v2; undefined when there are no such teams. */
export const teamsOf = (seats) =>
  Object.keys(TEAMS).find((name) => String(teamOfSeats(name)) === String(seats.map(({ team }) => team)));

/** The random numbers of a battle. `lockHash` is the leaf hash of its lock entry, `randomness` the beacon's; hex. */
export async function drawsOf({ serverSeed, lockHash, randomness }) {
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
export async function recomputeBattle({ contents, ...battle }) {
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
export function demandRules({ mode, teams, crazy, terminal }) {
  const isKnown = [NORMAL, JACKPOT, SHARED].includes(mode) && Object.hasOwn(TEAMS, teams);
  demand(isKnown, "There is no such mode or teams.");
  const isPlain = !crazy && !terminal && Math.max(...TEAMS[teams]) === 1;
  demand(mode !== SHARED || isPlain, "A shared battle has one seat a team, and is neither crazy nor terminal.");
}

/** Who gets the pot. `drawnCents` has, for each seat, the price of its item in each case. */
export async function decide({ mode, teams, crazy = false, terminal = false }, drawnCents, draws) {
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
