// The proof that an entry is in the public log, made from the tiles of the log (https://c2sp.org/tlog-tiles) alone: so
// nobody needs to be asked for the proof of somebody else's battle. log-proof.js checks what is made here.

import { demand } from "./rolls.js";

const WIDTH = 256;
const LEVEL_BITS = 8;
const HASH_BYTES = 32;

/**
 * The proof file of the entry at this index. `read(path)` resolves with the bytes of a path below the log's, such as
 * "/checkpoint", or null where there is nothing. Rejects with InvalidValue when the log has no such entry or tile.
 */
export async function proofFromTiles(index, read) {
  const checkpoint = new TextDecoder().decode(await read("/checkpoint"));
  const size = Number(checkpoint.split("\n")[1]);
  demand(Number.isSafeInteger(size) && 0 <= index && index < size, `The public log has no entry ${index} yet.`);
  const tiles = new Tiles(size, read);
  const path = await tiles.path(index);
  const lines = path.map((hash) => `${base64(hash)}\n`).join("");
  const extra = base64(await tiles.entry(index));
  return `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${index}\n${lines}\n${checkpoint}`;
}

/**
 * The roots of a log when it had `older` and `newer` entries, not more, in Base64. Both are made from the same hashes:
 * if they are those of two checkpoints, the newer one continues the older one (RFC 6962, section 2.1.2).
 */
export async function rootsFromTiles(older, newer, read) {
  demand(0 < older && older <= newer, "A log without entries has no tiles.");
  const tiles = new Tiles(newer, read);
  const rootOf = async (size) => base64(await tiles.rootThrough(0, size, older));
  return { older: await rootOf(older), newer: await rootOf(newer) };
}

class Tiles {
  #read;
  #tiles = new Map();

  constructor(size, read) {
    this.size = size;
    this.#read = read;
  }

  /** PATH(index, D[size]) of RFC 6962, section 2.1.1: the hashes from the leaf to the root. */
  async path(index) {
    const found = [];
    for (let [start, end] = [0, this.size]; end - start > 1;) {
      const middle = start + largestPowerBelow(end - start);
      const isLeft = index < middle;
      found.unshift(await (isLeft ? this.#hash(middle, end) : this.#hash(start, middle)));
      [start, end] = isLeft ? [start, middle] : [middle, end];
    }
    return found;
  }

  /** The hash above these leaves, made from hashes that are all before or all after `split`. */
  async rootThrough(start, end, split) {
    if (end <= split || start >= split) return this.#hash(start, end);
    const middle = start + largestPowerBelow(end - start);
    return this.#node(this.rootThrough(start, middle, split), this.rootThrough(middle, end, split));
  }

  /** The bytes of an entry. */
  async entry(index) {
    const [number, place] = [Math.floor(index / WIDTH), index % WIDTH];
    const bundle = await this.#resource("entries", number, 0);
    const view = new DataView(bundle.buffer, bundle.byteOffset);
    let start = 0;
    for (let before = 0; before < place; before++) start += 2 + view.getUint16(start);
    return bundle.subarray(start + 2, start + 2 + view.getUint16(start));
  }

  /** The hash above the leaves from start to end - 1, which begin at a multiple of a power of two that holds them. */
  async #hash(start, end) {
    const count = end - start;
    const middle = start + largestPowerBelow(count);
    if (count > 1 && !isPowerOfTwo(count)) return this.#node(this.#hash(start, middle), this.#hash(middle, end));
    const height = Math.log2(count);
    const level = Math.floor(height / LEVEL_BITS);
    const span = 2 ** (height % LEVEL_BITS);
    const first = start / 2 ** (level * LEVEL_BITS);
    const tile = await this.#tile(level, Math.floor(first / WIDTH));
    return this.#root(tile.subarray((first % WIDTH) * HASH_BYTES, ((first % WIDTH) + span) * HASH_BYTES));
  }

  /** The root above hashes that follow each other, a power of two of them. */
  async #root(hashes) {
    if (hashes.length <= HASH_BYTES) return hashes;
    const half = hashes.length / 2;
    return this.#node(this.#root(hashes.subarray(0, half)), this.#root(hashes.subarray(half)));
  }

  async #node(left, right) {
    const bytes = Uint8Array.from([1, ...(await left), ...(await right)]);
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }

  #tile(level, number) {
    const key = `${level}/${number}`;
    if (!this.#tiles.has(key)) this.#tiles.set(key, this.#resource(level, number, level));
    return this.#tiles.get(key);
  }

  /** A tile or a bundle. A full one stands in for a partial one that the log has deleted since. */
  async #resource(name, number, level) {
    const path = `/tile/${name}/${pathOf(number)}`;
    const width = Math.floor(this.size / 2 ** (level * LEVEL_BITS)) - number * WIDTH;
    const partial = width < WIDTH ? await this.#read(`${path}.p/${width}`) : null;
    const bytes = partial ?? (await this.#read(path));
    demand(bytes, "A tile of the public log is missing.");
    return bytes;
  }
}

const isPowerOfTwo = (number) => Number.isInteger(Math.log2(number));

/** The largest power of two below a number from 2 on; 0 for 1. */
const largestPowerBelow = (number) => (number < 2 ? 0 : 2 ** Math.floor(Math.log2(number - 1)));

/** x001/x234/067 for 1234067. */
function pathOf(number) {
  const groups = [String(number % 1000).padStart(3, "0")];
  for (let rest = Math.floor(number / 1000); rest; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, "0")}`);
  }
  return groups.join("/");
}

const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
