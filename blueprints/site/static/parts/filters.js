// Filters of a list. Their values are in the query of the address.

import { html } from "../lit.js";
import { query, setQuery } from "../router.js";
import { options as optionsOf } from "./field.js";

/** The value of a choice. */
export const chosen = ({ name, options: [[first]] }) => query().get(name) ?? first;

/** A choice `{ name, label, options }`: `options` are pairs of a value and its text, first what is chosen at first. */
export function choice(filter, id = filter.name) {
  const { name, label, options } = filter;
  const choose = ({ target: { value } }) => setQuery({ [name]: value === options[0][0] ? null : value, page: null });
  return html`
    <label class="unseen" for=${id}>${label}</label>
    <select id=${id} @change=${choose}>${optionsOf(options, chosen(filter))}</select>`;
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

export const WEARS = {
  name: "wear",
  label: "Wear of the items",
  options: [
    ["all", "Any wear"],
    ...["Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"].map((wear) => [wear, wear]),
  ],
};
