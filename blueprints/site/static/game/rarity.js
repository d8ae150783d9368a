// The colour of an item, by its price: the same wherever the item is shown. The style sheet has the colours by these
// names. How likely an item is, is shown by widths and figures only.

const FROM_CENTS = [["legendary", 250_00], ["epic", 50_00], ["rare", 10_00], ["uncommon", 2_00]];

/** The name of the colour; null while the price is not known. */
export function rarityOf(priceCents) {
  if (priceCents === null || priceCents === undefined) return null;
  return FROM_CENTS.find(([, from]) => priceCents >= from)?.[0] ?? "common";
}
