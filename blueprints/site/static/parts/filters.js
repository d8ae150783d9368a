// Filters of a list, and its search field. What they say is in the query of the address.

import { html } from "../lit.js";
import { query, setQuery } from "../router.js";
import { options } from "./form.js";

/**
 * A choice with the name `name` in the query. `options` are those of a <select>, the first one is chosen at first. Its
 * label is seen if it `isLabelled`.
 */
export class Choice {
  constructor(name, label, options, { id = name, isLabelled = false } = {}) {
    const values = options.flatMap(([value, text]) => (Array.isArray(text) ? text.map(([each]) => each) : value));
    Object.assign(this, { name, label, options, values, id, isLabelled });
  }

  get value() {
    const value = query().get(this.name);
    return this.values.includes(value) ? value : this.values[0];
  }

  view() {
    const choose = ({ target: { value } }) =>
      setQuery({ [this.name]: value === this.values[0] ? null : value, page: null });
    return html`<label class="row"><span class=${this.isLabelled ? "" : "unseen"}>${this.label}</span>
      <select id=${this.id} @change=${choose}>${options(this.options, this.value)}</select></label>`;
  }
}

/** The lowest and the highest price, `minPrice` and `maxPrice` of the query. */
export const priceRange = () => html`<span class="row prices">${[
  ["minPrice", "Price from"], ["maxPrice", "Price up to"]].map(([name, label]) => html`
  <input id=${name} aria-label="${label}, in coins" placeholder=${label} inputmode="decimal"
    autocomplete="off" maxlength="13" pattern="\\d{1,10}([.,]\\d{0,2})?" title="An amount of coins, such as 12.50"
    .value=${query().get(name) ?? ""} @change=${({ target }) =>
      target.reportValidity() && setQuery({ [name]: target.value.replace(",", "."), page: null })}>`)}</span>`;

/** What the server is asked for these names of the query, those without a value left out. */
export const asked = (...names) => Object.fromEntries([...query()].filter(([name]) => names.includes(name)));

export const GAME = new Choice("type", "Game of the items", [
  ["all", "All games"], ["gamea", "Game A"], ["gameb", "Game B"],
]);

const TYPING_PAUSE_MS = 250;

let typing = null;

/** The text that is searched. */
export const searched = () => query().get("search")?.trim() ?? "";

/** `onType()` is called when the player begins to type another text. */
export function searchField({ id, label, onType }) {
  const search = ({ value, isConnected }) => {
    // The player may have opened another page.
    if (isConnected) setQuery({ search: value, page: null }, { replace: true });
  };
  const type = ({ target }) => {
    onType?.();
    clearTimeout(typing);
    typing = setTimeout(search, TYPING_PAUSE_MS, target);
  };
  return html`
    <label class="unseen" for=${id}>${label}</label>
    <input id=${id} type="search" placeholder="Search" autocomplete="off" maxlength="100"
      .value=${query().get("search") ?? ""} @input=${type}>`;
}

/** The words of a text without what a search ignores (services/shared/item_search.py). */
const wordsOf = (text) => text.replace(/[-★™]/g, "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  .split(/[\s|()]+/).filter(Boolean);

/** Put those first in whose name words begin with those of the text: "ak" is in "AK-47", but also in "StatTrak". */
export function matchesFirst(found, text, nameOf) {
  const searched = wordsOf(text);
  const begins = (names, word) => names.some((name) => name.startsWith(word));
  const isFirst = (each) => searched.every((word) => begins(wordsOf(nameOf(each)), word));
  return found.toSorted((one, other) => isFirst(other) - isFirst(one));
}
