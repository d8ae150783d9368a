// The chance that teams tie, computed from the contents of the cases. Loaded when it is shown.

import { snapshotText } from "./contents.js";
import { counted } from "./terms.js";

const computed = new Map();

/**
 * The chance of a tie: `{ exact }` or `{ below }`, numbers from 0 to 1; null where there are no ties. The cases are in
 * the order in which they are opened, each with the hash of its `snapshot`.
 */
export function tieChance({ cases, teams, mode, crazy, terminal }) {
  const key = JSON.stringify([cases.map(({ snapshot }) => snapshot), teams, mode, crazy, terminal]);
  if (!computed.has(key)) {
    const computing = compute(counted(cases), { teams, mode, crazy, terminal });
    computed.set(key, computing);
    computing.catch(() => computed.delete(key));
  }
  return computed.get(key);
}

async function compute(groups, terms) {
  const [{ chanceOfTie }, ...contents] = await Promise.all([
    import("../fairness/battle-chances.js"), ...groups.map(({ snapshot }) => snapshotText(snapshot)),
  ]);
  return chanceOfTie(contents.map((content, place) => ({ content, count: groups[place].count })), terms);
}

const inPercent = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });

/** A chance of a tie in words: "2.3 %", "below 0.1 %". */
export function chanceText(chance) {
  if (chance === null) return "none";
  const { exact, below } = chance;
  if (exact === 0) return "none";
  return exact === undefined ? `below ${inPercent.format(below * 100)} %` : `${inPercent.format(exact * 100)} %`;
}

