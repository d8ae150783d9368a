// The item picker: one page of the catalogue at a time, searched and sorted by the server.

import { getJson } from "./api.js";
import { byId, make, picture } from "./dom.js";
import { centsOfText, format } from "./money.js";

const PAGE_SIZE = 18;
const TYPING_PAUSE_MS = 250;
const NEUTRAL_ITEM = "/media/neutral/item.webp";

const WEAR = / \((Factory New|Minimal Wear|Field-Tested|Well-Worn|Battle-Scarred)\)$/;

/** Calls `chosen(item)` with the item and its `priceCents` when the player picks one. */
export class Catalogue {
  #chosen;
  #page = 1;
  #selected = null;
  #loading = null;

  constructor(chosen) {
    this.#chosen = chosen;
    let typing;
    byId("search").addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.show(1), TYPING_PAUSE_MS);
    });
    byId("sort").addEventListener("change", () => this.show(1));
    byId("previous").addEventListener("click", () => this.show(this.#page - 1));
    byId("next").addEventListener("click", () => this.show(this.#page + 1));
  }

  /** Load and draw a page; a slower answer to an earlier question is thrown away. */
  async show(page = this.#page) {
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    const query = new URLSearchParams({
      page,
      limit: PAGE_SIZE,
      sort: byId("sort").value,
      search: byId("search").value,
    });
    try {
      const { items, pagination } = await getJson(`/upgrader/items/pagination?${query}`, { signal });
      this.#draw(items.map((item) => ({ ...item, priceCents: centsOfText(item.price) })), pagination);
    } catch (problem) {
      if (!signal.aborted) byId("found").textContent = `The catalogue could not be loaded: ${problem.message}`;
    }
  }

  #draw(items, { currentPage, totalPages, totalItems, hasNextPage, hasPrevPage }) {
    this.#page = currentPage;
    byId("items").replaceChildren(...items.map((item) => make("li", {}, this.#card(item))));
    byId("found").textContent = totalItems === 1 ? "1 item" : `${totalItems} items`;
    byId("page-number").textContent = totalPages ? `Page ${currentPage} of ${totalPages}` : "";
    byId("previous").disabled = !hasPrevPage;
    byId("next").disabled = !hasNextPage;
    this.#refresh(items);
  }

  #card(item) {
    const wear = WEAR.exec(item.marketHashName)?.[1] ?? "";
    const card = make(
      "button",
      { type: "button", className: "item" },
      picture(item.image, NEUTRAL_ITEM, 120),
      make("span", { className: "gun" }, item.skinName && item.gunName),
      make("span", { className: "skin" }, item.skinName || item.gunName),
      make("span", { className: "wear" }, wear),
      make("span", { className: "price" }, `$${format(item.priceCents)}`),
    );
    card.setAttribute("aria-pressed", String(item.marketHashName === this.#selected));
    card.addEventListener("click", () => {
      byId("items").querySelector("[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
      card.setAttribute("aria-pressed", "true");
      this.#select(item);
    });
    return card;
  }

  /** A page drawn anew may hold the chosen item at another price. */
  #refresh(items) {
    const again = items.find((item) => item.marketHashName === this.#selected);
    if (again) this.#select(again);
  }

  #select(item) {
    this.#selected = item.marketHashName;
    this.#chosen(item);
  }
}
