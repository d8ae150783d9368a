// Whether a bet is in the public log: checks proof files, and the receipts that promise an entry, in the browser.
//
//   proof file   https://c2sp.org/tlog-proof with the entry as its extra; its end is a checkpoint, a signed note
//   receipt      a signed note (https://c2sp.org/signed-note) of "<origin>/receipt" and the entry
//   leaf, node   sha256(0, entry), sha256(1, left, right)
//
// /verify and verify/verify.mjs contain this module.

import { bytesOf, demand, hexOf, InvalidValue } from "./rolls.js";

const WHOLE = "(0|[1-9][0-9]{0,18})";
const PROOF = new RegExp(`^c2sp\\.org/tlog-proof@v1\nextra (\\S+)\nindex ${WHOLE}\n((?:\\S{44}\n)*)\n([^]*)$`);
const NOTE = /^([^\0-\x09\x0b-\x1f]*\n)\n((?:\u2014 [^\p{White_Space}+\0-\x1f]+ \S+\n)+)$/u;
const MAX_NOTE_BYTES = 256 * 1024;
const MAX_SIGNATURES = 100;
const CHECKPOINT = new RegExp(`^(\\S+)\n${WHOLE}\n(\\S{44})\n`);
const RECEIPT = /^(\S+)\/receipt\n([^\n]+)\n$/;
const KEY = /^([^\s+]+)\+([0-9a-f]{8})\+(\S{44})$/;
const ED25519 = 1;

/** The types of keys that cosign a checkpoint (https://c2sp.org/tlog-cosignature). */
const COSIGNERS = {
  4: { algorithm: "Ed25519", format: "raw", length: 32 },
  6: { algorithm: "ML-DSA-44", format: "raw-public", length: 1312 },
};
const WITNESS_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/;
const MAX_SECONDS = BigInt(2 ** 53) / 1000n;

const FIELDS = {
  commitment: "The entry has the commitment that was announced for the bet",
  nonce: "The entry has the nonce of the bet",
  clientSeed: "The entry has the client seed that was sent",
  next: "The entry has the commitment that was announced for the next bet",
};

/**
 * Check a proof file or a receipt. `keys` has verifier keys, one a line, as `/log/key` returns them. `bet` has what the
 * entry must say: any of `commitment`, `nonce`, `clientSeed`, `next` and `terms`. `witnesses` has verifier keys of
 * witnesses, one a line: a proof says which of them have cosigned its checkpoint, and when.
 *
 * Returns `{ origin, index, size, text, checks }`, `text` being the entry as it is logged. A receipt has no index and
 * size. A proof also has `cosigned`, a list of `{ name, at }` in Unix milliseconds. A check is `{ text, passed }`, null being that it can't be made. Rejects with
 * InvalidValue if the file is neither a proof nor a receipt, or a key is not a verifier key.
 */
export async function checkLogFile(file, keys, bet = {}, witnesses = "") {
  if (PROOF.test(file)) {
    const found = await checkProof(file, keys, { witnesses });
    return { ...found, checks: [...found.checks, ...checkEntry(found.text, bet)] };
  }
  const { body, signatures } = readNote(file);
  const [, origin, text] = match(RECEIPT, body, "This is neither a proof nor a receipt.");
  const fits = checkEntry(text, bet);
  return { origin, text, checks: [await checkSignatures("receipt", { origin, body, signatures, keys }), ...fits] };
}

/**
 * Check a proof file alone, of any entry. `what` is what the entry stands for, `witnesses` as above. Returns as `checkLogFile`, with the
 * `leaf` hash of the entry in hex. Rejects with InvalidValue if the file is not a proof.
 */
export async function checkProof(file, keys, { what = "bet", witnesses = "" } = {}) {
  const [, extra, index, proof, checkpoint] = match(PROOF, file, "This is not a proof of the public log.");
  const { body, signatures } = readNote(checkpoint);
  const [, origin, size, root] = match(CHECKPOINT, body, "The proof has no checkpoint.");
  const entry = bytesOfBase64(extra);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry);
  const hashes = proof.split("\n").slice(0, -1).map(bytesOfBase64);
  const leaf = await hash([0], entry);
  const reached = await rootFrom(leaf, { index: BigInt(index), size: BigInt(size), hashes });
  const isThere = reached !== null && base64OfBytes(reached) === root;
  const { cosigned, checks: cosignatures } = await checkCosignatures({ origin, size, root, body, signatures }, witnesses);
  const checks = [
    { text: `The ${what} is entry ${index} of the ${size} in the checkpoint`, passed: isThere },
    await checkSignatures("checkpoint", { origin, body, signatures, keys }),
    ...cosignatures,
  ];
  return { origin, index: Number(index), size: Number(size), text, leaf: hexOf(leaf), cosigned, checks };
}

/** The text of a signed note, and its signatures with the names and ids of their keys. */
function readNote(note) {
  const [, body, block] = match(NOTE, note, "This is neither a proof nor a receipt.");
  const signatures = block.split("\n").slice(0, -1).map((line) => {
    const [, name, base64] = line.split(" ");
    const bytes = bytesOfBase64(base64);
    return { name, id: hexOf(bytes.subarray(0, 4)), bytes: bytes.subarray(4) };
  });
  demand(bytesOf(note).length <= MAX_NOTE_BYTES, "The note is too long.");
  demand(signatures.length <= MAX_SIGNATURES, "The note has too many signatures.");
  demand(signatures.every(({ bytes }) => bytes.length), "A signature of the note is too short.");
  return { body, signatures };
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); null if it has another length. */
async function rootFrom(leaf, { index, size, hashes }) {
  if (index >= size) return null;
  let [reached, place, last] = [leaf, index, size - 1n];
  for (const sibling of hashes) {
    if (last === 0n) return null;
    if (place & 1n || place === last) {
      reached = await hash([1], sibling, reached);
      for (; place && !(place & 1n); last >>= 1n) place >>= 1n;
    } else {
      reached = await hash([1], reached, sibling);
    }
    [place, last] = [place >> 1n, last >> 1n];
  }
  return last === 0n ? reached : null;
}

/** One known key must have signed, and no signature of a known key may be wrong. */
async function checkSignatures(what, { origin, body, signatures, keys }) {
  const lines = linesOf(keys);
  if (!lines.length) return { text: `Without a key, the signature of the ${what} can't be checked`, passed: null };
  const text = `The ${what} is signed with the key of ${origin}`;
  const results = [];
  for (const { name, id, publicKey } of await Promise.all(lines.map(readKey))) {
    for (const signature of signatures) {
      const isOurs = name === origin && signature.name === origin && signature.id === id;
      if (isOurs) results.push(await isSignature(COSIGNERS[4], publicKey, signature.bytes, bytesOf(body)));
    }
  }
  if (results.includes(null)) return { text: "This browser can't check signatures of the kind Ed25519", passed: null };
  return { text, passed: results.length > 0 && results.every(Boolean) };
}

/** Which witnesses have cosigned a checkpoint, and when. Signatures of other keys are ignored. */
async function checkCosignatures(checkpoint, witnesses) {
  const [cosigned, checks] = [[], []];
  for (const witness of await Promise.all(linesOf(witnesses).map(readWitness))) {
    const { name, id } = witness;
    const own = checkpoint.signatures.filter((signature) => signature.name === name && signature.id === id);
    const times = await Promise.all(own.map(({ bytes }) => timeOfCosignature(witness, bytes, checkpoint)));
    const at = Math.min(...times);
    if (!own.length) {
      checks.push({ text: `${name} has not cosigned this checkpoint`, passed: null });
    } else if (times.includes(false)) {
      checks.push({ text: `The cosignature of ${name} is right`, passed: false });
    } else if (times.includes(null)) {
      checks.push({ text: `Cosignatures of the kind that ${name} makes can't be checked here`, passed: null });
    } else {
      cosigned.push({ name, at });
      checks.push({ text: `The checkpoint was cosigned by ${name} at ${momentOf(at)}`, passed: true });
    }
  }
  return { cosigned, checks };
}

/** A moment in UTC, such as 2026-01-31T12:00:00Z. */
const momentOf = (at) => new Date(at).toISOString().replace(/\.000Z$/, "Z");

/** When a cosignature was made, in Unix milliseconds; false if it is not right, null if that can't be told. */
async function timeOfCosignature({ name, type, publicKey }, bytes, { origin, size, root, body }) {
  if (bytes.length <= 8) return false;
  const [time, signature] = [bytes.subarray(0, 8), bytes.subarray(8)];
  const seconds = BigInt(`0x${hexOf(time)}`);
  if (seconds === 0n || seconds > MAX_SECONDS) return false;
  const sized = (text) => [bytesOf(text).length, ...bytesOf(text)];
  const sizeAsBytes = new Uint8Array(8);
  new DataView(sizeAsBytes.buffer).setBigUint64(0, BigInt(size));
  const message = type === 4
    ? bytesOf(`cosignature/v1\ntime ${seconds}\n${body}`)
    : Uint8Array.from([...bytesOf("subtree/v1\n\0"), ...sized(name), ...time, ...sized(origin), ...new Uint8Array(8),
      ...sizeAsBytes, ...bytesOfBase64(root)]);
  const isRight = await isSignature(COSIGNERS[type], publicKey, signature, message);
  return isRight ? Number(seconds) * 1000 : isRight;
}

async function readWitness(line) {
  const [, name, id, base64] = match(WITNESS_KEY, line, "This is not the verifier key of a witness.");
  const typed = bytesOfBase64(base64);
  const computed = hexOf(await hash(bytesOf(`${name}\n`), typed)).slice(0, 8);
  const isKey = computed === id && COSIGNERS[typed[0]]?.length === typed.length - 1;
  demand(isKey, "The verifier key of a witness is damaged, or of another kind.");
  return { name, id, type: typed[0], publicKey: typed.subarray(1) };
}

const linesOf = (keys) => keys.split("\n").map((line) => line.trim()).filter(Boolean);

async function readKey(line) {
  const [, name, id, base64] = match(KEY, line, "This is not a verifier key.");
  const typed = bytesOfBase64(base64);
  const computed = hexOf(await hash(bytesOf(`${name}\n`), typed)).slice(0, 8);
  demand(typed[0] === ED25519 && computed === id, "The verifier key is damaged, or not of Ed25519.");
  return { name, id, publicKey: typed.subarray(1) };
}

/** Whether a signature is right; null where the browser can't tell. */
async function isSignature({ algorithm, format }, publicKey, signature, bytes) {
  try {
    const key = await crypto.subtle.importKey(format, publicKey, { name: algorithm }, false, ["verify"]);
    return await crypto.subtle.verify({ name: algorithm }, key, signature, bytes);
  } catch (problem) {
    // A format that is not known is a TypeError.
    if (problem.name === "NotSupportedError" || problem instanceof TypeError) return null;
    throw problem;
  }
}

/** What an entry says of the bet, as far as that is known. */
function checkEntry(text, { terms = {}, ...bet }) {
  const entry = readEntry(text);
  if (!entry?.terms) return [{ text: "The entry is that of a bet", passed: false }];
  const known = Object.keys(FIELDS).filter((name) => bet[name] !== undefined);
  const checks = known.map((name) => ({ text: FIELDS[name], passed: entry[name] === bet[name] }));
  const names = Object.keys(terms).filter((name) => terms[name] !== undefined);
  const others = names.filter((name) => entry.terms[name] !== terms[name]);
  const named = `The entry has the terms of the bet: ${(others.length ? others : names).join(", ")}`;
  return names.length ? [...checks, { text: named, passed: !others.length }] : checks;
}

/** An entry, which must be canonical JSON: only one text says the same. Throws InvalidValue. */
export function readEntry(text) {
  try {
    const entry = JSON.parse(text);
    if (canonicalJson(entry) === text) return entry;
  } catch {
    // Not JSON.
  }
  throw new InvalidValue("The entry is not canonical JSON.");
}

export const canonicalJson = (value) => JSON.stringify(sorted(value));

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

function match(pattern, text, otherwise) {
  const found = pattern.exec(text);
  demand(found, otherwise);
  return found;
}

function bytesOfBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
    if (base64OfBytes(bytes) === text) return bytes;
  } catch {
    // Refused below.
  }
  throw new InvalidValue("A hash, a key or a signature is damaged.");
}

const base64OfBytes = (bytes) => btoa(String.fromCharCode(...bytes));

async function hash(...parts) {
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
