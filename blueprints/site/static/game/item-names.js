// Items by their names, which are unique: "★ Karambit | Glacier Thread (Factory New)".

import { getJson } from "../api.js";

const NAME = /^(?:(?<gun>.*?) \| )?(?<skin>.*?)(?: \((?<wear>Factory New|Minimal Wear|Field-Tested|Well-Worn|Battle-Scarred)\))?$/;

/** The parts of a name: `gun` is empty when the name has no " | ", and `wear` when it has none. */
export function partsOf(marketHashName) {
  const { gun = "", skin, wear = "" } = NAME.exec(marketHashName).groups;
  return { gun, skin, wear };
}

const images = new Map();

/** Remember the pictures of items that have been loaded. */
export function rememberImages(items) {
  for (const { marketHashName, image } of items) images.set(marketHashName, image);
}

/** Load an item; undefined when the catalogue does not show it. */
export async function loadItem(marketHashName) {
  const query = new URLSearchParams({ search: partsOf(marketHashName).skin, limit: 100 });
  const { items } = await getJson(`/upgrader/items/pagination?${query}`);
  rememberImages(items);
  return items.find((item) => item.marketHashName === marketHashName);
}

/** The URL of an item's picture; undefined when the catalogue does not show the item. */
export const imageOf = async (marketHashName) => images.get(marketHashName) ?? (await loadItem(marketHashName))?.image;
