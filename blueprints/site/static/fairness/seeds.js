// What proves bets of all games fair, so that players need not trust the server.
//
//   commitment = sha256(server seed as text), hex
//   digest     = HMAC-SHA256(key = server seed as text, message)
//
// rolls.js computes the outcome of a spin from the digest, tickets.js that of an opening.

const CLIENT_SEED = /^[A-Za-z0-9_-]{4,64}$/;

const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const isClientSeed = (text) => CLIENT_SEED.test(text);
export const randomHex = (bytes) => hexOf(crypto.getRandomValues(new Uint8Array(bytes)));
export const freshClientSeed = () => randomHex(10);

/** Browsers offer WebCrypto only to pages over https, and to those of this machine. */
export const canVerify = () => globalThis.crypto?.subtle !== undefined;

export const sha256 = async (text) => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(text)));

/** The HMAC that decides a bet, as 64 hex characters. */
export async function digestOf(serverSeed, message) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(serverSeed), algorithm, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
}

/** The checks `{ text, passed }` of the seeds of any proof: `shown` has commitment, client seed and nonce as seen. */
export async function checkSeeds(proof, shown) {
  const isCommitted = (await sha256(proof.serverSeed)) === shown.commitment;
  return [
    { text: "The server seed is the one that was committed to", passed: isCommitted },
    { text: "The client seed is the one that was sent", passed: proof.clientSeed === shown.clientSeed },
    { text: "The nonce is the one that was announced", passed: proof.nonce === shown.nonce },
  ];
}

/** The page that recomputes a bet without this server's help, with these values and those of the proof filled in. */
export function verifyAddress({ serverSeedCommitment, serverSeed, clientSeed, nonce }, values) {
  const all = { serverSeedCommitment, serverSeed, clientSeed, nonce, ...values };
  // A fragment stays in the browser; a query would be sent to the server, and be logged.
  return `/verify#${new URLSearchParams(all)}`;
}
