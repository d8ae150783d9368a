// How a bet of each game is read from the server, verified, and described in the list of bets.

import { getJson } from "../api.js";
import { centsOfCoins, centsOfPrice, plain } from "../format.js";
import { describeCase, loadSnapshot } from "../game/case-content.js";
import { imageOf } from "../game/items.js";
import {
  digestOf, percentOf, percentOfTicket, readSnapshot, rollOf, sha256, thresholdOf, ticketOf, winnerOf,
} from "./rolls.js";

const termsOf = ({ request, terms }) => ({
  edge: terms.houseEdge,
  wagerCents: centsOfCoins(request.amount),
  priceCents: centsOfCoins(request.price),
});

export const thresholdSent = (attempt) => thresholdOf(termsOf(attempt));

// Of both: `wins` is whether an attempt wins with a digest, `shown(attempt)` what the player was shown of one that was
// settled, and `read` the same of `GET /bets/:id`. `check(proof, shown, digest)` compares what the digest gives with
// what was shown: its `result` as a pair of texts, and `checks`, each `{ text, passed }`.

const SPIN = {
  noun: "Spin",
  gives: "this roll",
  winning: "won",
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

  check(_proof, { percent, threshold, won }, digest) {
    const roll = rollOf(digest);
    return {
      result: ["Roll", `${roll} = ${percentOf(roll).toFixed(5)} %`],
      checks: [
        { text: "The seeds give the roll that was shown", passed: percentOf(roll) === percent },
        { text: "The roll gives the outcome that was shown", passed: roll < threshold === won },
      ],
    };
  },

  verifyAddress: (proof, { wagerCents, priceCents, edge }) =>
    verifyAddress(proof, { betAmount: plain(wagerCents), price: plain(priceCents), houseEdge: edge }),

  summary: ({ percent, threshold }) =>
    `rolled ${percent.toFixed(2)} %, wins below ${percentOf(threshold).toFixed(2)} %`,
};

/** The item that a ticket wins, with the content of the case as text. */
function itemOf(ticket, content) {
  const { items } = readSnapshot(content);
  return items[winnerOf(ticket, items).position];
}

const OPENING = {
  noun: "Opening",
  gives: "this ticket",
  winning: "paid more than its price",

  wins: ({ request, terms }, digest) =>
    itemOf(ticketOf(digest), terms.content).priceCents > centsOfCoins(request.price),

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

  async check({ snapshot }, { snapshot: { hash, text }, ...shown }, digest) {
    const ticket = ticketOf(digest);
    const isCase = snapshot === hash && (await sha256(text)) === hash;
    const won = isCase ? itemOf(ticket, text) : null;
    return {
      result: ["Ticket", `${ticket} = ${percentOfTicket(ticket).toFixed(5)} %`],
      checks: [
        { text: "The case is the one that was shown", passed: isCase },
        { text: "The seeds give the ticket that was shown", passed: ticket === BigInt(shown.ticket) },
        {
          text: "The ticket gives the item that was shown",
          passed: won?.name === shown.item && won.priceCents === shown.payoutCents,
        },
      ],
    };
  },

  verifyAddress: (proof, { game, snapshot }) =>
    verifyAddress(proof, { algorithm: `${game}-1`, snapshot: snapshot.hash, content: snapshot.text }),

  summary: ({ name, ticket }) => `${name} · ticket ${percentOfTicket(BigInt(ticket)).toFixed(2)} %`,
};

export const RECORDS = { upgrader: SPIN, case: OPENING, irl: OPENING };

/**
 * Compare the proof of a bet with what the player was shown of it. Resolves with the recomputed `digest`, and `result`
 * and `checks` as above.
 */
export async function verifyProof(proof, shown) {
  const digest = await digestOf({ ...proof, game: shown.game });
  const isCommitted = (await sha256(proof.serverSeed)) === shown.commitment;
  const { result, checks } = await RECORDS[shown.game].check(proof, shown, digest);
  return {
    digest,
    result,
    checks: [
      { text: "The server seed is the one that was committed to", passed: isCommitted },
      { text: "The client seed is the one that was sent", passed: proof.clientSeed === shown.clientSeed },
      { text: "The nonce is the one that was announced", passed: proof.nonce === shown.nonce },
      ...checks,
    ],
  };
}

/** The page that recomputes a bet without this server's help, with the values of its proof and its game. */
function verifyAddress({ serverSeedCommitment, serverSeed, clientSeed, nonce }, values) {
  const all = { serverSeedCommitment, serverSeed, clientSeed, nonce, ...values };
  // A fragment stays in the browser; a query would be sent to the server, and be logged.
  return `/verify#${new URLSearchParams(all)}`;
}

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
