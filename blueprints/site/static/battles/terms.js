// What a battle is, in words and numbers: its modes and teams, and the objects of the server as the page uses them.

import { centsOfCoins, centsOfPrice } from "../format.js";

export const MODES = { normal: "Normal", jackpot: "Jackpot", shared: "Shared" };

export const BOT = "Bot";

/** How many seats each team has: `[2, 2]` of "2v2", and `[1, 1, 1]` of "1v1v1". */
export const teamSizes = (teams) => teams.split("v").map(Number);

export const seatCount = (teams) => teamSizes(teams).reduce((sum, size) => sum + size, 0);

/** The team of each seat. The seats of a team follow each other. */
export const teamOfSeats = (teams) => teamSizes(teams).flatMap((size, team) => Array(size).fill(team));

export const isDuel = (teams) => teamSizes(teams).every((size) => size === 1);

/** Who gets the pot, in a sentence. */
export function whoWins({ mode, crazy, terminal, teams }) {
  if (mode === "shared") return "All seats get the same.";
  const side = isDuel(teams) ? "player" : "team";
  const what = terminal ? "in the last case" : "in all cases";
  if (mode === "jackpot") {
    return `One ${side} is drawn for everything: the ${crazy ? "less" : "more"} it has drawn ${what}, the likelier.`;
  }
  return `The ${side} that has drawn the ${crazy ? "least" : "most"} ${what} gets everything.`;
}

/** The names of a mode and of its variants: ["Normal", "Crazy"]. */
export const modeNames = ({ mode, crazy, terminal }) =>
  [MODES[mode] ?? mode, crazy ? "Crazy" : "", terminal ? "Terminal" : ""].filter(Boolean);

export const addressOfBattle = (id) => `/battles/${encodeURIComponent(id)}`;

const centsOf = (amount) => (typeof amount === "string" ? centsOfPrice(amount) : centsOfCoins(amount));

/** A battle of a list, which the server sends in short form. */
export const readShort = ({ cost, ...battle }) => ({ ...battle, costCents: centsOf(cost) });

/** A battle as the server sends it, with all amounts in cents: `priceCents`, `valuesCents` and so on. */
export function readBattle({ cost, cases, drawn, values, payouts, ...battle }) {
  return {
    ...battle,
    costCents: centsOf(cost),
    cases: cases.map(({ price, ...each }) => ({ ...each, priceCents: centsOf(price) })),
    drawn: drawn?.map((items) => items.map(({ price, ...each }) => ({ ...each, priceCents: centsOf(price) }))) ?? null,
    valuesCents: values?.map(centsOf) ?? null,
    payoutsCents: payouts?.map(centsOf) ?? null,
  };
}

/** Who sits on a seat, as the page names them; "" while nobody does. */
export const seatName = ({ seat, bot, player }) => (bot ? `${BOT} ${seat + 1}` : player?.username ?? "");

/** What a team is called: its player, or its number. */
export function teamName(battle, team) {
  if (!isDuel(battle.teams)) return `Team ${team + 1}`;
  const alone = battle.seats.find((seat) => seat.team === team);
  return (alone && seatName(alone)) || `Seat ${team + 1}`;
}

/** Names in a sentence: "alice, bob and carol". */
export const listed = (names) =>
  (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** The first of each of some cases that follow each other several times, with its `count`. */
export function counted(cases) {
  const groups = [];
  for (const each of cases) {
    if (groups.at(-1)?.id === each.id) groups.at(-1).count += 1;
    else groups.push({ ...each, count: 1 });
  }
  return groups;
}
