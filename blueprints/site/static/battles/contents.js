// What is in the cases of a battle: items with their pictures, prices and chances, each case loaded once.

import { readSnapshot } from "../fairness/rolls.js";
import { describeCase, loadSnapshot } from "../game/case-content.js";
import { rarityOf } from "../game/rarity.js";

const WHOLE = 1e18;

const texts = new Map(); // of snapshots, by their hashes

/** The text of a snapshot, loaded once. */
export function snapshotText(hash) {
  if (!texts.has(hash)) {
    const loading = loadSnapshot(hash);
    texts.set(hash, loading);
    loading.catch(() => texts.delete(hash));
  }
  return texts.get(hash);
}

const withRarity = (item) => ({ ...item, rarity: rarityOf(item.priceCents) });

/** The items of a case of a battle. Without its snapshot they are those that were drawn, with the same chance. */
async function itemsOf({ id, snapshot }, drawn) {
  const [images, items] = await Promise.all([
    describeCase("case", id).then((described) => described.images, () => new Map()),
    snapshotText(snapshot).then((text) => readSnapshot(text).items).catch(() => null),
  ]);
  const known = items ?? [...new Map(drawn.map((each) => [each.item, each])).values()]
    .map(({ item, priceCents }) => ({ name: item, priceCents, width: null }));
  return known.map((item) => withRarity({
    ...item,
    image: images.get(item.name),
    chance: item.width === null ? 1 / known.length : Number(item.width) / WHOLE,
  }));
}

/** The items of all cases of a battle, by the hashes of their snapshots. */
export async function loadContents({ cases, drawn }) {
  const different = new Map(cases.map((each) => [each.snapshot, each]));
  const drawnOf = (hash) =>
    (drawn ?? []).flatMap((items) => items.filter((_, place) => cases[place].snapshot === hash));
  const loaded = await Promise.all([...different].map(async ([hash, each]) =>
    [hash, await itemsOf(each, drawnOf(hash))]));
  return new Map(loaded);
}
