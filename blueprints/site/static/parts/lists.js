// What a page loads, and lists of it that are filtered, searched and loaded page by page.
//
// What a list shows is in the query of the address: `show` and others are its filters, `sort` its order, `search` what
// is searched, and `page` its page.

import { getOwn } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { query, setQuery } from "../router.js";
import { update } from "../store.js";
import { skeletons, status } from "./elements.js";
import { options } from "./forms.js";

const PAGE_SIZE = 10;
const TYPING_PAUSE_MS = 250;

/**
 * What `load(signal, ...)` resolves with, as `value`; null until then. `problem` is why the last try failed. A later
 * `load` aborts an earlier one. What is loaded is forgotten when another player signs in. What could not be loaded is
 * tried again when the connection is back.
 */
export class Resource {
  value = null;
  problem = "";
  isLoading = false;
  #load;
  #what = [];
  #aborting = new AbortController();

  constructor(load) {
    this.#load = load;
    addEventListener("session", () => this.clear());
    addEventListener("reconnected", () => { if (this.problem) this.load(...this.#what); });
  }

  /** Load it. Resolves when it is drawn, whether it was loaded or not. */
  async load(...what) {
    const signal = this.expect();
    this.#what = what;
    try {
      const value = await this.#load(signal, ...what);
      if (signal.aborted) return;
      Object.assign(this, { value, problem: "" });
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem.message;
    }
    this.isLoading = false;
    await update();
  }

  /** Show a value that has come by itself, such as with an event. */
  set(value) {
    this.clear();
    this.value = value;
    update();
  }

  /** Something else is going to be loaded: what is being loaded must not be shown any more. Returns the next signal. */
  expect() {
    this.#aborting.abort();
    this.#aborting = new AbortController();
    this.isLoading = true;
    update();
    return this.#aborting.signal;
  }

  clear() {
    this.expect();
    Object.assign(this, { value: null, problem: "", isLoading: false });
  }

  /** Whether there is nothing to show yet, not even a problem (`skeletons` keep the place of what will come). */
  get isFirst() {
    return this.value === null && !this.problem;
  }

  /** The note while there is nothing to show: "Loading…", or that `what` could not be loaded; "" otherwise. */
  note(what) {
    if (this.problem) return `${what} could not be loaded: ${this.problem}`;
    return this.value === null ? "Loading…" : "";
  }

  /** The note with the id `id`, and `template(value)` once it is loaded. */
  view(id, what, template) {
    return html`${status(id, this.note(what))}${this.value === null ? nothing : template(this.value)}`;
  }
}

/** What the player is answered at a path, or a list of the answers at several paths. */
export const ownResource = (...paths) => new Resource(async (signal) => {
  const answers = await Promise.all(paths.map((path) => getOwn(path, { signal })));
  return paths.length > 1 ? answers : answers[0];
});

/**
 * A choice with the name `name` in the query. `options` are those of a <select>; at first that of `first()` is chosen,
 * or the first one. Its label is seen if it `isLabelled`.
 */
export class Choice {
  constructor(name, label, options, { id = name, isLabelled = false, first = () => this.values[0] } = {}) {
    const values = options.flatMap(([value, text]) => (Array.isArray(text) ? text.map(([each]) => each) : value));
    Object.assign(this, { name, label, options, values, id, isLabelled, first });
  }

  get value() {
    const value = query().get(this.name);
    return this.values.includes(value) ? value : this.first();
  }

  view() {
    const choose = ({ target: { value } }) =>
      setQuery({ [this.name]: value === this.first() ? null : value, page: null });
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

const { gameA, gameB } = document.documentElement.dataset; // their names by the settings

export const GAME = new Choice("type", "Game of the items", [
  ["all", "All games"], ["gamea", gameA], ["gameb", gameB],
]);

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

const FILTERS = ["type", "wear", "kind", "mode", "show", "minPrice", "maxPrice"];
let areFiltersOpen = false;

/** How many of these filters are in use. An order is none. */
export const usedFilters = (...names) => (names.length ? names : FILTERS).filter((name) => query().get(name)).length;

/** Filters which a button opens on a phone; it says how many are in use. */
export function folded(filters, used = usedFilters()) {
  const fold = () => {
    areFiltersOpen = !areFiltersOpen;
    update();
  };
  return html`
    <button id="fold" type="button" class="plain" aria-expanded=${areFiltersOpen} aria-controls="folded"
      @click=${fold}>Filters${used ? html` <span class="badge">${used}<span class="unseen"> in use</span></span>`
        : nothing}</button>
    <div id="folded" ?data-open=${areFiltersOpen}>${filters}</div>`;
}

/** A search field and filters, which are folded. */
export const searchAndFilters = (search, filters, used) =>
  html`<div class="row filters" role="search">${search} ${folded(filters, used)}</div>`;

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

/** The page that the address names. */
export const pageNumber = () => Number(query().get("page") ?? 1);

/** Buttons to go to other pages. With a `note` of their own they are there for a single page, too. */
export function pageButtons({ label, page, pages, note, id }) {
  if (pages < 2 && !note) return nothing;
  const button = (text, to) => html`<button type="button" class="plain" aria-disabled=${to < 1 || to > pages}
    @click=${() => to >= 1 && to <= pages && setQuery({ page: to > 1 ? to : null })}>${text}</button>`;
  return html`<nav class="row pages" aria-label=${label}>
    ${button("Previous", page - 1)}
    <p class="quiet" id=${id ?? nothing}>${note ?? `Page ${page} of ${pages}`}</p>
    ${button("Next", page + 1)}
  </nav>`;
}

/**
 * A list with the id `name`.
 *
 * - `path` answers its pages, with the entries under `key`; or `read(asked, signal)` resolves with what such a path
 *   answers as `data` to the query `asked`
 * - `filter` is the label of the filter, and `filters` its options. A value is a part of the query: "status=kept"
 * - `orders` are pairs of a `sort` and its text, `search()` is the label of the search field; without, there is none
 * - `lineOf(entry)` is the template of a line, `none` the note without entries
 * - `what` names the entries: "Your prizes"
 */
export class PagedList {
  #settings;
  #shown;
  #order;
  #pages = new Resource((signal) => this.#loadPage(pageNumber(), signal));

  constructor(settings) {
    const { name, path, filter, filters, orders } = settings;
    const read = async (asked, signal) => (await getOwn(`${path}?${asked}`, { signal })).data;
    this.#settings = { read, key: name, search: () => "", label: `Pages of ${name}`, ...settings };
    this.#shown = new Choice("show", filter, filters, { id: `${name}-filter`, isLabelled: true });
    this.#order = orders && new Choice("sort", "Order", orders, { id: `${name}-order`, isLabelled: true });
  }

  /** Load the page that the address names. */
  load() {
    return this.#pages.load();
  }

  async #loadPage(page, signal) {
    const { read, search } = this.#settings;
    const asked = new URLSearchParams(`page=${page}&limit=${PAGE_SIZE}&${this.#shown.value}`);
    if (this.#order) asked.set("sort", this.#order.value);
    if (search()) asked.set("search", searched());
    const data = await read(asked, signal);
    // The last entry of the last page may have changed its state.
    return page > 1 && page > data.totalPages ? this.#loadPage(Math.max(data.totalPages, 1), signal) : data;
  }

  view() {
    const { name, key, search, lineOf, none, what, label } = this.#settings;
    const { value, problem, isFirst } = this.#pages;
    const { [key]: entries = [], totalPages: pages = 0, currentPage: page = 1 } = value ?? {};
    const isEmpty = value && !entries.length && !problem;
    return html`
      <div class="row filters">
        ${search() ? searchField({ id: `${name}-search`, label: search() }) : nothing}
        ${this.#order ? folded([this.#shown.view(), this.#order.view()]) : this.#shown.view()}
      </div>
      <ul id=${name} class="lines ${name}">${isFirst ? skeletons(PAGE_SIZE)
        : repeat(entries, ({ type, id, _id }) => `${type}/${id ?? _id}`, lineOf)}</ul>
      ${status(`${name}-note`, isEmpty ? (searched() ? "Nothing matches your search." : none) : this.#pages.note(what))}
      ${pageButtons({ id: `${name}-page`, label, page, pages })}`;
  }
}
