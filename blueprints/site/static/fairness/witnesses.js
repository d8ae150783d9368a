// What witnesses say of the public log: the browser itself checks their cosignatures of the newest witnessed
// checkpoint, and that this checkpoint and the newest one are of the same tree. Loaded by the page of the log and for battles.

import { getJson, getText, orMissing, request } from "../api.js";
import { checkProof } from "./log-proof.js";
import { proofFromTiles, rootsFromTiles } from "./log-tiles.js";

/** The witnesses of the log at this path: `{ quorum, witnesses: [{ key, size, at }] }`. */
export const findWitnesses = (path) => getJson(`${path}/witnesses`);

/** The name in a verifier key. */
export const nameOfKey = (key) => key.slice(0, key.indexOf("+"));

/** Verifier keys of witnesses, one a line. */
export const keysOf = (witnesses) => witnesses.map(({ key }) => `${key}\n`).join("");

/** The bytes of paths below that of the log, for log-tiles.js. */
export const readerOf = (path) => async (name) => {
  const response = await orMissing(request(path + name), null);
  return response && new Uint8Array(await response.arrayBuffer());
};

/** The newest witnessed checkpoint of the log at this path; null while there is none. */
export const findWitnessed = (path) => orMissing(getText(`${path}/witnessed`), null);

/**
 * Check a witnessed checkpoint: the signature of the log, the cosignatures, the quorum, and that it is in the tree of
 * the `newest` checkpoint. `keys` are those of the log, `read` reads its files, as for proofFromTiles.
 *
 * Returns `{ size, at, checks }`: `at` is the time by which a quorum had cosigned, in Unix milliseconds, null if this
 * browser can't check that many cosignatures. Rejects with InvalidValue if a note or a tile is damaged.
 */
export async function checkWitnessed(note, { newest, keys, quorum, witnesses, read }) {
  const last = Number(note.split("\n")[1]) - 1;
  const readWitnessed = async (name) => (name === "/checkpoint" ? new TextEncoder().encode(note) : read(name));
  const file = await proofFromTiles(last, readWitnessed);
  const found = await checkProof(file, keys, { what: "newest entry", witnesses: keysOf(witnesses) });
  const times = found.cosigned.map(({ at }) => at).sort((one, other) => one - other);
  const enough = times.length >= quorum;
  // Some cosignatures can't be checked in a browser.
  const otherwise = found.checks.some(({ passed }) => passed === null) ? null : false;
  const checks = [
    ...found.checks,
    { text: `At least ${quorum} of ${witnesses.length} witnesses have cosigned it`, passed: enough || otherwise },
    { text: "It is in the tree of the newest checkpoint", passed: await isSameTree(note, newest, read) },
  ];
  return { size: found.size, at: enough ? times[quorum - 1] : null, checks };
}

/** Whether two checkpoints are of one tree, by the tiles of the log. */
async function isSameTree(one, other, read) {
  const sizeOf = ([, size]) => Number(size);
  const [older, newer] = [one, other].map((note) => note.split("\n")).sort((a, b) => sizeOf(a) - sizeOf(b));
  const roots = await rootsFromTiles(sizeOf(older), sizeOf(newer), read);
  return older[0] === newer[0] && roots.older === older[2] && roots.newer === newer[2];
}

const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** A duration in milliseconds in plain words, such as "3 minutes". */
export function inWords(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ["second", 1];
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
