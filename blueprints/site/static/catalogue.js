// The item picker: one page of the catalogue at a time, searched and sorted by the server.

import { getJson, makeSignals } from "./api.js";
import { addSkipLink, bringIntoView, byId, make, picture } from "./dom.js";
import { loadItem, partsOf, rememberImages } from "./item-names.js";
import { centsOfPrice, coins } from "./money.js";
import { matchesFirst } from "./search-order.js";

const PAGE_SIZE = 18;
// Pages of a search that are loaded together, to be put in the order of matchesFirst.
const SEARCHED_PAGES = 5;
const TYPING_PAUSE_MS = 250;

const priced = (item) => ({ ...item, priceCents: centsOfPrice(item.price) });

/**
 * Load a page as it is shown, and the `total` of items. Among the matches of a search, those at the beginning of a word
 * come first: among the first five pages, the next five, and so on, since the server knows only one order.
 */
async function loadPage(page, signal) {
  const search = byId("search").value.trim();
  const pages = search ? SEARCHED_PAGES : 1;
  const query = new URLSearchParams({
    page: Math.ceil(page / pages),
    limit: pages * PAGE_SIZE,
    sort: byId("sort").value,
    search,
  });
  const { items, pagination } = await getJson(`/upgrader/items/pagination?${query}`, { signal });
  const first = ((page - 1) % pages) * PAGE_SIZE;
  const ordered = matchesFirst(items, search, ({ marketHashName }) => marketHashName);
  return { items: ordered.slice(first, first + PAGE_SIZE), total: pagination.totalItems };
}

/**
 * Calls `chosen(item)` with an item and its `priceCents` when the player picks one, and `reloaded(item)` when that
 * item is loaded again.
 */
export class Catalogue {
  #chosen;
  #reloaded;
  #page = 1;
  #selected = null;
  #nextSignal = makeSignals();

  constructor({ chosen, reloaded }) {
    this.#chosen = chosen;
    this.#reloaded = reloaded;
    let typing;
    byId("search").addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.show(1), TYPING_PAUSE_MS);
    });
    byId("sort").addEventListener("change", () => this.show(1));
    byId("previous").addEventListener("click", () => this.show(this.#page - 1));
    byId("next").addEventListener("click", () => this.show(this.#page + 1));
  }

  /** Load and draw a page. An earlier request that is still running is aborted. */
  async show(page = this.#page) {
    const signal = this.#nextSignal();
    try {
      const { items, total } = await loadPage(page, signal);
      rememberImages(items);
      this.#draw(items.map(priced), page, total);
    } catch (problem) {
      if (!signal.aborted) byId("found").textContent = `The items could not be loaded: ${problem.message}`;
    }
  }

  /** Load the page anew, and the chosen item, which may be on another page. */
  async refresh() {
    this.show();
    const item = await loadItem(this.#selected).catch(() => {});
    if (item) this.#reloaded(priced(item));
  }

  #draw(items, page, total) {
    const totalPages = Math.ceil(total / PAGE_SIZE);
    this.#page = page;
    byId("items").replaceChildren(...items.map((item) => make("li", {}, this.#card(item))));
    byId("found").textContent = total === 1 ? "1 item" : `${total || "No"} items`;
    byId("page-number").textContent = totalPages ? `· page ${page} of ${totalPages}` : "";
    byId("previous").disabled = page <= 1;
    byId("next").disabled = page >= totalPages;
    // The chosen item may have another price now.
    const again = items.find((item) => item.marketHashName === this.#selected);
    if (again) this.#reloaded(again);
  }

  #card(item) {
    const { gun, skin, wear } = partsOf(item.marketHashName);
    const card = make(
      "button",
      { type: "button", className: "card" },
      picture("item", item.image, 120),
      make("span", { className: "quiet" }, gun),
      make("span", { className: "name" }, skin),
      make("span", { className: "quiet" }, wear),
      coins(item.priceCents),
    );
    card.setAttribute("aria-pressed", String(item.marketHashName === this.#selected));
    card.addEventListener("click", () => {
      byId("items").querySelector("[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
      card.setAttribute("aria-pressed", "true");
      this.#selected = item.marketHashName;
      addSkipLink(card, "wager", "Set the wager");
      this.#chosen(item);
      // On a small screen the wheel is far above the items.
      bringIntoView(byId("dial"));
    });
    return card;
  }
}
