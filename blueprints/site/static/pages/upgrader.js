// The items to win: one page of the catalogue at a time, searched and sorted by the server; and the choice of one by
// what it should pay, or by the chance to win it. At first the list has only items near the wager.

import { format, plain } from "../format.js";
import { playFor, showUpgrader } from "../game/game.js";
import { loadItem, loadItems, partsOf, WEARS } from "../game/items.js";
import { rarityOf } from "../game/rarity.js";
import { chooseItem, wagerCents } from "../game/upgrader.js";
import { html, nothing, repeat } from "../lit.js";
import { coins, picture, skeletons } from "../parts/elements.js";
import { options } from "../parts/forms.js";
import {
  asked, Choice, GAME, matchesFirst, pageButtons, pageNumber, priceRange, Resource, searchAndFilters, searched, searchField,
  usedFilters,
} from "../parts/lists.js";
import { current, query, setQuery } from "../router.js";
import { state, update } from "../store.js";

const PAGE_SIZE = 18;
// Pages of a search that are loaded together, to be put in the order of matchesFirst.
const SEARCHED_PAGES = 5;
const NEAR = [2, 10]; // times the wager
const NEAR_TEXT = `${NEAR.join("× to ")}× the wager`;
const WAGER_PAUSE_MS = 400;

const items = new Resource(loadPage);
const SORT = new Choice("sort", "Sort by price", [
  ["Descending", "Highest price first"], ["Ascending", "Lowest price first"],
], { first: () => (query().get("range") ? "Descending" : "Ascending") }); // The likeliest; of all items, the dearest.
const WEAR = new Choice("wear", "Wear of the items", [
  ["all", "Any wear"],
  ...WEARS.map((wear) => [wear, wear]),
]);
const UNITS = [["multiplier", "× wager"], ["chance", "% chance"]];
const aim = { text: "2", unit: "multiplier", problem: "", note: "" };

// A player who asks for prices or a name looks at the whole catalogue, and so does `range=all`.
const isNear = () => Boolean(wagerCents())
  && !["range", "minPrice", "maxPrice", "search"].some((name) => query().get(name));

/** The prices that are asked for; those near the wager at first. */
function prices() {
  if (!isNear()) return asked("minPrice", "maxPrice");
  const [minPrice, maxPrice] = NEAR.map((times) => plain(times * wagerCents()));
  return { minPrice, maxPrice };
}

function switchNear() {
  const off = { search: null, minPrice: null, maxPrice: null, page: null };
  setQuery(isNear() ? { range: "all", page: null } : { ...off, range: null });
}

let waiting = null;

addEventListener("wager-changed", () => {
  aim.note = "";
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (current.route.path === "/" && isNear()) setQuery({ page: null }, { replace: true });
  }, WAGER_PAUSE_MS);
});

/**
 * Load a page as it is shown, and the `total` of items. Among the matches of a search, those at the beginning of a word
 * come first: among the first five pages, the next five, and so on, since the server knows only one order.
 */
async function loadPage(signal) {
  const [page, search] = [pageNumber(), searched()];
  const pages = search ? SEARCHED_PAGES : 1;
  const place = { page: Math.ceil(page / pages), limit: pages * PAGE_SIZE, sort: SORT.value, search };
  const found = await loadItems({ ...asked("type", "wear"), ...prices(), ...place }, signal);
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
    ${searchAndFilters(
      searchField({ id: "search", label: "Search by words of the name" }),
      [nearSwitch(), SORT.view(), GAME.view(), WEAR.view(), priceRange()],
      usedFilters() + Number(isNear()))}
    ${aimForm()}
    <ul id="items" class="cards" tabindex="-1">${items.isFirst ? skeletons(PAGE_SIZE, "card")
      : repeat(shown, ({ marketHashName }) => marketHashName, card)}</ul>
    ${items.value && !total ? html`<p>No item matches. <a href="/?range=all">Show all items</a></p>` : nothing}
    ${pageButtons({ id: "items-page", label: "Pages of items", page: number, pages, note: html`
      <span id="found" role="status">${found}</span>
      <span id="page-number">${pages ? `· page ${number} of ${pages}` : ""}</span>` })}`;
}

const nearSwitch = () => html`<button id="near" type="button" class="plain chip" aria-pressed=${isNear()}
  ?disabled=${!wagerCents()} @click=${switchNear}>${NEAR_TEXT}${
    isNear() ? html` <span aria-hidden="true">✕</span>` : nothing}</button>`;

function card(item) {
  const { gun, skin, wear } = partsOf(item.marketHashName);
  const isChosen = item.marketHashName === state.item?.marketHashName;
  return html`<li>
    <button type="button" class="card" data-rarity=${rarityOf(item.priceCents)} aria-pressed=${isChosen}
      @click=${(event) => playFor(item, event)}>
      ${picture("item", item.image, 120)}
      <span class="quiet">${gun}</span>
      <span class="name">${skin}</span>
      <span class="quiet">${wear}</span>
      ${coins(item.priceCents)}
    </button>
  </li>`;
}

const aimed = () => Number(aim.text.replace(",", "."));
const keptPart = () => 1 - (state.rules?.houseEdge ?? 0);

/** What an item has to cost at least; throws what is wrong with what was typed. */
function leastCents() {
  const [wager, number, kept] = [wagerCents(), aimed(), keptPart()];
  if (!wager) throw new Error("Please enter a wager first");
  if (aim.unit === "multiplier") {
    if (number > 1) return Math.ceil(wager * number);
    throw new Error("Please enter a multiplier above 1");
  }
  if (number > 0 && number < kept * 100) return Math.ceil((wager * kept * 100) / number);
  throw new Error(`Please enter a chance above 0 and below ${Number((kept * 100).toFixed(4))} %`);
}

/** What the chosen item pays, or its chance, if it is not what was aimed for. */
function describeMiss({ priceCents }) {
  const isMultiplier = aim.unit === "multiplier";
  const found = isMultiplier ? priceCents / wagerCents() : (keptPart() * 100 * wagerCents()) / priceCents;
  if (found.toFixed(2) === aimed().toFixed(2)) return "";
  return isMultiplier ? `No item pays ${aimed()}×. Nearest above: ${found.toFixed(2)}×.`
    : `No item has a chance of ${aimed()} %. Nearest below: ${found.toFixed(2)} %.`;
}

/** Choose the cheapest item that costs enough, and list those from its price on. */
async function take(event) {
  event.preventDefault();
  Object.assign(aim, { problem: "", note: "" });
  try {
    const cents = leastCents();
    const wanted = { ...asked("type", "wear"), minPrice: plain(cents), sort: "Ascending", limit: 1 };
    const { items: [item] } = await loadItems(wanted);
    if (!item) throw new Error(`No item costs ${format(cents)} coins or more`);
    aim.note = describeMiss(item);
    playFor(item, event);
    setQuery({ minPrice: plain(cents), sort: "Ascending", maxPrice: null, search: null, page: null, range: null });
  } catch ({ message }) {
    aim.problem = `${message}.`;
    update();
  }
}

const aimForm = () => html`
  <form id="aim" class="row filters" novalidate>
    <label for="aim-at">Aim for</label>
    <input id="aim-at" class="short" inputmode="decimal" autocomplete="off" maxlength="10"
      aria-describedby="aim-problem" .value=${aim.text} @input=${({ target }) => { aim.text = target.value; }}>
    <select aria-label="Multiplier or chance" @change=${({ target }) => { aim.unit = target.value; }}>
      ${options(UNITS, aim.unit)}</select>
    <button class="plain" @click=${take}>Choose <span>the item</span></button>
    <p id="aim-note" class="quiet" role="status">${aim.note}</p>
    <p id="aim-problem" class="problem" role="alert">${aim.problem}</p>
  </form>`;
