// The conditions of level cases and of the free case, and whether a player meets them.

import { state } from "../store.js";

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
    return { label: "Needs a promo code", reason: "The free case needs a promo code.", needsPromoCode: true };
  }
  const isUsed = rules && player.freeCases >= rules.freeCaseLimit;
  return isUsed ? { label: "Already opened", reason: "You have opened the free case already." } : null;
}

function levelAccess(needed, level) {
  const reason = level < needed ? `This case needs level ${needed}. You have reached level ${level}.` : null;
  return { label: `Level ${needed}`, reason };
}
