// How the drawing of a battle moves: one step for each case, one for a draw among teams, and the time of each. All is
// computed from the battle, so every spectator sees the same reels.

import { winnerOf } from "../fairness/rolls.js";
import { teamOfSeats } from "./terms.js";

const PASSING = 34; // cells between the first and the last stop
// Cells on each side of a stop, more than a reel of a seat, or that of a draw, shows.
const [BESIDE, BESIDE_DRAW] = [4, 8];
const EDGE = 0.06; // of a cell, where the marker never stops: it would seem to point at both cells
const FAST = 0.25; // of the usual time
const REST = 0.25; // of the time of a turn, to see what was drawn

/** How long the reels turn and rest, in milliseconds; `turnSeconds` is the usual time of a turn. */
export function paceOf(turnSeconds, isFast) {
  const turnMs = turnSeconds * 1_000 * (isFast ? FAST : 1);
  return { turnMs, restMs: turnMs * REST };
}

/** Random numbers from 0 to 1 that follow from a text: mulberry32, whose state begins as a hash of it (FNV-1a). */
export function randomFrom(text) {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the items, each with its `chance`. */
function pick(items, random) {
  let left = random();
  return items.find(({ chance }) => (left -= chance) < 0) ?? items.at(-1);
}

const pickMany = (items, count, random) => Array.from({ length: count }, () => pick(items, random));

/** A strip that turns from the middle of the `seen` cells to an item. It stops `within` the cell of that (0 to 1). */
function stripTo(item, within, { seen, items, random }) {
  const stop = seen.length + PASSING;
  const beside = (seen.length - 1) / 2;
  const cells = [...seen, ...pickMany(items, PASSING, random), item, ...pickMany(items, beside, random)];
  return { cells, stop, from: beside + 0.5, to: stop + EDGE + within * (1 - 2 * EDGE) };
}

/** The cells around the place where a strip has stopped. */
const seenOf = ({ cells, stop }) => cells.slice(stop - BESIDE, stop + BESIDE + 1);

/** Where a ticket points: the item and the place within its range, from the content of the case if it is known. */
function placeOf({ item, priceCents, ticket }, items) {
  if (items.every(({ width }) => width !== null)) {
    const { position, within } = winnerOf(BigInt(ticket), items);
    // What the server names is shown. The verification says so if the ticket gives another item.
    if (items[position].name === item) return { cell: items[position], within };
  }
  const cell = items.find(({ name }) => name === item) ?? { name: item, priceCents, chance: 0 };
  return { cell, within: 0.5 };
}

/**
 * The strips of a settled battle: for each case, one for each seat. `itemsOf(hash)` are the items of a snapshot, each
 * `{ name, image, priceCents, width, chance }`.
 */
export function stripsOf(battle, itemsOf) {
  const random = battle.drawn.map((_, seat) => randomFrom(`${battle.randomness}:${seat}`));
  const last = [];
  return battle.cases.map(({ snapshot }, place) => battle.drawn.map((drawn, seat) => {
    const items = itemsOf(snapshot);
    const { cell, within } = placeOf(drawn[place], items);
    const seen = last[seat] ? seenOf(last[seat]) : pickMany(items, 2 * BESIDE + 1, random[seat]);
    last[seat] = stripTo(cell, within, { seen, items, random: random[seat] });
    return last[seat];
  }));
}

/** The teams among which the winner is drawn, each with its `chance` (0 to 1); null when nothing is drawn. */
export function drawOf({ mode, crazy, tie, valuesCents }) {
  if (tie) return tie.map((team) => ({ team, chance: 1 / tie.length }));
  if (mode !== "jackpot") return null;
  return shares(valuesCents, crazy).map((chance, team) => ({ team, chance }));
}

/** The chance of each team in a jackpot, from what counts of them. */
export function shares(values, isCrazy) {
  const sum = values.reduce((total, value) => total + value, 0);
  const weights = isCrazy ? values.map((value) => sum - value) : values;
  const all = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (all ? weight / all : 1 / weights.length));
}

/** The strip of the draw among teams; null without one. */
export function drawStrip(battle) {
  const teams = drawOf(battle);
  if (!teams) return null;
  const random = randomFrom(`${battle.randomness}:draw`);
  const winner = teams.find(({ team }) => team === battle.winners[0]);
  const seen = pickMany(teams, 2 * BESIDE_DRAW + 1, random);
  return stripTo(winner, 0.1 + 0.8 * random(), { seen, items: teams, random });
}

/** How long all of it takes, in milliseconds. */
export const lengthOf = (battle, pace) =>
  (battle.cases.length + (drawOf(battle) ? 1 : 0)) * (pace.turnMs + pace.restMs);

/**
 * Where it is `elapsedMs` after it began: `step` is the case, from 0, then the draw if there is one, then the end;
 * `shown` how many cases have stopped, and `nextMs` when something changes again.
 */
export function placeAt(battle, elapsedMs, { turnMs, restMs }) {
  const stepMs = turnMs + restMs;
  const count = battle.cases.length + (drawOf(battle) ? 1 : 0);
  const step = stepMs > 0 ? Math.min(Math.floor(elapsedMs / stepMs), count) : count;
  const isOver = step === count;
  const isTurning = !isOver && elapsedMs - step * stepMs < turnMs;
  const shown = Math.min(battle.cases.length, step + (isOver || isTurning ? 0 : 1));
  const isDraw = step === battle.cases.length && !isOver;
  const nextMs = isOver ? null : step * stepMs + (isTurning ? turnMs : stepMs);
  return { step, isOver, isTurning, isDraw, shown, nextMs };
}

/** What counts of each team after so many cases, in cents. */
export function valuesAfter(battle, shown) {
  const values = Array(Math.max(...teamOfSeats(battle.teams)) + 1).fill(0);
  const first = battle.terminal ? battle.cases.length - 1 : 0;
  for (const [seat, team] of teamOfSeats(battle.teams).entries()) {
    for (const { priceCents } of battle.drawn[seat].slice(first, shown)) values[team] += priceCents;
  }
  return values;
}

/** The teams that would win with these values, for modes in which the values alone decide. */
export function leading({ mode, crazy }, values) {
  if (mode !== "normal" || new Set(values).size === 1) return [];
  const best = crazy ? Math.min(...values) : Math.max(...values);
  return values.flatMap((value, team) => (value === best ? [team] : []));
}
