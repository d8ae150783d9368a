// A list of the player that is loaded page by page. What it shows is in the query of the address: `show` is its filter,
// `sort` its order, `search` what is searched, and `page` its page.

import { getOwn } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { query, setQuery } from "../router.js";
import { skeletons, status } from "./elements.js";
import { Choice, searched, searchField } from "./filters.js";
import { Resource } from "./resource.js";

const PAGE_SIZE = 10;

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
        ${this.#shown.view()}
        ${this.#order?.view()}
        ${search() ? searchField({ id: `${name}-search`, label: search() }) : nothing}
      </div>
      <ul id=${name} class="lines ${name}">${isFirst ? skeletons(PAGE_SIZE)
        : repeat(entries, ({ type, id, _id }) => `${type}/${id ?? _id}`, lineOf)}</ul>
      ${status(`${name}-note`, isEmpty ? (searched() ? "Nothing matches your search." : none) : this.#pages.note(what))}
      ${pageButtons({ id: `${name}-page`, label, page, pages })}`;
  }
}
