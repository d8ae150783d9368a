// Filters of a list, and its search field. What they say is in the query of the address.
//
// A choice is `{ name, label, options }`: `options` are those of a <select>, first what is chosen at first. Its label
// is seen if it `isLabelled`, and its `id` is its name if it has none.

import { html } from "../lit.js";
import { query, setQuery } from "../router.js";
import { options as optionsOf } from "./form.js";

const valuesOf = ({ options }) => options.flatMap(([value, text]) =>
  (Array.isArray(text) ? text.map(([each]) => each) : value));

/** The value of a choice. */
export function chosen(filter) {
  const values = valuesOf(filter);
  const value = query().get(filter.name);
  return values.includes(value) ? value : values[0];
}

export function choice(filter) {
  const { name, label, options, id = name, isLabelled } = filter;
  const [first] = valuesOf(filter);
  const choose = ({ target: { value } }) => setQuery({ [name]: value === first ? null : value, page: null });
  return html`<label class="row"><span class=${isLabelled ? "" : "unseen"}>${label}</span>
    <select id=${id} @change=${choose}>${optionsOf(options, chosen(filter))}</select></label>`;
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

export const GAMES = {
  name: "type",
  label: "Game of the items",
  options: [["all", "All games"], ["gamea", "Game A"], ["gameb", "Game B"]],
};

const WEAR = ["Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"];
export const WEARS = {
  name: "wear",
  label: "Wear of the items",
  options: [["all", "Any wear"], ...WEAR.map((wear) => [wear, wear])],
};

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

/** Put those first in whose name a word begins with the text: "ak" is found in "AK-47", but also in "StatTrak". */
export function matchesFirst(found, text, nameOf) {
  const wordsOf = (name) => ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")}`;
  const isFirst = (each) => wordsOf(nameOf(each)).includes(wordsOf(text));
  return found.toSorted((one, other) => isFirst(other) - isFirst(one));
}
