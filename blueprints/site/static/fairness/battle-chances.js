// The chance that a battle ends in a tie, before it is played.
//
// The value of a team is a sum of independent draws. Its distribution is computed by convolution, draw by draw, as long
// as it has at most 100,000 different sums: then the chance is exact, but for the last digits of a double. Otherwise it
// is below a bound: two sums are equal with at most the probability that two of their parts are, so of each pair of
// teams the sum of the squared probabilities of as many draws as could be added up.

import { TEAMS } from "./battles.js";
import { readSnapshot } from "./rolls.js";

const MOST_SUMS = 100_000;
const MOST_STEPS = 400_000_000; // some 300 ms
const MOST_DENSE = 2 ** 22;
const SPARSE_COST = 20;
const TICKETS = 1e18;

/**
 * The chance of a tie: `{ exact }` or `{ below }`, an upper bound, both from 0 to 1; null in a mode that has no ties.
 * `cases` are in the order in which they are opened, each `{ content, count }`: the text of its snapshot, and how often
 * each seat opens it.
 */
export function chanceOfTie(cases, { mode, teams, crazy = false, terminal = false }) {
  if (mode !== "normal") return null;
  const [seats] = TEAMS[teams];
  const counted = terminal ? [{ ...cases.at(-1), count: 1 }] : cases;
  const draws = counted.flatMap(({ content, count }) => Array(count * seats).fill(distributionOf(content)));
  const { sums, isExact } = addUp(draws.sort((one, other) => one.size - other.size));
  const count = TEAMS[teams].length;
  return isExact ? { exact: exactChance(sums, count, crazy) } : { below: boundOf(sums, count) };
}

/**
 * The probability of each price of a case, less the lowest price: each team draws from the same cases, so what all of
 * them have does not count.
 */
function distributionOf(content) {
  const drawn = readSnapshot(content).items.filter(({ width }) => width);
  const lowest = Math.min(...drawn.map(({ priceCents }) => priceCents));
  const found = new Map();
  for (const { priceCents, width } of drawn) {
    const above = priceCents - lowest;
    found.set(above, (found.get(above) ?? 0) + Number(width) / TICKETS);
  }
  return found;
}

/** The distribution of the sum of draws; of as many of them as can be added up. */
function addUp(draws) {
  let [sums, highest, steps] = [new Map([[0, 1]]), 0, 0];
  for (const draw of draws) {
    highest += Math.max(...draw.keys());
    const isDense = highest < MOST_DENSE;
    steps += sums.size * draw.size * (isDense ? 1 : SPARSE_COST);
    const next = steps > MOST_STEPS ? null : isDense ? addDense(sums, draw, highest) : addSparse(sums, draw);
    if (!next) return { sums, isExact: false };
    sums = next;
  }
  return { sums, isExact: true };
}

/** The distribution of a sum plus a draw; null if it has too many different sums. */
function addSparse(sums, draw) {
  const found = new Map();
  for (const [price, probability] of draw) {
    for (const [sum, before] of sums) found.set(sum + price, (found.get(sum + price) ?? 0) + before * probability);
    if (found.size > MOST_SUMS) return null;
  }
  return found;
}

/** Likewise for sums up to `highest`. An array is twenty times as fast as a map. */
function addDense(sums, draw, highest) {
  const [before, all] = [Float64Array.from(sums.values()), Int32Array.from(sums.keys())];
  const added = new Float64Array(highest + 1);
  for (const [price, probability] of draw) {
    for (let place = 0; place < all.length; place++) added[all[place] + price] += before[place] * probability;
  }
  const found = new Map();
  for (let sum = 0; sum <= highest; sum++) {
    if (added[sum] > 0 && found.set(sum, added[sum]).size > MOST_SUMS) return null;
  }
  return found;
}

/** One less the chance that a single team has the best value. */
function exactChance(sums, count, crazy) {
  const inOrder = [...sums].sort(([one], [other]) => (crazy ? other - one : one - other));
  let [worse, single] = [0, 0];
  for (const [, probability] of inOrder) {
    single += count * probability * worse ** (count - 1);
    worse += probability;
  }
  return Math.min(1, Math.max(0, 1 - single));
}

function boundOf(sums, count) {
  let equal = 0;
  for (const probability of sums.values()) equal += probability ** 2;
  return Math.min(1, (count * (count - 1)) / 2 * equal);
}
