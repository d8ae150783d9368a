// The battles that are listed, as they change.

import { getJson } from "../api.js";
import { readShort } from "./terms.js";

const PAGE_SIZE = 50;

export const SHOWN = { open: ["open"], running: ["locked"], finished: ["settled", "void"] };

/** Load a page of the battles in a state (open, running or finished) that the filters leave: see `isWanted`. */
export async function loadBattles(which, wanted, page, signal) {
  const asked = new URLSearchParams({ state: which, ...wanted, page, limit: PAGE_SIZE });
  const { battles, pagination } = await getJson(`/battles?${asked}`, { signal });
  return { which, page, battles: battles.map(readShort), pages: pagination.totalPages };
}

/** The same page with a battle that has changed, in short form. A new one is only put on the first page. */
export function withChange(shown, sent) {
  const battle = readShort(sent);
  const place = shown.battles.findIndex(({ id }) => id === battle.id);
  const isThere = place >= 0;
  if (isThere && shown.battles[place].version >= battle.version) return shown;
  if (!SHOWN[shown.which].includes(battle.state)) {
    return isThere ? { ...shown, battles: shown.battles.filter(({ id }) => id !== battle.id) } : shown;
  }
  if (isThere) return { ...shown, battles: shown.battles.with(place, battle) };
  return shown.page === 1 ? { ...shown, battles: [battle, ...shown.battles] } : shown;
}

/** Whether a battle is one of those that the filters leave: `mode` or "all", and the cost of a seat in coins. */
export const isWanted = ({ mode, costCents }, wanted) =>
  ["all", mode].includes(wanted.mode)
  && costCents >= (wanted.minPrice ?? 0) * 100 && costCents <= (wanted.maxPrice ?? Infinity) * 100;
