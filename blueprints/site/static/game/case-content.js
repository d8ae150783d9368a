// One case as a player sees it before opening it: what it costs, its items, the snapshot that names this content, and
// whether the player may open it.

import { getJson, getText } from "../api.js";
import { canVerify, readSnapshot, sha256 } from "../fairness/rolls.js";
import { centsOfCoins, centsOfPrice } from "../format.js";
import { faceOf } from "../parts/elements.js";
import { demoCode } from "../parts/promo-code.js";
import { state } from "../store.js";

const FREE_CASE = "free-case";
const described = new Map();

// `game` is "case" or "irl".
const pathOf = (game, id) => `${game === "irl" ? "/irl" : "/api/cases"}/${encodeURIComponent(id)}`;

export const addressOfCase = (game, id) => `/cases/${encodeURIComponent(id)}${game === "irl" ? "?game=irl" : ""}`;

/** The text of a snapshot. Rejects when the text is not the one that the hash names. */
export async function loadSnapshot(hash) {
  const text = await getText(`/snapshots/${hash}`);
  if (!canVerify() || (await sha256(text)) === hash) return text;
  throw new Error("The snapshot of the case is not the one that its hash names");
}

/** The `name` of a case of a game, and its `images` by the names of its items. Loads each case once. */
export function describeCase(game, id) {
  const path = pathOf(game, id);
  if (!described.has(path)) {
    const imageOf = ({ marketHashName, name, image }) => [marketHashName ?? name, image];
    const loading = getJson(path).then(({ name, items }) => ({ name, images: new Map(items.map(imageOf)) }));
    described.set(path, loading);
    loading.catch(() => described.delete(path));
  }
  return described.get(path);
}

/**
 * Load a case. Prices and widths of its items come from the snapshot, with which the proof of an opening is verified.
 * `snapshot` is `{ hash, text }`, or null when an item has no price: then the case can't be opened, the `priceCents` of
 * that item is null, and so is the `width` of every item.
 */
export async function loadCase(game, id) {
  const { name, price, image, items, requiredLevel, snapshot: hash } = await getJson(pathOf(game, id));
  const text = hash && (await loadSnapshot(hash));
  const content = hash && readSnapshot(text);
  const isFree = id === FREE_CASE && game === "case";
  return {
    game,
    id,
    name,
    priceCents: centsOfCoins(price),
    costCents: isFree ? 0 : centsOfCoins(price),
    isFree,
    requiredLevel,
    face: faceOf({ image, items }),
    snapshot: hash && { hash, text },
    items: items.map((item, index) => shownItem(item, content?.items[index])),
  };
}

/** An item as the case page lists it, with the content of the snapshot at the same place, if there is one. */
function shownItem({ marketHashName, name = marketHashName, image, price, percentage }, content) {
  if (content && content.name !== name) throw new Error("The snapshot does not list the items that the case lists");
  const priceCents = content?.priceCents ?? (price === null ? null : centsOfPrice(price));
  return { name, image, percentage, priceCents, width: content?.width ?? null };
}

/**
 * The condition of a case, or null when everybody may open it: `label` names it in two or three words, and `reason`
 * says why the player can't open the case, or is null when they can. `needsPromoCode` is whether a promo code would
 * help.
 */
export function accessTo({ requiredLevel, isFree }) {
  const { player, rules } = state;
  if (!isFree) return requiredLevel ? levelAccess(requiredLevel, player?.level ?? 0) : null;
  if (rules?.freeCaseLimit === 0) {
    return { label: "Not offered now", reason: "The free case is not offered at the moment." };
  }
  if (!player?.affiliate.used) {
    const example = demoCode ? ` The code ${demoCode} is one of this demo.` : "";
    return { label: "Needs a promo code", reason: `The free case needs a promo code.${example}`, needsPromoCode: true };
  }
  const isUsed = rules && player.freeCases >= rules.freeCaseLimit;
  return isUsed ? { label: "Already opened", reason: "You have opened the free case already." } : null;
}

function levelAccess(needed, level) {
  const reason = level < needed ? `This case needs level ${needed}. You have reached level ${level}.` : null;
  return { label: `Level ${needed}`, reason };
}
