// The ticket of an opening of a case, recomputed in the browser, and the snapshots of cases.
//
//   message  = "<game>:<client seed>:<nonce>:0", the game being case or irl
//   ticket   = digest as a big-endian number * 10^18 >> 256
//
// A snapshot is the content of a case as text, named by its SHA-256. It gives each item a width, and the widths sum
// to 10^18. The items follow each other in its order: the one whose range holds the ticket is won.

import { checkSeeds, digestOf, sha256 } from "./seeds.js";

const TICKET_RANGE = 10n ** 18n;
const TICKETS_PER_PERCENT = TICKET_RANGE / 100n;
const DECIMALS = 100_000n; // of a percentage

// The names of the style sheet for the items' colours, with the chance in percent that each begins below.
const RARITIES = [["legendary", 1], ["epic", 5], ["rare", 15], ["uncommon", 40], ["common", Infinity]];

/** The content of a snapshot's text: `priceCents` and items `{ name, priceCents, width }`, the width a BigInt. */
export function readSnapshot(text) {
  const { price, items } = JSON.parse(text);
  return {
    priceCents: Number(price),
    items: items.map((item) => ({ name: item.name, priceCents: Number(item.price), width: BigInt(item.width) })),
  };
}

/** The message whose HMAC decides an opening. */
export const openingMessage = (game, { clientSeed, nonce }) => `${game}:${clientSeed}:${nonce}:0`;

/** The ticket of a digest: a BigInt from 0 to 10^18 - 1. */
export const ticketOf = (digest) => (BigInt(`0x${digest}`) * TICKET_RANGE) >> 256n;

/** The item that wins with this ticket: its `position`, and `within`, the place of the ticket in its range (0 to 1). */
export function winnerOf(ticket, items) {
  let start = 0n;
  for (const [position, { width }] of items.entries()) {
    if (ticket < start + width) return { position, within: Number(ticket - start) / Number(width) };
    start += width;
  }
  throw new RangeError("The widths of a case sum to 10^18.");
}

/** A ticket in percent, rounded down to five decimals. */
export const percentOfTicket = (ticket) => Number((ticket * DECIMALS) / TICKETS_PER_PERCENT) / Number(DECIMALS);

export const chanceOf = (width) => Number(width) / Number(TICKETS_PER_PERCENT);
export const rarityOf = (width) => RARITIES.find(([, below]) => chanceOf(width) < below)[0];

/**
 * Compare the proof of an opening with what the player was shown: game, commitment, clientSeed, nonce, snapshot (its
 * hash and text), ticket, item, payoutCents. Returns what verifySpin returns.
 */
export async function verifyOpening(proof, shown) {
  const digest = await digestOf(proof.serverSeed, openingMessage(shown.game, proof));
  const ticket = ticketOf(digest);
  const { hash, text } = shown.snapshot;
  const { items } = readSnapshot(text);
  const won = items[winnerOf(ticket, items).position];
  const isWon = won.name === shown.item && won.priceCents === shown.payoutCents;
  return {
    digest,
    result: ["Ticket", `${ticket} = ${percentOfTicket(ticket).toFixed(5)} %`],
    checks: [
      ...(await checkSeeds(proof, shown)),
      { text: "The case is the one that was shown", passed: proof.snapshot === hash && (await sha256(text)) === hash },
      { text: "The seeds give the ticket that was shown", passed: ticket === BigInt(shown.ticket) },
      { text: "The ticket gives the item that was shown", passed: isWon },
    ],
  };
}
