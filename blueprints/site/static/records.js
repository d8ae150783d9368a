// How a bet of each game is read from the server, verified, and described in the list of bets.

import { getJson } from "./api.js";
import { loadSnapshot } from "./case-content.js";
import { verifyAddress } from "./fairness.js";
import { imageOf } from "./item-names.js";
import { centsOfCoins, centsOfPrice, coins, format, plain } from "./money.js";
import { percentOf, verifySpin } from "./rolls.js";
import { percentOfTicket, verifyOpening } from "./tickets.js";

const SPIN = {
  noun: "Spin",
  gives: "this roll",

  /** What a player is shown of a spin, from `GET /bets/:id`. */
  read: async (bet) => ({
    image: await imageOf(bet.item).catch(() => undefined),
    wagerCents: centsOfCoins(bet.betAmount),
    priceCents: centsOfPrice(bet.price),
    edge: bet.houseEdge,
    percent: percentOf(bet.roll),
    threshold: bet.threshold,
  }),

  verify: verifySpin,

  verifyAddress: (proof, { wagerCents, priceCents, edge }) =>
    verifyAddress(proof, { betAmount: plain(wagerCents), price: plain(priceCents), houseEdge: edge }),

  amount: ({ won, priceCents, wagerCents }) => (won ? coins(priceCents, "+") : coins(wagerCents, "−")),

  summary: ({ percent, threshold }) =>
    `rolled ${percent.toFixed(2)} %, wins below ${percentOf(threshold).toFixed(2)} %`,
};

const OPENING = {
  noun: "Opening",
  gives: "this ticket",

  /** What a player is shown of an opening, from `GET /bets/:id`. */
  read: async (bet) => ({
    image: bet.game === "case" ? await imageOf(bet.item).catch(() => undefined) : undefined,
    name: bet.case,
    wagerCents: centsOfCoins(bet.betAmount),
    payoutCents: centsOfCoins(bet.payout),
    ticket: bet.ticket,
    snapshot: { hash: bet.snapshot, text: await loadSnapshot(bet.snapshot) },
  }),

  verify: verifyOpening,

  verifyAddress: (proof, { game, snapshot }) =>
    verifyAddress(proof, { algorithm: `${game}-1`, snapshot: snapshot.hash, content: snapshot.text }),

  amount: ({ payoutCents }) => coins(payoutCents, "+"),

  summary: ({ name, wagerCents, ticket }) => {
    const price = wagerCents ? `for ${format(wagerCents)} coins` : "for free";
    return `${name} ${price} · ticket ${percentOfTicket(BigInt(ticket)).toFixed(2)} %`;
  },
};

export const RECORDS = { upgrader: SPIN, case: OPENING, irl: OPENING };

/** What a player is shown of a bet, as `GET /bets/:id` has stored it. */
export async function readBet(id) {
  const bet = await getJson(`/bets/${id}`);
  return {
    id,
    game: bet.game,
    item: bet.item,
    won: bet.status === "won",
    commitment: bet.pf.serverSeedCommitment,
    clientSeed: bet.pf.clientSeed,
    ...(await RECORDS[bet.game].read(bet)),
    stored: true,
  };
}
