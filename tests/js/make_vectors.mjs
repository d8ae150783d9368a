// Makes verify/vectors.json from the published formulas, without any of the platform's own code.
//
//     node tests/js/make_vectors.mjs > verify/vectors.json

import { createHash, createHmac } from "node:crypto";

const ROLL_RANGE = 10_000_000n;
const PPM = 1_000_000n;
const TICKET_RANGE = 10n ** 18n;

const sha256 = (text) => createHash("sha256").update(text, "utf8").digest("hex");
const seed = (number) => sha256(`server seed ${number}`);

/** The digits of a decimal text as a whole number of 10^-places. */
function scaled(text, places) {
  const [whole, fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(places, "0"));
}

const percent = (rolls) => Number(rolls) / 100_000;

function spin([why, serverSeed, clientSeed, nonce, betAmount, price, houseEdge, serverSeedCommitment]) {
  const commitment = sha256(serverSeed);
  const digest = digestOf(`${clientSeed}:${nonce}:0`, serverSeed);
  const roll = (BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n;
  const kept = PPM - scaled(houseEdge, 6);
  const threshold = (ROLL_RANGE * kept * scaled(betAmount, 2)) / (PPM * scaled(price, 2));
  return {
    why,
    input: {
      algorithm: "upgrader-1",
      serverSeedCommitment: serverSeedCommitment ?? commitment,
      serverSeed,
      clientSeed,
      nonce,
      betAmount,
      price,
      houseEdge,
    },
    output: {
      committed: (serverSeedCommitment ?? commitment) === commitment,
      digest,
      roll: Number(roll),
      percent: percent(roll),
      threshold: Number(threshold),
      chance: percent(threshold),
      win: roll < threshold,
    },
  };
}

const digestOf = (message, serverSeed) => createHmac("sha256", serverSeed).update(message, "utf8").digest("hex");

/** The ticket of an opening, and the digest that it comes from. */
function ticketOf({ game, serverSeed, clientSeed, nonce }) {
  const digest = digestOf(`${game}:${clientSeed}:${nonce}:0`, serverSeed);
  return { digest, ticket: (BigInt(`0x${digest}`) * TICKET_RANGE) >> 256n };
}

/** The content of a case as canonical JSON. The keys are written in their order. */
function contentOf(id, price, items) {
  const rows = items.map(([name, itemPrice, width]) => ({ name, price: String(itemPrice), width: String(width) }));
  return JSON.stringify({ id, items: rows, price: String(price) });
}

function opening({ why, game, serverSeed, clientSeed, nonce, content, committed = serverSeed, shown = content }) {
  const { digest, ticket } = ticketOf({ game, serverSeed, clientSeed, nonce });
  let begin = 0n;
  const item = JSON.parse(content).items.find(({ width }) => {
    begin += BigInt(width);
    return ticket < begin;
  });
  return {
    why,
    input: {
      algorithm: `${game}-1`,
      serverSeedCommitment: sha256(committed),
      serverSeed,
      clientSeed,
      nonce,
      snapshot: sha256(shown),
      content,
    },
    output: {
      committed: committed === serverSeed,
      digest,
      ticket: String(ticket),
      // A text with five decimals, so that no double is rounded.
      percent: Number(`${String(ticket).padStart(18, "0").slice(0, 2)}.${String(ticket).padStart(18, "0").slice(2, 7)}`),
      snapshot: sha256(content),
      shown: shown === content,
      item: item.name,
      amount: Number(item.price) / 100,
    },
  };
}

const ZEROS = "0".repeat(64);
const FS = "f".repeat(64);
const DIGITS = "0123456789".repeat(7).slice(0, 64);
// Published by other sites that take the same HMAC step; its digest begins with c590d171e39b7040.
const PUBLISHED = "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159";
// Found by trying some ten million seeds with the client seed "abcd" and the nonce 1.
const LOWEST = seed(9_826_146);
const HIGHEST = seed(11_181_532);

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALL_CHARACTERS = `${LETTERS}${LETTERS.toLowerCase()}0123456789_-`;

const spins = [
  ["a seed of which other sites published the digest", PUBLISHED, "bb62964774", "1", "1.00", "10.00", "0.05"],
  ["the next nonce", PUBLISHED, "bb62964774", "2", "1.00", "10.00", "0.05"],
  ["a roll one above the threshold", PUBLISHED, "bb62964774", "1", "77174.08", "95000", "0.05"],
  ["a roll equal to the threshold loses", PUBLISHED, "bb62964774", "1", "77174.09", "95000", "0.05"],
  ["a roll one below the threshold wins", PUBLISHED, "bb62964774", "1", "77174.10", "95000", "0.05"],
  ["a wager that rounds to a threshold equal to the roll", PUBLISHED, "bb62964774", "1", "28.79", "35.44", "0.05"],
  ["the lowest roll, with a chance of one roll", LOWEST, "abcd", "1", "0.01", "95000.00", "0.05"],
  ["the lowest roll, with no chance", LOWEST, "abcd", "1", "0.01", "95000.01", "0.05"],
  ["the highest roll, with a chance of all other rolls", HIGHEST, "abcd", "1", "999999999.99", "1000000000", "0"],
  ["the highest roll, without a house edge", HIGHEST, "abcd", "1", "99999.99", "100000", "0"],
  ["a seed of zeros", ZEROS, "0000", "1", "0.01", "0.02", "0.05"],
  ["a seed of fs", FS, "ffff", "1", "0.01", "0.03", "0.05"],
  ["a client seed of dashes", DIGITS, "----", "1", "0.02", "0.03", "0"],
  ["a client seed of underscores", DIGITS, "____", "1", "999.99", "1000", "0.05"],
  ["the shortest client seed", seed(1), "abcd", "1", "5", "10", "0.05"],
  ["another server seed", seed(2), "abcd", "1", "5.0", "10.0", "0.05"],
  ["capital letters", seed(3), "ABCD", "1", "999.99", "1000", "0"],
  ["the longest client seed", seed(4), "z".repeat(64), "1", "10000", "10001", "0.05"],
  ["every character of a client seed", seed(5), ALL_CHARACTERS, "7", "0.69", "0.92", "0"],
  ["and backwards", seed(6), [...ALL_CHARACTERS].reverse().join(""), "7", "0.44", "2.20", "0.05"],
  ["a nonce of two digits", seed(7), "client-seed_42", "10", "0.57", "1.00", "0.01"],
  ["a nonce of five digits", seed(8), "client-seed_42", "99999", "128.96", "316.16", "0.05"],
  ["a nonce above 32 bits, signed", seed(9), "client-seed_42", "2147483648", "5", "10", "0.999999"],
  ["a nonce above 32 bits", seed(10), "client-seed_42", "4294967296", "0.01", "10", "0.999999"],
  ["the highest nonce that a double holds", seed(11), "client-seed_42", "9007199254740991", "5", "10", "0.000001"],
  ["a nonce that a double does not hold", seed(12), "client-seed_42", "9007199254740993", "0.1", "0.3", "0.05"],
  ["the highest nonce", seed(13), "client-seed_42", "9223372036854775807", "0.3", "0.7", "0.1"],
  ["one cent of the highest price: no roll wins", seed(14), "client-seed_42", "1", "0.01", "1000000000", "0.05"],
  // Doubles give one less in the three above with 0.69, 0.44 and 0.57, and one more in this one.
  ["a hair below a whole threshold", seed(15), "client-seed_42", "1", "70938210.51", "999999999.77", "0.05"],
  ["another seed than the one committed to", seed(16), "client-seed_42", "1", "1.00", "2.00", "0.05", sha256(seed(17))],
].map(spin);

const CERTAIN = TICKET_RANGE;
const DESERT = contentOf("desert-case", 211, [
  ["★ Curved Knife | Night Sky (Factory New)", 45_000, 2_000_000_000_000_000n],
  ["AK-47 | Copper Tide (Field-Tested)", 1_240, 79_920_000_000_000_000n],
  ["P90 | Grey Dune (Well-Worn)", 12, 918_080_000_000_000_000n],
]);
// Three percentages that an import left out.
const KITCHEN = contentOf("kitchen", 500, [
  ["Kettle", 2_500, 333_333_333_333_333_333n],
  ["Cup", 150, 333_333_333_333_333_333n],
  ["Spoon", 0, 333_333_333_333_333_334n],
]);
// What JSON escapes, and what it must not: / < DEL, a line separator, letters of other scripts, a surrogate pair.
const STRANGE = contentOf("ω/“q”", 0, [
  ['"\\\b\f\n\r\t\u0000\u0001\u001f', 1, 1n],
  ["</script>\u007f\u0080\u2028\u2029 é e\u0301 \u{1f3b2} \ufeff", 99_999_999_999, CERTAIN - 1n],
]);

const played = { game: "case", serverSeed: seed(20), clientSeed: "client-seed_42", nonce: "7" };
const { ticket: TICKET } = ticketOf(played);
// Found among the first 1,500,000 seeds with the client seed "abcd" and the nonce 1.
const LOWEST_TICKET = seed(722_021);
const HIGHEST_TICKET = seed(981_303);

/** A case whose first item has this width. */
const first = (width) => contentOf("edge", 1, [["first", 200, width], ["second", 100, CERTAIN - width]]);

const openings = [
  { why: "a case", content: DESERT },
  { why: "the next nonce", content: DESERT, nonce: "8" },
  { why: "the same seeds in a case of real-life items", game: "irl", content: DESERT },
  { why: "percentages that an import left out", game: "irl", content: KITCHEN },
  { why: "names with everything that JSON escapes or does not", content: STRANGE },
  { why: "a ticket one above the width wins the second item", content: first(TICKET - 1n) },
  { why: "a ticket equal to the width wins the second item", content: first(TICKET) },
  { why: "a ticket one below the width wins the first item", content: first(TICKET + 1n) },
  { why: "an item of width 0 is never won", content: first(0n) },
  { why: "an item that is certain", content: first(CERTAIN) },
  { why: "the lowest ticket, with an item of one ticket in 100,000", serverSeed: LOWEST_TICKET, clientSeed: "abcd", nonce: "1", content: first(CERTAIN / 100_000n) },
  { why: "the highest ticket", serverSeed: HIGHEST_TICKET, clientSeed: "abcd", nonce: "1", content: first(CERTAIN - CERTAIN / 100_000n) },
  { why: "a seed of zeros", serverSeed: ZEROS, clientSeed: "0000", nonce: "1", content: DESERT },
  { why: "a seed of fs", game: "irl", serverSeed: FS, clientSeed: "ffff", nonce: "1", content: KITCHEN },
  { why: "every character of a client seed", clientSeed: ALL_CHARACTERS, content: KITCHEN },
  { why: "a nonce that a double does not hold", nonce: "9007199254740993", content: KITCHEN },
  { why: "the highest nonce", game: "irl", nonce: "9223372036854775807", content: KITCHEN },
  { why: "another seed than the one committed to", committed: seed(21), content: DESERT },
  { why: "another case than the one that was shown", content: DESERT, shown: KITCHEN },
].map((changes) => opening({ ...played, ...changes }));

const valid = { serverSeed: seed(1), clientSeed: "abcd", nonce: "1", betAmount: "1.00", price: "2.00", houseEdge: "0.05" };

const refused = [
  ["a client seed of three characters", { clientSeed: "abc" }],
  ["a client seed of 65 characters", { clientSeed: "a".repeat(65) }],
  ["a colon, which separates client seed and nonce", { clientSeed: "ab:cd" }],
  ["a blank inside", { clientSeed: "ab cd" }],
  ["a letter with an accent", { clientSeed: "\u00e4bcd" }],
  ["a full-width letter", { clientSeed: "abc\uff44" }],
  ["a digit of another script", { clientSeed: "123\u0664" }],
  ["a letter that folds to an ASCII one", { clientSeed: "abc\u212a" }],
  ["another letter that folds to an ASCII one", { clientSeed: "abc\u017f" }],
  ["a character outside the basic plane", { clientSeed: "abc\u{1f3b2}" }],
  ["a server seed of 63 digits", { serverSeed: seed(1).slice(1) }],
  ["a server seed in capitals", { serverSeed: FS.toUpperCase() }],
  ["a server seed with a letter that is no digit", { serverSeed: `g${ZEROS.slice(1)}` }],
  ["a nonce of 0", { nonce: "0" }],
  ["a negative nonce", { nonce: "-1" }],
  ["a nonce above 63 bits", { nonce: "9223372036854775808" }],
  ["a fraction of a nonce", { nonce: "1.5" }],
  ["a wager of 0", { betAmount: "0" }],
  ["a negative wager", { betAmount: "-1" }],
  ["three decimals", { betAmount: "1.005" }],
  ["a wager that equals the price", { betAmount: "2.00" }],
  ["a wager above the price", { betAmount: "2.01" }],
  ["a price above the highest", { price: "1000000000.01" }],
  ["a price that is no number", { price: "ten" }],
  ["a house edge of all", { houseEdge: "1" }],
  ["a negative house edge", { houseEdge: "-0.05" }],
  ["a house edge with seven decimals", { houseEdge: "0.0500001" }],
].map(([why, changed]) => ({ why, input: { ...valid, ...changed } }));

const { input: validOpening } = openings[0];

const refusedOpenings = [
  ["a client seed of three characters", { clientSeed: "abc" }],
  ["a server seed in capitals", { serverSeed: FS.toUpperCase() }],
  ["a nonce of 0", { nonce: "0" }],
  ["an algorithm that does not exist", { algorithm: "case-2" }],
  ["a content that is no JSON", { content: "desert-case" }],
  ["a content that is no object", { content: "[]" }],
  ["null as content", { content: "null" }],
  ["a content without items", { content: '{"id":"a","price":"1"}' }],
  ["no items", { content: '{"id":"a","items":[],"price":"1"}' }],
  ["items that are no list", { content: DESERT.replace(/\[.*\]/, "{}") }],
  ["an item that is null", { content: DESERT.replace("[", "[null,") }],
  ["a blank", { content: DESERT.replace(",", ", ") }],
  ["another order of the keys", { content: JSON.stringify({ price: "211", ...JSON.parse(DESERT) }) }],
  ["another key", { content: DESERT.replace("}]", ',"x":"1"}]') }],
  ["a key twice", { content: DESERT.replace('"price":"211"', '"price":"211","price":"211"') }],
  ["an escaped letter", { content: DESERT.replace("★", "\\u2605") }],
  ["an escaped slash", { content: contentOf("a/b", 1, [["Cup", 1, CERTAIN]]).replace("/", "\\/") }],
  ["a price that is a number", { content: DESERT.replace('"211"', "211") }],
  ["a name that is a number", { content: contentOf("a", 1, [[7, 1, CERTAIN]]) }],
  ["a negative price", { content: DESERT.replace('"211"', '"-211"') }],
  ["a price with a leading zero", { content: DESERT.replace('"211"', '"0211"') }],
  ["a price in digits of another script", { content: DESERT.replace('"211"', '"\u0661"') }],
  ["a price with a blank", { content: DESERT.replace('"211"', '" 211"') }],
  ["widths that sum to less than 10^18", { content: contentOf("a", 1, [["Cup", 1, CERTAIN - 1n]]) }],
  ["widths that sum to more than 10^18", { content: contentOf("a", 1, [["Cup", 1, CERTAIN + 1n]]) }],
  ["a negative width", { content: contentOf("a", 1, [["Cup", 1, -1n], ["Pen", 1, CERTAIN + 1n]]) }],
].map(([why, changed]) => ({ why, input: { ...validOpening, ...changed } }));

// Battles. Each is decided once more here, in the words of its rules, with one team after the other.

const LOCK = sha256("lock entry");
const RANDOMNESS = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd";
const SIZES = {
  "1v1": [1, 1], "1v1v1": [1, 1, 1], "1v1v1v1": [1, 1, 1, 1], "1v1v1v1v1v1": [1, 1, 1, 1, 1, 1],
  "2v2": [2, 2], "3v3": [3, 3], "2v2v2": [2, 2, 2],
};
const DUELS = contentOf("duels", 10_000, [["Gold", 25_001, CERTAIN / 10n], ["Tin", 8_333, 9n * CERTAIN / 10n]]);
const EMPTY = contentOf("empty", 5, [["Air", 0, CERTAIN]]);
const HALVES = contentOf("halves", 101, [["Head", 150, CERTAIN / 2n], ["Tail", 51, CERTAIN / 2n]]);

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

function battle({ why, serverSeed, mode, teams, crazy = false, terminal = false, cases }) {
  const number = (a, b, range) =>
    Number((BigInt(`0x${digestOf(`battle-1:${LOCK}:${RANDOMNESS}:${a}:${b}`, serverSeed)}`) * BigInt(range)) >> 256n);
  const opened = cases.flatMap(({ content, count }) => Array(count).fill(JSON.parse(content)));
  const seats = SIZES[teams].flatMap((size, team) => Array(size).fill(team));
  const drawn = seats.map((_, seat) => opened.map(({ items }, place) => {
    const digest = digestOf(`battle-1:${LOCK}:${RANDOMNESS}:${seat}:${place}`, serverSeed);
    const ticket = (BigInt(`0x${digest}`) * TICKET_RANGE) >> 256n;
    let end = 0n;
    const { name, price } = items.find(({ width }) => ticket < (end += BigInt(width)));
    return { item: name, price: Number(price), ticket: String(ticket) };
  }));
  const counted = drawn.map((items) => sumOf((terminal ? items.slice(-1) : items).map(({ price }) => price)));
  const values = SIZES[teams].map((_, team) => sumOf(counted.filter((_value, seat) => seats[seat] === team)));
  let [tie, winners] = [null, values.map((_, team) => team)];
  if (mode === "normal") {
    const best = crazy ? Math.min(...values) : Math.max(...values);
    winners = winners.filter((team) => values[team] === best);
    if (winners.length > 1) [tie, winners] = [winners, [winners[number("tie", 0, winners.length)]]];
  } else if (mode === "jackpot") {
    const whole = sumOf(values);
    const weights = whole ? values.map((value) => (crazy ? whole - value : value)) : values.map(() => 1);
    let left = number("jackpot", 0, sumOf(weights));
    let team = 0;
    while (left >= weights[team]) left -= weights[team++];
    winners = [team];
  }
  const pot = sumOf(drawn.flat().map(({ price }) => price));
  const paid = seats.flatMap((team, seat) => (winners.includes(team) ? [seat] : []));
  const payouts = seats.map(() => 0);
  for (const seat of paid) payouts[seat] = Math.floor(pot / paid.length);
  let next = number("rest", 0, paid.length);
  for (let rest = pot % paid.length; rest; rest--, next = (next + 1) % paid.length) payouts[paid[next]] += 1;
  return {
    why,
    input: { serverSeed, lockHash: LOCK, randomness: RANDOMNESS, mode, teams, crazy, terminal, cases },
    output: { drawn, values, tie, winners, payouts },
  };
}

/** The first battle of the seeds from 100 on whose output is like this. */
function battleWith(isLike, changes) {
  for (let number = 100; ; number++) {
    const made = battle({ ...changes, serverSeed: seed(number) });
    if (isLike(made.output)) return made;
  }
}

const once = (content) => [{ content, count: 1 }];
const SEVERAL = [{ content: DESERT, count: 2 }, { content: HALVES, count: 3 }, { content: DUELS, count: 1 }];
const any = () => true;
const isTie = ({ tie }) => tie !== null;
const rest = ({ payouts }) => new Set(payouts.filter(Boolean)).size === 2;

const battles = [
  [any, { why: "one against one, several cases with counts", mode: "normal", teams: "1v1", cases: SEVERAL }],
  [isTie, { why: "a tie of two", mode: "normal", teams: "1v1", cases: once(HALVES) }],
  [({ tie }) => tie?.length === 3, { why: "a tie of three of four", mode: "normal", teams: "1v1v1v1", cases: once(HALVES) }],
  [({ tie, winners }) => tie && winners[0] === tie.at(-1), { why: "a tie that the last one wins", mode: "normal", teams: "1v1v1", cases: once(DUELS) }],
  [any, { why: "crazy: the lowest value wins", mode: "normal", teams: "1v1v1", crazy: true, cases: SEVERAL }],
  [isTie, { why: "crazy, with a tie", mode: "normal", teams: "1v1v1v1", crazy: true, cases: once(DUELS) }],
  [({ values }) => values[0] > values[1], { why: "terminal: the last case counts", mode: "normal", teams: "1v1", terminal: true, cases: SEVERAL }],
  [isTie, { why: "crazy and terminal, with a tie", mode: "normal", teams: "1v1v1v1v1v1", crazy: true, terminal: true, cases: SEVERAL }],
  [rest, { why: "two against two, with a left-over cent", mode: "normal", teams: "2v2", cases: [{ content: HALVES, count: 2 }, { content: DUELS, count: 1 }] }],
  [rest, { why: "three against three, with left-over cents", mode: "normal", teams: "3v3", cases: SEVERAL }],
  [any, { why: "three teams of two", mode: "normal", teams: "2v2v2", crazy: true, terminal: true, cases: SEVERAL }],
  [({ values, winners }) => values[winners[0]] < Math.max(...values), { why: "a jackpot that the highest value does not win", mode: "jackpot", teams: "1v1v1", cases: SEVERAL }],
  [any, { why: "a crazy jackpot", mode: "jackpot", teams: "1v1v1v1", crazy: true, cases: SEVERAL }],
  [any, { why: "a terminal jackpot of teams", mode: "jackpot", teams: "2v2", terminal: true, cases: SEVERAL }],
  [({ winners }) => winners[0] === 1, { why: "a jackpot in which all values are 0", mode: "jackpot", teams: "1v1", cases: once(EMPTY) }],
  [any, { why: "a crazy jackpot in which all values are 0", mode: "jackpot", teams: "2v2v2", crazy: true, cases: [{ content: EMPTY, count: 2 }] }],
  [any, { why: "a terminal jackpot whose last case is worth nothing", mode: "jackpot", teams: "1v1", terminal: true, cases: [...once(HALVES), ...once(EMPTY)] }],
  [rest, { why: "shared, with left-over cents", mode: "shared", teams: "1v1v1v1v1v1", cases: SEVERAL }],
  [any, { why: "shared by two", mode: "shared", teams: "1v1", cases: once(STRANGE) }],
  [any, { why: "fifty cases", mode: "normal", teams: "1v1", cases: [{ content: DESERT, count: 50 }] }],
].map(([isLike, changes]) => battleWith(isLike, changes));

const refusedBattles = [
  ["a mode that does not exist", { mode: "boxing" }],
  ["teams that do not exist", { teams: "2v1" }],
  ["shared by teams", { mode: "shared", teams: "2v2" }],
  ["shared and crazy", { mode: "shared", crazy: true }],
  ["shared and terminal", { mode: "shared", terminal: true }],
  ["a server seed in capitals", { serverSeed: FS.toUpperCase() }],
  ["a lock hash that is too short", { lockHash: "00" }],
  ["a randomness that is no hash", { randomness: "drand" }],
  ["no cases", { cases: [] }],
].map(([why, changed]) => ({ why, input: { ...battles[0].input, ...changed } }));

const description =
  "Golden vectors of the provably fair algorithms `upgrader-1`, `case-1`, `irl-1` and `battle-1`, for an implementation in any language. All input of bets is text, as " +
  "a person would type it. committed: serverSeedCommitment = sha256(serverSeed as text). " +
  "digest = HMAC-SHA256(key = serverSeed as text, message = '<clientSeed>:<nonce>:0'). " +
  "roll = (digest as a big-endian 256-bit integer) * 10000000 >> 256. " +
  "threshold = floor(10000000 * (1 - houseEdge) * betAmount / price), in exact integers. win: roll < threshold. " +
  "percent = roll / 100000, chance = threshold / 100000. Input under `refused` is not valid. " +
  "openings: digest = HMAC-SHA256(key = serverSeed as text, message = '<game>:<clientSeed>:<nonce>:0'), where game is " +
  "case or irl. ticket = (digest as a big-endian 256-bit integer) * 10^18 >> 256. percent = the ticket's, rounded down " +
  "to 5 decimals. content is the canonical JSON of the case: prices in cents, widths in tickets; keys sorted, no blanks, " +
  "and only what JSON must escape is escaped. output.snapshot = sha256(content in UTF-8). shown: it equals " +
  "input.snapshot. item: the first whose range ends above the ticket; amount: its price in coins. " +
  "Input under `refusedOpenings` is not valid. " +
  "battles: digest(a, b) = HMAC-SHA256(key = serverSeed as text, message = 'battle-1:<lockHash>:<randomness>:<a>:<b>'), " +
  "below(a, b, n) = digest(a, b) * n >> 256. Teams, seats and cases are numbered from 0; a case of count 2 is two cases. " +
  "The ticket of a seat in a case is below(seat, case, 10^18). A tie is won by below('tie', 0, teams in it), a jackpot by the " +
  "first team whose cumulated weight is above below('jackpot', 0, their sum). Left-over cents go to winning seats from " +
  "number below('rest', 0, winning seats) on. Prices, values and payouts are in cents. Input under `refusedBattles` is not valid. " +
  "Made by tests/js/make_vectors.mjs.";

console.log(JSON.stringify({ description, spins, openings, refused, refusedOpenings, battles, refusedBattles }, null, 2));
