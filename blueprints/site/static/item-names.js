// Items by their names, which are unique: "★ Karambit | Glacier Thread (Factory New)".

import { getJson } from "./api.js";

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

/** The URL of an item's picture; undefined when the catalogue does not show the item. */
export async function imageOf(marketHashName) {
  if (!images.has(marketHashName)) {
    const query = new URLSearchParams({ search: partsOf(marketHashName).skin, limit: 100 });
    rememberImages((await getJson(`/upgrader/items/pagination?${query}`)).items);
  }
  return images.get(marketHashName);
}
