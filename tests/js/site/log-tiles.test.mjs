// Proofs that the page makes from tiles lead to the root of the checkpoint, whatever the sizes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { checkProof } from "../../../blueprints/site/static/fairness/log-proof.js";
import { proofFromTiles, rootsFromTiles } from "../../../blueprints/site/static/fairness/log-tiles.js";
import { InvalidValue } from "../../../blueprints/site/static/fairness/rolls.js";

const hash = (...parts) => parts.reduce((sum, part) => sum.update(part), createHash("sha256")).digest();
const node = (left, right) => hash(Buffer.of(1), left, right);

/** MTH of RFC 6962, section 2.1. */
function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  return node(rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

/** A log of so many entries, as its files by path, and its entries. */
function logOf(size) {
  const entries = Array.from({ length: size }, (_, index) => Buffer.from(`{"at":${index},"v":1}`));
  const files = new Map();
  const keep = (name, items) => {
    for (let number = 0; number * 256 < items.length; number++) {
      const part = items.slice(number * 256, number * 256 + 256);
      const suffix = part.length < 256 ? `.p/${part.length}` : "";
      const path = number < 1000 ? String(number).padStart(3, "0") : `x001/${String(number % 1000).padStart(3, "0")}`;
      files.set(`/tile/${name}/${path}${suffix}`, Buffer.concat(part));
    }
  };
  let hashes = entries.map((entry) => hash(Buffer.of(0), entry));
  const root = rootOf(hashes);
  for (let level = 0; hashes.length; level++) {
    keep(level, hashes);
    const above = [];
    for (let end = 256; end <= hashes.length; end += 256) above.push(rootOf(hashes.slice(end - 256, end)));
    hashes = above;
  }
  keep("entries", entries.map((entry) => Buffer.concat([Buffer.of(0, entry.length), entry])));
  const signature = Buffer.alloc(68, 1).toString("base64");
  files.set("/checkpoint", Buffer.from(`log\n${size}\n${root.toString("base64")}\n\n\u2014 log ${signature}\n`));
  return { entries, files, read: async (path) => files.get(path) ?? null };
}

for (const size of [1, 2, 7, 255, 256, 257, 600, 65_536 + 300]) {
  test(`a log of ${size}`, async () => {
    const { entries, read } = logOf(size);
    for (const index of new Set([0, 1, 255, 256, size >> 1, size - 1])) {
      if (index >= size) continue;

      const { checks, text } = await checkProof(await proofFromTiles(index, read), "");

      assert.deepEqual([checks[0].passed, text], [true, entries[index].toString()], `entry ${index}`);
    }
  });
}

for (const [older, newer] of [[1, 1], [1, 2], [6, 8], [255, 257], [256, 300], [300, 600], [65_536, 65_836]]) {
  test(`a log of ${newer} continues that of ${older}`, async () => {
    const roots = await rootsFromTiles(older, newer, logOf(newer).read);

    assert.deepEqual(roots, { older: rootIn(logOf(older)), newer: rootIn(logOf(newer)) });
  });
}

const rootIn = ({ files }) => files.get("/checkpoint").toString().split("\n")[2];

test("an altered tile does not lead to the root", async () => {
  const { files, read } = logOf(600);
  const tile = files.get("/tile/0/001");
  files.set("/tile/0/001", Buffer.concat([Buffer.of(tile[0] ^ 1), tile.subarray(1)]));

  const { checks } = await checkProof(await proofFromTiles(300, read), "");

  assert.equal(checks[0].passed, false);
});

test("a full tile stands in for a partial one", async () => {
  const { files, read } = logOf(300);
  for (const name of ["0", "entries"]) files.set(`/tile/${name}/001`, files.get(`/tile/${name}/001.p/44`));
  for (const name of ["0", "entries"]) files.delete(`/tile/${name}/001.p/44`);

  const { checks } = await checkProof(await proofFromTiles(299, read), "");

  assert.equal(checks[0].passed, true);
});

test("an entry that the log does not have is refused", async () => {
  await assert.rejects(proofFromTiles(7, logOf(7).read), InvalidValue);
});
