// The items to win: one page of the catalogue at a time, searched and sorted by the server.

import { aimForm } from "../game/aim.js";
import { playFor, showUpgrader } from "../game/game.js";
import { loadItem, loadItems, partsOf } from "../game/items.js";
import { chooseItem } from "../game/upgrader.js";
import { html, nothing, repeat } from "../lit.js";
import { coins, picture, skeletons } from "../parts/elements.js";
import { asked, Choice, GAME, matchesFirst, priceRange, searched, searchField } from "../parts/filters.js";
import { pageButtons, pageNumber } from "../parts/paged-list.js";
import { Resource } from "../parts/resource.js";
import { current } from "../router.js";
import { state } from "../store.js";

const PAGE_SIZE = 18;
// Pages of a search that are loaded together, to be put in the order of matchesFirst.
const SEARCHED_PAGES = 5;

const items = new Resource(loadPage);
const SORT = new Choice("sort", "Sort by price", [
  ["Descending", "Highest price first"], ["Ascending", "Lowest price first"],
]);
const WEAR = new Choice("wear", "Wear of the items", [
  ["all", "Any wear"],
  ...["Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"].map((wear) => [wear, wear]),
]);

/**
 * Load a page as it is shown, and the `total` of items. Among the matches of a search, those at the beginning of a word
 * come first: among the first five pages, the next five, and so on, since the server knows only one order.
 */
async function loadPage(signal) {
  const [page, search] = [pageNumber(), searched()];
  const pages = search ? SEARCHED_PAGES : 1;
  const place = { page: Math.ceil(page / pages), limit: pages * PAGE_SIZE, sort: SORT.value, search };
  const found = await loadItems({ ...asked("minPrice", "maxPrice", "type", "wear"), ...place }, signal);
  const first = ((page - 1) % pages) * PAGE_SIZE;
  const ordered = matchesFirst(found.items, search, ({ marketHashName }) => marketHashName);
  const shown = ordered.slice(first, first + PAGE_SIZE);
  // The chosen item may have another price now.
  const again = shown.find(({ marketHashName }) => marketHashName === state.item?.marketHashName);
  if (again) chooseItem(again);
  return { items: shown, total: found.pagination.totalItems, page };
}

/** The price of the chosen item is outdated: load the page anew, and the item, which may be on another page. */
async function refresh() {
  if (current.route.path === "/") items.load();
  const item = state.item && (await loadItem(state.item.marketHashName).catch(() => {}));
  if (item) chooseItem(item);
}

addEventListener("bet-refused", ({ detail: reason }) => {
  if (reason === "Item price has changed" || reason === "Item not found") refresh();
});

export function enter() {
  showUpgrader();
  return items.load();
}

export function page() {
  const { items: shown = [], total = 0, page: number = 1 } = items.value ?? {};
  const pages = Math.ceil(total / PAGE_SIZE);
  const found = items.note("The items") || (total === 1 ? "1 item" : `${total || "No"} items`);
  return html`
    <div class="row filters" role="search">
      ${searchField({ id: "search", label: "Search by words of the name" })}
      ${SORT.view()} ${GAME.view()} ${WEAR.view()} ${priceRange()}
    </div>
    ${aimForm()}
    <ul id="items" class="cards" tabindex="-1">${items.isFirst ? skeletons(PAGE_SIZE, "card")
      : repeat(shown, ({ marketHashName }) => marketHashName, card)}</ul>
    ${items.value && !total ? html`<p>No item matches. <a href="/">Show all items</a></p>` : nothing}
    ${pageButtons({ id: "items-page", label: "Pages of items", page: number, pages, note: html`
      <span id="found" role="status">${found}</span>
      <span id="page-number">${pages ? `· page ${number} of ${pages}` : ""}</span>` })}`;
}

function card(item) {
  const { gun, skin, wear } = partsOf(item.marketHashName);
  const isChosen = item.marketHashName === state.item?.marketHashName;
  return html`<li>
    <button type="button" class="card" aria-pressed=${isChosen} @click=${(event) => playFor(item, event)}>
      ${picture("item", item.image, 120)}
      <span class="quiet">${gun}</span>
      <span class="name">${skin}</span>
      <span class="quiet">${wear}</span>
      ${coins(item.priceCents)}
    </button>
  </li>`;
}
