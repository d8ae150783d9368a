// Filters of a list. Their values are in the query of the address.
//
// A choice is `{ name, label, options }`: `options` are those of a <select>, first what is chosen at first. Its label is
// seen if it says `isLabelled`, and its `id` is its name if it has none.

import { html } from "../lit.js";
import { query, setQuery } from "../router.js";
import { options as optionsOf } from "./field.js";

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
