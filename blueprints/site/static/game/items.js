// The catalogue of items. Their names are unique: "★ Karambit | Glacier Thread (Factory New)".

import { getJson } from "../api.js";
import { centsOfPrice } from "../format.js";

export const WEARS = ["Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"];
const NAME = new RegExp(`^(?:(?<gun>.*?) \\| )?(?<skin>.*?)(?: \\((?<wear>${WEARS.join("|")})\\))?$`);

/** The parts of a name: `gun` is empty when the name has no " | ", and `wear` when it has none. */
export function partsOf(marketHashName) {
  const { gun = "", skin, wear = "" } = NAME.exec(marketHashName).groups;
  return { gun, skin, wear };
}

const images = new Map();

/** Load a page of the catalogue, its items with their `priceCents`. */
export async function loadItems(wanted, signal) {
  const answer = await getJson(`/upgrader/items/pagination?${new URLSearchParams(wanted)}`, { signal });
  for (const { marketHashName, image } of answer.items) images.set(marketHashName, image);
  return { ...answer, items: answer.items.map((item) => ({ ...item, priceCents: centsOfPrice(item.price) })) };
}

/** Load an item; undefined when the catalogue does not show it. */
export async function loadItem(marketHashName) {
  const { items: [item] } = await loadItems({ name: marketHashName });
  return item;
}

/** The URL of an item's picture; undefined when the catalogue does not show the item. */
export const imageOf = async (marketHashName) => images.get(marketHashName) ?? (await loadItem(marketHashName))?.image;
