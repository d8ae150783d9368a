// The order of what a search has found by parts of names: "ak" is found in "AK-47" and in "StatTrak".

const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Put those first in whose name a word begins with the text. Otherwise the order stays. */
export function matchesFirst(found, text, nameOf) {
  const beginning = new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(SPECIAL, "\\$&")}`, "iu");
  const [first, others] = [[], []];
  for (const each of found) (beginning.test(nameOf(each)) ? first : others).push(each);
  return [...first, ...others];
}
