// A list of the player that is loaded page by page. What it shows is in the query of the address: `show` is its filter,
// `sort` its order, `search` what is searched, and `page` its page.

import { getOwn } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { query, setQuery } from "../router.js";
import { options } from "./field.js";
import { Resource, status } from "./resource.js";
import { searched, searchField } from "./search.js";
import { skeletons } from "./skeletons.js";

const PAGE_SIZE = 10;

/** Buttons to go to other pages; `goTo(page)` is called. */
export const pageButtons = ({ label, page, pages, goTo, note = `Page ${page} of ${pages}`, id }) => html`
  <nav class="row pages" aria-label=${label}>
    <button type="button" class="plain" ?disabled=${page <= 1} @click=${() => goTo(page - 1)}>Previous</button>
    <p class="quiet" id=${id}>${note}</p>
    <button type="button" class="plain" ?disabled=${page >= pages} @click=${() => goTo(page + 1)}>Next</button>
  </nav>`;

/**
 * A list with the id `name`.
 *
 * - `path` answers its pages, with the entries under `name`; or `read(asked, signal)` resolves with what such a path
 *   answers as `data` to the query `asked`
 * - `filter` is the label of the filter, and `filters` its choices `[value, text]`, or groups `[label, choices]` of them.
 *   The first one is chosen when the address names none. A value is a part of the query, such as "status=kept".
 * - `orders` are pairs of a `sort` and its text, `search()` is the label of the search field; without them there is none
 * - `lineOf(entry)` is the template of a line, `none` the note without entries
 * - `what` names the entries: "Your prizes"
 */
export class PagedList {
  #settings;
  #pages;

  constructor(settings) {
    const read = async (asked, signal) => (await getOwn(`${settings.path}?${asked}`, { signal })).data;
    this.#settings = { read, orders: [], search: () => "", ...settings };
    this.#pages = new Resource((signal) => this.#loadPage(Number(query().get("page") ?? 1), signal));
  }

  /** Load the page that the address names. */
  load() {
    return this.#pages.load();
  }

  async #loadPage(page, signal) {
    const { read, orders, search } = this.#settings;
    const asked = new URLSearchParams(`page=${page}&limit=${PAGE_SIZE}&${this.#chosen()}`);
    if (orders.length) asked.set("sort", this.#order());
    if (search()) asked.set("search", searched());
    const data = await read(asked, signal);
    // The last entry of the last page may have changed its state.
    return page > 1 && page > data.totalPages ? this.#loadPage(Math.max(data.totalPages, 1), signal) : data;
  }

  /** The value of the chosen option; `show` in the query of the address. */
  #chosen() {
    const { filters } = this.#settings;
    const values = filters.flatMap(([value, text]) => (Array.isArray(text) ? text.map(([each]) => each) : value));
    const shown = query().get("show");
    return values.includes(shown) ? shown : values[0];
  }

  #order() {
    const { orders } = this.#settings;
    return (orders.find(([order]) => order === query().get("sort")) ?? orders[0])[0];
  }

  view() {
    const { name, filter, filters, orders, search, lineOf, none, what, label = `Pages of ${name}` } = this.#settings;
    const { [name]: entries = [], totalPages = 0, currentPage = 1 } = this.#pages.value ?? {};
    const chosen = this.#chosen();
    const isEmpty = this.#pages.value && !entries.length && !this.#pages.problem;
    return html`
      <div class="row filters">
        <label class="row">${filter}
          <select id="${name}-filter" @change=${({ target }) => setQuery({ show: target.value, page: null })}>
            ${filters.map(([value, text]) => (Array.isArray(text)
              ? html`<optgroup label=${value}>${options(text, chosen)}</optgroup>` : options([[value, text]], chosen)))}
          </select></label>
        ${orders.length ? html`<label class="row">Order
          <select id="${name}-order" @change=${({ target }) => setQuery({ sort: target.value, page: null })}>
            ${options(orders, this.#order())}</select></label>` : nothing}
        ${search() ? searchField({ id: `${name}-search`, label: search() }) : nothing}
      </div>
      <ul id=${name} class="lines ${name}">${this.#pages.isFirst ? skeletons(PAGE_SIZE)
        : repeat(entries, ({ type, id }) => `${type}/${id}`, lineOf)}</ul>
      ${status(`${name}-note`, isEmpty ? none : this.#pages.note(what))}
      ${totalPages < 2 ? nothing : pageButtons({
        id: `${name}-page`, label, page: currentPage, pages: totalPages, goTo: (page) => setQuery({ page }),
      })}`;
  }
}
