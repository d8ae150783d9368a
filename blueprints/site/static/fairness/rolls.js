// The provably fair rules of a bet, with WebCrypto alone. services/bets/rolls.py has the same in Python.
//
//   commitment = sha256(server seed as text), hex
//   digest     = HMAC-SHA256(key = server seed as text, message), a big-endian number of 256 bits
//
// A spin of the upgrader:
//
//   message    = "<client seed>:<nonce>:0"
//   roll       = digest * 10,000,000 >> 256
//   threshold  = floor(10,000,000 * (1 - house edge) * wager / price)
//   win        = roll < threshold
//
// An opening of a case, `game` being case or irl:
//
//   message    = "<game>:<client seed>:<nonce>:0"
//   ticket     = digest * 10^18 >> 256
//
// A snapshot is the content of a case as text, named by its SHA-256. It gives each item a width, and the widths sum
// to 10^18. The items follow each other in its order: the one whose range holds the ticket is won.
//
// /verify and verify/verify.mjs contain this module.

const ROLL_RANGE = 10_000_000n;
const ROLLS_PER_PERCENT = 100_000;
const PPM = 1_000_000n;
const TICKET_RANGE = 10n ** 18n;
const TICKETS_PER_ROLL = TICKET_RANGE / ROLL_RANGE;
const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;
const WHOLE_TEXT = /^(0|[1-9][0-9]{0,18})$/;

/** A value that no bet can have, perhaps with the name of its `field`; or a file that is not what it should be. */
export class InvalidValue extends Error {
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/** Throw InvalidValue unless the condition holds. */
export function demand(condition, message, field) {
  if (!condition) throw new InvalidValue(message, field);
}

export const bytesOf = (text) => new TextEncoder().encode(text);
export const hexOf = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Browsers offer WebCrypto only to pages over https, and to those of this machine. */
export const canVerify = () => globalThis.crypto?.subtle !== undefined;

export const isClientSeed = (text) => CLIENT_SEED.test(text);

export const sha256 = async (text) => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** The HMAC that decides a bet, as 64 hex characters. */
export async function digestOf({ game, serverSeed, clientSeed, nonce }) {
  const message = `${game === "upgrader" ? "" : `${game}:`}${clientSeed}:${nonce}:0`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(serverSeed), algorithm, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
}

/** The roll of a digest: a whole number from 0 to 9,999,999. */
export const rollOf = (digest) => Number((BigInt(`0x${digest}`) * ROLL_RANGE) >> 256n);

/** The ticket of a digest: a BigInt from 0 to 10^18 - 1. */
export const ticketOf = (digest) => (BigInt(`0x${digest}`) * TICKET_RANGE) >> 256n;

/** How many of the 10,000,000 rolls win. Amounts in cents, `edge` a fraction such as 0.05. */
export function thresholdOf({ edge, wagerCents, priceCents }) {
  const kept = PPM - BigInt(Math.round(edge * 1e6));
  return Number((ROLL_RANGE * kept * BigInt(wagerCents)) / (PPM * BigInt(priceCents)));
}

/** A roll or a threshold in percent. */
export const percentOf = (rolls) => rolls / ROLLS_PER_PERCENT;

/** A ticket or a width in percent, rounded down to five decimals. */
export const percentOfTicket = (ticket) => percentOf(Number(ticket / TICKETS_PER_ROLL));

/** The item that wins with this ticket: its `position`, and `within`, the place of the ticket in its range (0 to 1). */
export function winnerOf(ticket, items) {
  let start = 0n;
  for (const [position, { width }] of items.entries()) {
    if (ticket < start + width) return { position, within: Number(ticket - start) / Number(width) };
    start += width;
  }
  throw new RangeError("The widths of a case sum to 10^18.");
}

/**
 * The content of a snapshot's text: `priceCents` and items `{ name, priceCents, width }`, the width a BigInt. Throws
 * InvalidValue unless the text is the canonical JSON of a case, which only one text is.
 */
export function readSnapshot(text) {
  const content = parseCanonical(text);
  demand(content, "The content is not the canonical JSON of a case, as the server returns it.", "content");
  const items = content.items.map(({ name, price, width }) =>
    ({ name, priceCents: Number(price), width: BigInt(width) }));
  const sum = items.reduce((total, { width }) => total + width, 0n);
  demand(sum === TICKET_RANGE, "The widths of the items do not sum to 10^18.", "content");
  return { priceCents: Number(content.price), items };
}

function parseCanonical(text) {
  try {
    const { id, items: all, price } = JSON.parse(text);
    const items = all.map(({ name, price: cost, width }) => ({ name, price: cost, width }));
    const isText = [id, ...items.map(({ name }) => name)].every((each) => typeof each === "string");
    const numbers = [price, ...items.flatMap(({ price: cost, width }) => [cost, width])];
    const areWhole = numbers.every((each) => typeof each === "string" && WHOLE_TEXT.test(each));
    return isText && areWhole && JSON.stringify({ id, items, price }) === text ? { items, price } : null;
  } catch {
    return null; // Not JSON, or of another shape.
  }
}
