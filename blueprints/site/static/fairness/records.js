// How a bet of each game is read from the server, verified, and described in the list of bets.

import { getJson } from "../api.js";
import { describeCase, loadSnapshot } from "../game/case-content.js";
import { imageOf } from "../game/items.js";
import { centsOfCoins, centsOfPrice, plain } from "../money.js";
import { percentOf, rollOf, spinMessage, thresholdOf, verifySpin } from "./rolls.js";
import { verifyAddress } from "./seeds.js";
import { openingMessage, percentOfTicket, readSnapshot, ticketOf, verifyOpening, winnerOf } from "./tickets.js";

const termsOf = ({ request, terms }) => ({
  edge: terms.houseEdge,
  wagerCents: centsOfCoins(request.amount),
  priceCents: centsOfCoins(request.price),
});

export const thresholdSent = (attempt) => thresholdOf(termsOf(attempt));

// Of both: `messageOf(attempt)` is the message whose HMAC decides an attempt, and `wins` whether it wins with a digest.
// `shown(attempt)` is what the player was shown of an attempt that was settled, and `read` the same of `GET /bets/:id`.

const SPIN = {
  noun: "Spin",
  gives: "this roll",
  winning: "won",
  messageOf: ({ request, nonce }) => spinMessage({ ...request, nonce }),
  wins: (attempt, digest) => rollOf(digest) < thresholdSent(attempt),

  shown: (attempt) => ({
    ...termsOf(attempt),
    item: attempt.request.item,
    image: attempt.display.image,
    percent: attempt.pf.percent,
    threshold: thresholdSent(attempt),
  }),

  read: async (bet) => ({
    image: await imageOf(bet.item).catch(() => undefined),
    priceCents: centsOfPrice(bet.price),
    edge: bet.houseEdge,
    percent: percentOf(bet.roll),
    threshold: bet.threshold,
  }),

  verify: verifySpin,

  verifyAddress: (proof, { wagerCents, priceCents, edge }) =>
    verifyAddress(proof, { betAmount: plain(wagerCents), price: plain(priceCents), houseEdge: edge }),

  summary: ({ percent, threshold }) =>
    `rolled ${percent.toFixed(2)} %, wins below ${percentOf(threshold).toFixed(2)} %`,
};

const OPENING = {
  noun: "Opening",
  gives: "this ticket",
  winning: "paid more than its price",
  messageOf: ({ game, request, nonce }) => openingMessage(game, { ...request, nonce }),

  wins: ({ request, terms }, digest) => {
    const { items } = readSnapshot(terms.content);
    return items[winnerOf(ticketOf(digest), items).position].priceCents > centsOfCoins(request.price);
  },

  shown: ({ request, terms, display, pf, answer: { result } }) => {
    const { items } = readSnapshot(terms.content);
    return {
      item: result.item,
      name: display.name,
      image: display.images[winnerOf(BigInt(pf.ticket), items).position],
      snapshot: { hash: request.snapshot, text: terms.content },
      ticket: pf.ticket,
    };
  },

  read: async (bet) => ({
    ...(await describe(bet)),
    ticket: bet.ticket,
    snapshot: { hash: bet.snapshot, text: await loadSnapshot(bet.snapshot) },
  }),

  verify: verifyOpening,

  verifyAddress: (proof, { game, snapshot }) =>
    verifyAddress(proof, { algorithm: `${game}-1`, snapshot: snapshot.hash, content: snapshot.text }),

  summary: ({ name, ticket }) => `${name} · ticket ${percentOfTicket(BigInt(ticket)).toFixed(2)} %`,
};

export const RECORDS = { upgrader: SPIN, case: OPENING, irl: OPENING };

/** The `name` and `image` of an opening: those that its case has now, or the case's id and the item's own image. */
async function describe({ game, case: id, item }) {
  try {
    const { name, images } = await describeCase(game, id);
    return { name, image: images.get(item) };
  } catch {
    return { name: id, image: game === "case" ? await imageOf(item).catch(() => undefined) : undefined };
  }
}

/** What a player was shown of an attempt that was settled, for its proof. */
export const readAttempt = (attempt) => ({
  ...RECORDS[attempt.game].shown(attempt),
  wagerCents: attempt.costCents,
  payoutCents: centsOfCoins(attempt.answer.result.amount),
  won: attempt.answer.result.success,
  commitment: attempt.request.serverSeedCommitment,
  clientSeed: attempt.request.clientSeed,
  nonce: attempt.nonce,
  seedIsSecret: attempt.seedIsSecret,
});

/** What a player is shown of a bet, as `GET /bets/:id` has stored it. */
export async function readBet(id) {
  const bet = await getJson(`/bets/${id}`);
  return {
    id,
    game: bet.game,
    item: bet.item,
    won: bet.status === "won",
    wagerCents: centsOfCoins(bet.betAmount),
    payoutCents: centsOfCoins(bet.payout),
    commitment: bet.pf.serverSeedCommitment,
    clientSeed: bet.pf.clientSeed,
    nonce: bet.pf.nonce,
    pf: bet.pf,
    ...(await RECORDS[bet.game].read(bet)),
    stored: true,
  };
}
